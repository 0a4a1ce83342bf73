import type { DynamoDBRecord } from 'aws-lambda';
import { isDeterministic, setAside } from '../../platform/queue/set-aside.ts';
import { changeOf } from '../../platform/table/change.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { isOfImport } from '../../platform/table/import-mark.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { withinOneTransaction } from '../../platform/table/parts.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { links } from '../affiliates/link-repository.ts';
import { incrementTotalsWrite } from '../affiliates/totals.ts';
import { incrementOrdersWrite } from '../attribution/customers.ts';
import { coupons } from '../coupons/repository.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { referrals } from '../referrals/repository.ts';
import { incrementSumsWrite, namedSums } from '../statistics/day-sums.ts';
import { incrementDayWrite } from '../statistics/sales-by-day.ts';
import { countedWrite, type Uncounted } from '../uses/uncounted.ts';
import { type Delta, deltasOf, summed, uncountedIn } from './deltas.ts';
import { sumsOfHost, withHostNames } from './referring-hosts.ts';

/** `changeId` is the same if the stream repeats the change. */
export interface CountableChange {
  programId: string;
  changeId: string;
  deltas: readonly Delta[];
  /** The redemption that it counts, where that has a marker as not counted. */
  redeemed?: Uncounted | undefined;
  /** An import has changed its record in the batch. All changes of a record are counted in their order. */
  isImported?: boolean;
  record: DynamoDBRecord;
}

/** Longer than the stream keeps a record. */
const markSeconds = 8 * 24 * 60 * 60;

class CountedBefore extends Error {}
class RecordGone extends Error {
  readonly delta: Delta;
  constructor(delta: Delta) {
    super(`${delta.kind} ${delta.id} is gone`);
    this.delta = delta;
  }
}

const nameOf = ({ kind, id }: Delta): string => `${kind} ${id}`;

type Additions = Record<
  Delta['kind'],
  (programId: string, id: string, amounts: Readonly<Record<string, bigint>>) => Write
>;

const additions: Additions = {
  AFFILIATE: incrementTotalsWrite,
  REFERRAL: referrals.incrementWrite,
  LINK: links.incrementWrite,
  PROMOTIONAL_CODE: promotionalCodes.incrementWrite,
  COUPON: coupons.incrementWrite,
  CUSTOMER: incrementOrdersWrite,
  DAY: incrementDayWrite,
  SUMS: (programId, named, amounts) => incrementSumsWrite(programId, namedSums(named), amounts),
};

/** Written in the adding transaction, so that a change counts once: a redemption's marker goes, others get a mark. */
const mark = ({ programId, changeId, redeemed }: CountableChange, now: Date): Write => {
  const refusal = () => new CountedBefore();
  if (redeemed) return countedWrite(programId, redeemed, refusal);
  const ttl = Math.ceil(now.getTime() / 1000) + markSeconds;
  return {
    Put: {
      TableName: deployedName('traffic'),
      Item: { pk: partition(programId, 'COUNTED'), sk: changeId, ttl },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    refusal,
  };
};

const maxReadsOfHosts = 10;

const addTogether = async (programId: string, changes: readonly CountableChange[], now: Date): Promise<void> => {
  const marks = changes.map((change) => mark(change, now));
  const gone = new Set<string>();
  const deltas = summed(changes.flatMap((change) => change.deltas));
  for (let reads = 0; ; ) {
    const { named, writes } = await withHostNames(programId, deltas);
    const left = named.filter((delta) => !gone.has(nameOf(delta)));
    const added = left.map((delta) => ({
      ...additions[delta.kind](programId, delta.id, delta.amounts),
      refusal: () => new RecordGone(delta),
    }));
    try {
      // Also if the changes cancel out: a change that was counted before must not hide that the others were not.
      return await writeTogether([...marks, ...added, ...writes]);
    } catch (error) {
      // The record was deleted; the other totals still count.
      if (error instanceof RecordGone) gone.add(nameOf(error.delta));
      else if (!(error instanceof ConcurrentModificationError) || ++reads >= maxReadsOfHosts) throw error;
    }
  }
};

/** Falls back to one transaction per change if some were counted before. A change that can never count is set aside. */
const addOnce = async (programId: string, changes: readonly CountableChange[], now: Date): Promise<void> => {
  try {
    await addTogether(programId, changes, now);
  } catch (error) {
    const wasCounted = error instanceof CountedBefore;
    if (!wasCounted && !isDeterministic(error)) throw error;
    const [first, ...others] = changes;
    if (others.length > 0) for (const change of changes) await addOnce(programId, [change], now);
    else if (first && !wasCounted && !(await setAside(first.record, error))) throw error;
  }
};

type ReadChange = CountableChange & { recordName: string };

const readChange = (record: DynamoDBRecord): ReadChange | undefined => {
  const change = changeOf(record);
  const deltas = change ? deltasOf(change) : [];
  if (!change || deltas.length === 0) return undefined;
  if (!record.eventID) throw new Error('A record of the stream has no eventID');
  const [redeemed, isImported] = [uncountedIn(change), isOfImport(change)];
  const { programId, kind, recordId } = change;
  const recordName = `${programId} ${kind} ${recordId}`;
  return { programId, changeId: record.eventID, deltas, redeemed, isImported, record, recordName };
};

/** Unreadable changes are set aside. */
export const countableChangesOf = async (records: readonly DynamoDBRecord[]): Promise<CountableChange[]> => {
  const changes = await Promise.all(
    records.map(async (record) => {
      try {
        return readChange(record);
      } catch (error) {
        if (!(await setAside(record, error))) throw error;
        return undefined;
      }
    }),
  );
  const read = changes.filter((change) => change !== undefined);
  const imported = new Set(read.flatMap(({ isImported, recordName }) => (isImported ? [recordName] : [])));
  return read.map(({ recordName, ...change }) => ({ ...change, isImported: imported.has(recordName) }));
};

const itemsOf = ({ deltas }: CountableChange): string[] => [
  ...deltas.map(nameOf),
  ...deltas.flatMap((delta) => {
    const sums = sumsOfHost(delta);
    return sums ? [`hosts ${sums.day} ${sums.linkId}`] : [];
  }),
];

/** Nobody waits for the sums of an import: what others write comes between its transactions. */
const maxWritesOfImport = 24;

export const updateTotals = async (changes: readonly CountableChange[], now: Date): Promise<void> => {
  const byProgram = Map.groupBy(changes, ({ programId }) => programId);
  await Promise.all(
    [...byProgram].map(async ([programId, ofProgram]) => {
      const imported = ofProgram.filter(({ isImported }) => isImported);
      const others = ofProgram.filter(({ isImported }) => !isImported);
      for (const together of withinOneTransaction(others, itemsOf)) await addOnce(programId, together, now);
      for (const together of withinOneTransaction(imported, itemsOf, maxWritesOfImport))
        await addOnce(programId, together, now);
    }),
  );
};
