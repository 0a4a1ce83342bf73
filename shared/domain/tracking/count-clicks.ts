import { deployedName } from '../../platform/table/client.ts';
import { batchGetItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { withinOneTransaction } from '../../platform/table/parts.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { dayIn } from '../../platform/time/days.ts';
import { links } from '../affiliates/link-repository.ts';
import { incrementTotalsWrite } from '../affiliates/totals.ts';
import { programs } from '../programs/repository.ts';
import { addSumsWrite, StoredSums, sumsKey } from '../statistics/day-sums.ts';
import { incrementDayWrite } from '../statistics/sales-by-day.ts';
import type { ClickMessage } from './click-message.ts';

const maxHosts = 20;
const otherHost = 'other';

const markSeconds = 24 * 60 * 60;

/** One click that may count: a visitor's first on a link within an hour. */
interface Visit extends ClickMessage {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly day: string;
  readonly host: string | undefined;
}

class CountedBefore extends Error {}

class LinkGone extends Error {
  readonly linkId: string;
  constructor(linkId: string) {
    super(`The link ${linkId} is gone`);
    this.linkId = linkId;
  }
}

const visitKey = ({ programId, linkId, visitor, at }: ClickMessage) => ({
  pk: partition(programId, 'VISIT', visitor.slice(0, 1)),
  sk: `${at.slice(0, 13)}#${linkId}#${visitor}`,
});

const textOf = ({ pk, sk }: { pk: unknown; sk: unknown }): string => `${pk} ${sk}`;

const visitsOf = (clicks: readonly ClickMessage[], timeZone: string): Visit[] => {
  const byKey = new Map<string, Visit>();
  for (const click of clicks) {
    const key = visitKey(click);
    const visit: Visit = { ...click, key, day: dayIn(timeZone, click.at), host: click.referrer ?? undefined };
    if (!byKey.has(textOf(key))) byKey.set(textOf(key), visit);
  }
  return [...byKey.values()];
};

const withoutCounted = async (visits: readonly Visit[]): Promise<Visit[]> => {
  const keys = visits.map(({ key }) => key);
  const found = await batchGetItems(deployedName('traffic'), keys, { attributes: 'pk, sk' });
  const counted = new Set(found.map(({ pk, sk }) => textOf({ pk, sk })));
  return visits.filter(({ key }) => !counted.has(textOf(key)));
};

const linkDay = ({ day, linkId }: Visit) => ({ name: 'LINK', day, id: linkId }) as const;

const readHosts = async (programId: string, visits: readonly Visit[]): Promise<Map<string, Set<string>>> => {
  const keys = visits.map((visit) => sumsKey(programId, linkDay(visit)));
  const items = await batchGetItems(deployedName('records'), [...new Map(keys.map((key) => [key.sk, key])).values()]);
  return new Map(items.map((item) => [String(item.sk), new Set(StoredSums.parse(item).hosts ?? [])]));
};

const countOf = (visits: readonly Visit[]): { clicks: bigint } => ({ clicks: BigInt(visits.length) });

const groupedBy = (visits: readonly Visit[], nameOf: (visit: Visit) => string): [Visit, ...Visit[]][] =>
  [...Map.groupBy(visits, nameOf).values()] as [Visit, ...Visit[]][];

const clicksOfLinkDay = (programId: string, visits: [Visit, ...Visit[]], known: ReadonlySet<string>): Write[] => {
  const [first] = visits;
  const hosts = new Set(known);
  const named = Map.groupBy(visits, ({ host }) => {
    if (host !== undefined && !hosts.has(host) && hosts.size < maxHosts) hosts.add(host);
    return host === undefined || hosts.has(host) ? host : otherHost;
  });
  const newHosts = [...hosts].filter((host) => !known.has(host));
  return [
    addSumsWrite(programId, linkDay(first), countOf(visits), { isNew: true, newHosts, knownHosts: known.size }),
    addSumsWrite(programId, { ...linkDay(first), name: 'ONE_LINK' }, countOf(visits), { isNew: true }),
    ...[...named].flatMap(([host, some]) =>
      host === undefined
        ? []
        : [
            addSumsWrite(programId, { name: 'REFERRER', day: first.day, id: first.linkId, host }, countOf(some), {
              isNew: true,
            }),
          ],
    ),
  ];
};

const additionsOf = (programId: string, visits: readonly Visit[], hosts: Map<string, Set<string>>): Write[] => [
  ...groupedBy(visits, ({ linkId }) => linkId).map((of) => ({
    ...links.incrementWrite(programId, of[0].linkId, countOf(of)),
    refusal: () => new LinkGone(of[0].linkId),
  })),
  ...groupedBy(visits, ({ affiliateId }) => affiliateId).map((of) => ({
    ...incrementTotalsWrite(programId, of[0].affiliateId, { numberOfClicks: BigInt(of.length) }),
    refusal: () => new LinkGone(of[0].linkId),
  })),
  ...groupedBy(visits, ({ day }) => day).map((of) => incrementDayWrite(programId, of[0].day, countOf(of))),
  ...groupedBy(visits, ({ day, affiliateId }) => `${day}#${affiliateId}`).flatMap((of) =>
    (['AFFILIATE', 'ONE_AFFILIATE'] as const).map((name) =>
      addSumsWrite(programId, { name, day: of[0].day, id: of[0].affiliateId }, countOf(of), { isNew: true }),
    ),
  ),
  ...groupedBy(visits, ({ day, linkId }) => `${day}#${linkId}`).flatMap((of) =>
    clicksOfLinkDay(programId, of, hosts.get(sumsKey(programId, linkDay(of[0])).sk) ?? new Set()),
  ),
];

const mark = (visit: Visit, now: Date): Write => ({
  Put: {
    TableName: deployedName('traffic'),
    Item: { ...visit.key, ttl: Math.ceil(now.getTime() / 1000) + markSeconds },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new CountedBefore('A visitor was counted within the hour'),
});

const maxReadsOfHosts = 10;

/** The marks of the clicks and what they add to are one transaction, so that a click counts once, however often it comes. */
const countTogether = async (programId: string, visits: readonly Visit[], now: Date): Promise<void> => {
  let left = visits;
  for (let reads = 0; left.length > 0; ) {
    const hosts = await readHosts(programId, left);
    try {
      return await writeTogether([...left.map((visit) => mark(visit, now)), ...additionsOf(programId, left, hosts)]);
    } catch (error) {
      // By another batch, which may have counted more of them.
      if (error instanceof CountedBefore) left = await withoutCounted(left);
      // Deleted, with its affiliate or alone: nobody can see what it would count.
      else if (error instanceof LinkGone) left = left.filter(({ linkId }) => linkId !== error.linkId);
      // Another batch has named hosts of the link.
      else if (!(error instanceof ConcurrentModificationError) || ++reads >= maxReadsOfHosts) throw error;
    }
  }
};

const itemsOf = ({ linkId, affiliateId, day, host }: Visit): string[] => [
  `link ${linkId}`,
  `affiliate ${affiliateId}`,
  day,
  `affiliate ${affiliateId} ${day}`,
  `one affiliate ${affiliateId} ${day}`,
  `link ${linkId} ${day}`,
  `one link ${linkId} ${day}`,
  ...(host === undefined ? [] : [`host ${linkId} ${day} ${host}`]),
];

/** Adds a batch of one program's clicks to all that counts them, each visitor once an hour and link. docs/behavior.md#what-is-counted-as-a-click */
export const countClicks = async (programId: string, clicks: readonly ClickMessage[], now: Date): Promise<void> => {
  const program = await programs.get(programId, programId);
  if (!program) return;
  const visits = await withoutCounted(visitsOf(clicks, program.timeZone));
  for (const part of withinOneTransaction(visits, itemsOf)) await countTogether(programId, part, now);
};
