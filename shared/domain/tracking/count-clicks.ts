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
import { incrementSumsWrite } from '../statistics/day-sums.ts';
import { hostNames, type KnownHosts, readHosts } from '../statistics/hosts.ts';
import { incrementDayWrite } from '../statistics/sales-by-day.ts';
import type { ClickMessage } from './clicks.ts';

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

const countOf = (visits: readonly Visit[]): { clicks: bigint } => ({ clicks: BigInt(visits.length) });

const groupedBy = (visits: readonly Visit[], nameOf: (visit: Visit) => string): [Visit, ...Visit[]][] =>
  [...Map.groupBy(visits, nameOf).values()] as [Visit, ...Visit[]][];

const clicksOfLinkDay = (programId: string, visits: [Visit, ...Visit[]], known: KnownHosts): Write[] => {
  const [{ day, linkId: id }] = visits;
  const hosts = hostNames(known, visits[0]);
  const named = Map.groupBy(visits, ({ host }) => (host === undefined ? undefined : hosts.of(host, true)));
  return [
    ...(['LINK', 'ONE_LINK'] as const).map((name) => incrementSumsWrite(programId, { name, day, id }, countOf(visits))),
    ...[...named].flatMap(([host, some]) =>
      host === undefined ? [] : [incrementSumsWrite(programId, { name: 'REFERRER', day, id, host }, countOf(some))],
    ),
    ...hosts.writes(programId),
  ];
};

const additionsOf = (programId: string, visits: readonly Visit[], hosts: KnownHosts): Write[] => [
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
      incrementSumsWrite(programId, { name, day: of[0].day, id: of[0].affiliateId }, countOf(of)),
    ),
  ),
  ...groupedBy(visits, ({ day, linkId }) => `${day}#${linkId}`).flatMap((of) => clicksOfLinkDay(programId, of, hosts)),
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
    const hosts = await readHosts(
      programId,
      left.filter(({ host }) => host !== undefined),
    );
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
  ...(host === undefined ? [] : [`host ${linkId} ${day} ${host}`, `hosts ${linkId} ${day}`]),
];

/** Adds a batch of one program's clicks to all that counts them, each visitor once an hour and link. docs/behavior.md#what-is-counted-as-a-click */
export const countClicks = async (programId: string, clicks: readonly ClickMessage[], now: Date): Promise<void> => {
  const program = await programs.get(programId, programId);
  if (!program) return;
  const visits = await withoutCounted(visitsOf(clicks, program.timeZone));
  for (const part of withinOneTransaction(visits, itemsOf)) await countTogether(programId, part, now);
};
