import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { withinOneTransaction } from '../../platform/table/parts.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { dayIn } from '../../platform/time/days.ts';
import { links } from '../affiliates/link-repository.ts';
import { incrementTotalsWrite } from '../affiliates/totals.ts';
import { programs } from '../programs/repository.ts';
import { incrementSumsWrite } from '../statistics/day-sums.ts';
import { hostNames, type KnownHosts, readHosts } from '../statistics/hosts.ts';
import { incrementDayWrite } from '../statistics/sales-by-day.ts';
import type { ClickMessage } from './click-message.ts';
import { addWritten, admit, readSourceHours, type SourceHours, type Visit, visitOf, visitWrites } from './visits.ts';

/** One click that may count, and where it is summed. */
interface Counted {
  readonly linkId: string;
  readonly affiliateId: string;
  readonly day: string;
  readonly host: string | undefined;
}

class LinkGone extends Error {
  readonly linkId: string;
  constructor(linkId: string) {
    super(`The link ${linkId} is gone`);
    this.linkId = linkId;
  }
}

const countOf = (visits: readonly Counted[]): { clicks: bigint } => ({ clicks: BigInt(visits.length) });

const groupedBy = (visits: readonly Counted[], nameOf: (visit: Counted) => string): [Counted, ...Counted[]][] =>
  [...Map.groupBy(visits, nameOf).values()] as [Counted, ...Counted[]][];

const clicksOfLinkDay = (programId: string, visits: [Counted, ...Counted[]], known: KnownHosts): Write[] => {
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

const additionsOf = (programId: string, visits: readonly Counted[], hosts: KnownHosts): Write[] => [
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

/** After so many conflicts in a row the batch fails, and SQS delivers its messages again. */
const maxRoundsWithoutProgress = 20;

interface Batch {
  readonly programId: string;
  readonly timeZone: string;
  readonly now: Date;
}

const countedAs = ({ timeZone }: Batch, { click }: Visit): Counted => ({
  linkId: click.linkId,
  affiliateId: click.affiliateId,
  day: dayIn(timeZone, click.at),
  host: click.referrer ?? undefined,
});

/** In one transaction, so that a click counts once. Returns the visits to retry after a conflict with another batch. */
const countTogether = async (batch: Batch, hours: SourceHours, visits: readonly Visit[]): Promise<readonly Visit[]> => {
  const { programId, now } = batch;
  const counted = visits.map((visit) => countedAs(batch, visit));
  const hosts = await readHosts(
    programId,
    counted.filter(({ host }) => host !== undefined),
  );
  try {
    await writeTogether([...visitWrites(programId, hours, visits, now), ...additionsOf(programId, counted, hosts)]);
    addWritten(hours, visits);
    return [];
  } catch (error) {
    // Deleted, with its affiliate or alone: nobody can see what it would count.
    if (error instanceof LinkGone) return visits.filter(({ click }) => click.linkId !== error.linkId);
    if (error instanceof ConcurrentModificationError) return visits;
    throw error;
  }
};

const itemsOf = ({ linkId, affiliateId, day, host }: Counted): string[] => [
  `link ${linkId}`,
  `affiliate ${affiliateId}`,
  day,
  `affiliate ${affiliateId} ${day}`,
  `one affiliate ${affiliateId} ${day}`,
  `link ${linkId} ${day}`,
  `one link ${linkId} ${day}`,
  ...(host === undefined ? [] : [`host ${linkId} ${day} ${host}`, `hosts ${linkId} ${day}`]),
];

/** Adds a batch of one program's clicks, each visitor once an hour and link. docs/behavior.md#what-is-counted-as-a-click */
export const countClicks = async (programId: string, clicks: readonly ClickMessage[], now: Date): Promise<void> => {
  const program = await programs.get(programId, programId);
  if (!program) return;
  const batch: Batch = { programId, timeZone: program.timeZone, now };
  // Sorted by source, so that visits of one source share a write.
  let left: readonly Visit[] = clicks.map(visitOf).sort((one, other) => (one.hour < other.hour ? -1 : 1));
  for (let rounds = 0; left.length > 0; ) {
    const hours = await readSourceHours(programId, left);
    const { admitted, later } = admit(hours, left);
    const again: Visit[] = [];
    for (const part of withinOneTransaction(admitted, (visit) => itemsOf(countedAs(batch, visit))))
      again.push(...(await countTogether(batch, hours, part)));
    const next = [...again, ...later];
    rounds = next.length < left.length ? 0 : rounds + 1;
    if (rounds > maxRoundsWithoutProgress) throw new Error(`${next.length} clicks conflict with others`);
    left = next;
  }
};
