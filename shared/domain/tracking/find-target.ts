import { linkSlug } from '../../contract/fields.ts';
import { deployedName } from '../../platform/table/client.ts';
import { batchGetItems } from '../../platform/table/items.ts';
import { links } from '../affiliates/link-repository.ts';
import type { StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { HandleItem, handleKey, isProgramId } from '../programs/handles.ts';
import { programs, type StoredProgram } from '../programs/repository.ts';

/** What an address such as `/r/shop/amara` leads to. */
export interface Target {
  readonly program: StoredProgram;
  readonly link: StoredLink | undefined;
  readonly affiliate: StoredAffiliate | undefined;
}

interface Ids {
  readonly programId?: string | undefined;
  readonly linkId?: string | undefined;
  readonly affiliateId?: string | undefined;
}

const maxRemembered = 10_000;
const remembered = new Map<string, Ids>();

const remember = (name: string, ids: Ids): void => {
  remembered.delete(name);
  remembered.set(name, ids);
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
};

const readAll = async (
  keys: readonly ({ pk: string; sk: string } | undefined)[],
): Promise<(Record<string, unknown> | undefined)[]> => {
  const wanted = keys.filter((key) => key !== undefined);
  // The newest state is not needed: a visitor cannot know it either.
  const items = wanted.length > 0 ? await batchGetItems(deployedName('records'), wanted, { isConsistent: false }) : [];
  return keys.map((key) => key && items.find(({ pk, sk }) => pk === key.pk && sk === key.sk));
};

const readAs = async (handle: string, slug: string, { programId, linkId, affiliateId }: Ids) => {
  const [named, program, name, link, affiliate] = await readAll([
    isProgramId(handle) ? undefined : handleKey(handle),
    programId === undefined ? undefined : programs.keyOf(programId, programId),
    programId === undefined || slug === '' ? undefined : links.keyOfName(programId, 'SLUG', slug),
    programId === undefined || linkId === undefined ? undefined : links.keyOf(programId, linkId),
    programId === undefined || affiliateId === undefined ? undefined : affiliates.keyOf(programId, affiliateId),
  ]);
  const nowOf = isProgramId(handle) ? handle : named && HandleItem.parse(named).programId;
  const foundLinkId = name && nowOf === programId ? String(name.id) : undefined;
  const stored = link && foundLinkId === linkId ? links.schema.parse(link) : undefined;
  const owner = stored?.affiliateId ?? (typeof name?.affiliateId === 'string' ? name.affiliateId : undefined);
  const ids: Ids = {
    programId: nowOf,
    linkId: foundLinkId,
    affiliateId: foundLinkId === undefined ? undefined : owner,
  };
  return { ids, program, link: stored, affiliate };
};

const areEqual = (one: Ids, other: Ids): boolean =>
  one.programId === other.programId && one.linkId === other.linkId && one.affiliateId === other.affiliateId;

const maxReads = 4;

/**
 * One read of the table where this function has seen the address before: it reads what the address meant then, and whether
 * it still does. Up to three where it has not. Undefined for an unknown handle. docs/behavior.md#following-a-link
 */
export const findTarget = async (handle: string, link: string): Promise<Target | undefined> => {
  const slug = linkSlug.safeParse(link).success ? link.toLowerCase() : '';
  const address = `${handle}/${slug}`;
  let guess: Ids =
    remembered.get(address) ?? remembered.get(handle) ?? (isProgramId(handle) ? { programId: handle } : {});
  for (let reads = 0; reads < maxReads; reads++) {
    const found = await readAs(handle, slug, guess);
    if (!areEqual(found.ids, guess)) {
      guess = found.ids;
      if (guess.programId === undefined) return undefined;
      continue;
    }
    if (!found.program) return undefined;
    const program = programs.schema.parse(found.program);
    const affiliate = found.affiliate && affiliates.schema.parse(found.affiliate);
    const isCredited = found.link && affiliate?.status === 'ACTIVE';
    remember(handle, { programId: program.id });
    remember(address, guess);
    return isCredited ? { program, link: found.link, affiliate } : { program, link: undefined, affiliate: undefined };
  }
  return undefined;
};
