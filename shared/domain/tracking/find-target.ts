import { partition } from '../../platform/table/partition.ts';
import { type QuickKey, quickItems } from '../../platform/table/quick-items.ts';

// Read by hand, without the schemas of the records: loading zod would slow down the cold start of redirects.

/** The fields of a program that a redirect needs. */
export interface TrackedProgram {
  readonly id: string;
  readonly baseUrls: readonly string[];
  readonly attribution: 'LAST_CLICK' | 'FIRST_CLICK';
  readonly attributionDays: number;
  readonly showsCodes: boolean;
}

export interface TrackedLink {
  readonly id: string;
  readonly link: string;
  readonly affiliateId: string;
  readonly destinationUrl: string | null;
}

/** What an address such as `/r/shop/amara` leads to. */
export interface Target {
  readonly program: TrackedProgram;
  readonly link: TrackedLink | undefined;
}

type Item = Readonly<Record<string, unknown>>;

const programIdShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const handleShape = /^[a-z0-9-]{3,40}$/;
const slugShape = /^[a-z0-9-]{1,100}$/;

const maxRemembered = 10_000;
/** The programs of handles. Each use verifies the entry in the same read. */
const remembered = new Map<string, string>();

const remember = (handle: string, programId: string): void => {
  remembered.delete(handle);
  remembered.set(handle, programId);
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
};

const readAll = async (keys: readonly (QuickKey | undefined)[]): Promise<(Item | undefined)[]> => {
  const wanted = keys.filter((key) => key !== undefined);
  // The newest state is not needed: a visitor cannot know it either.
  const items = await quickItems('records', wanted);
  return keys.map((key) => key && items.find(({ pk, sk }) => pk === key.pk && sk === key.sk));
};

const handleKey = (handle: string): QuickKey => ({ pk: `HANDLE#${handle}`, sk: 'HANDLE' });

const recordKey = (programId: string, kind: 'PROGRAM' | 'LINK' | 'AFFILIATE', id: string): QuickKey => ({
  pk: partition(programId, kind),
  sk: id,
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** With the defaults of programs from before these were settings. */
export const trackedProgram = (item: Item): TrackedProgram => ({
  id: String(item.id),
  baseUrls: Array.isArray(item.baseUrls) ? item.baseUrls.map(String) : [],
  attribution: item.attribution === 'FIRST_CLICK' ? 'FIRST_CLICK' : 'LAST_CLICK',
  attributionDays: typeof item.attributionDays === 'number' ? item.attributionDays : 60,
  showsCodes: item.showsCodes === true,
});

/** From the slug item of a link; undefined if a worker has not yet written the affiliate’s status there. */
export const creditOf = ({ id, link, affiliateId, affiliateStatus, destinationUrl }: Item) => {
  if (typeof link !== 'string' || typeof affiliateStatus !== 'string') return undefined;
  const tracked = {
    id: String(id),
    link,
    affiliateId: String(affiliateId),
    destinationUrl: textOf(destinationUrl) ?? null,
  };
  return { link: affiliateStatus === 'ACTIVE' ? tracked : undefined };
};

/** One read, or two for a slug item of an earlier version, which lacks the affiliate. */
const readCredit = async (
  programId: string,
  id: string,
  affiliateId: string | undefined,
): Promise<ReturnType<typeof creditOf>> => {
  const [link, affiliate] = await readAll([
    recordKey(programId, 'LINK', id),
    affiliateId === undefined ? undefined : recordKey(programId, 'AFFILIATE', affiliateId),
  ]);
  if (!link) return undefined;
  if (affiliateId === undefined) return readCredit(programId, id, String(link.affiliateId));
  return creditOf({ ...link, affiliateStatus: affiliate?.status });
};

const creditedLink = async (programId: string, name: Item | undefined): Promise<Target['link']> => {
  if (!name) return undefined;
  const credit = creditOf(name) ?? (await readCredit(programId, String(name.id), textOf(name.affiliateId)));
  return credit?.link;
};

const findProgramId = async (handle: string): Promise<string | undefined> => {
  const [named] = await readAll([handleKey(handle)]);
  return textOf(named?.programId);
};

/** Gives up on a handle that keeps changing its program. */
const maxReads = 3;

/**
 * One read of the table where this function has seen the handle before, or where it is the id of a program, else two; and one more
 * for a link whose slug item is incomplete, as in earlier versions. Undefined for an unknown handle. docs/behavior.md#following-a-link
 */
export const findTarget = async (handle: string, link: string): Promise<Target | undefined> => {
  const isId = programIdShape.test(handle);
  if (!isId && !handleShape.test(handle)) return undefined;
  const slug = link.toLowerCase();
  let programId = isId ? handle : (remembered.get(handle) ?? (await findProgramId(handle)));
  for (let reads = 0; programId !== undefined && reads < maxReads; reads++) {
    const [named, program, name] = await readAll([
      isId ? undefined : handleKey(handle),
      recordKey(programId, 'PROGRAM', programId),
      slugShape.test(slug) ? { pk: partition(programId, 'LINK', 'SLUG'), sk: slug } : undefined,
    ]);
    const programNow = isId ? programId : textOf(named?.programId);
    if (programNow !== programId) {
      programId = programNow;
      continue;
    }
    if (!program) return undefined;
    if (!isId) remember(handle, programId);
    return { program: trackedProgram(program), link: await creditedLink(programId, name) };
  }
  return undefined;
};
