import type { DynamoDBRecord } from 'aws-lambda';
import { isDeterministic, setAside } from '../../platform/queue/set-aside.ts';
import { changeOf } from '../../platform/table/change.ts';
import { deployedName } from '../../platform/table/client.ts';
import { partition } from '../../platform/table/partition.ts';
import { withinOneTransaction } from '../../platform/table/parts.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { links } from '../affiliates/link-repository.ts';
import { incrementTotalsWrite } from '../affiliates/totals.ts';
import { incrementOrdersWrite } from '../attribution/customers.ts';
import { coupons } from '../coupons/repository.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { referrals } from '../referrals/repository.ts';
import { incrementSumsWrite } from '../statistics/day-sums.ts';
import { incrementDayWrite } from '../statistics/sales-by-day.ts';
import { countedWrite, type Uncounted } from '../uses/uncounted.ts';
import { type Delta, deltasOf, summed, uncountedIn } from './deltas.ts';

/** `changeId` is the same if the stream repeats the change. */
export interface CountableChange {
  programId: string;
  changeId: string;
  deltas: readonly Delta[];
  /** The redemption that it counts, where that has a marker as not counted. */
  redeemed?: Uncounted | undefined;
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
  SUMS: incrementSumsWrite,
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

const addTogether = async (programId: string, changes: readonly CountableChange[], now: Date): Promise<void> => {
  let deltas = summed(changes.flatMap((change) => change.deltas));
  while (deltas.length > 0) {
    try {
      const added = deltas.map((delta) => ({
        ...additions[delta.kind](programId, delta.id, delta.amounts),
        refusal: () => new RecordGone(delta),
      }));
      return await writeTogether([...changes.map((change) => mark(change, now)), ...added]);
    } catch (error) {
      if (!(error instanceof RecordGone)) throw error;
      // The record was deleted; the other totals still count.
      deltas = deltas.filter((delta) => delta !== error.delta);
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

const readChange = (record: DynamoDBRecord): CountableChange | undefined => {
  const change = changeOf(record);
  const deltas = change ? deltasOf(change) : [];
  if (!change || deltas.length === 0) return undefined;
  if (!record.eventID) throw new Error('A record of the stream has no eventID');
  return { programId: change.programId, changeId: record.eventID, deltas, redeemed: uncountedIn(change), record };
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
  return changes.filter((change) => change !== undefined);
};

const itemsOf = ({ deltas }: CountableChange): string[] => deltas.map(({ kind, id }) => `${kind} ${id}`);

export const updateTotals = async (changes: readonly CountableChange[], now: Date): Promise<void> => {
  const byProgram = Map.groupBy(changes, ({ programId }) => programId);
  await Promise.all(
    [...byProgram].map(async ([programId, ofProgram]) => {
      for (const together of withinOneTransaction(ofProgram, itemsOf)) await addOnce(programId, together, now);
    }),
  );
};
