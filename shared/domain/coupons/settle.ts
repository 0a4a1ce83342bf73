import { setTimeout as sleep } from 'node:timers/promises';
import { deployedName } from '../../platform/table/client.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { unavailableError } from '../../platform/table/retry-transient.ts';
import { updateAlone, type Write } from '../../platform/table/transaction.ts';
import type { CappedKind, Redeemable } from './capped.ts';
import { hasUncounted } from './uncounted.ts';

/**
 * A redemption writes at the latest so long after it read the code, or reads it again. When a record gets its first cap, the
 * next redemptions wait until those that had read it without one are over, and until all of them are counted.
 */
export const maxReadAgeMilliseconds = 5000;
const settleMilliseconds = maxReadAgeMilliseconds + 2000;
/** How long a request then waits for the totals worker, which is behind. */
const maxCatchUpMilliseconds = 8000;
const pollMilliseconds = 500;

/** Notes that everything that was redeemed before the record had a cap is counted in `uncappedUses`. */
const settledWrite = (programId: string, kind: CappedKind, { id, cappedSince }: Redeemable): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: { pk: partition(programId, kind), sk: id },
    UpdateExpression: 'SET isSettled = :yes',
    ConditionExpression: 'cappedSince = :since',
    ExpressionAttributeValues: { ':yes': true, ':since': cappedSince },
  },
  refusal: () => new ConcurrentModificationError(`The cap of ${id} changed`),
});

/**
 * Waits until everything is counted that was redeemed before the record had a cap. Throws ConcurrentModificationError after it has
 * waited, for the count that was read may be behind; 503 where the totals worker does not catch up in the request's time.
 */
export const untilSettled = async (
  programId: string,
  kind: CappedKind,
  { record, couponId }: { record: Redeemable; couponId: string },
): Promise<void> => {
  const { id, cappedSince, createdAt, isSettled } = record;
  // A record that was made with its cap has never been redeemed without.
  if (isSettled || cappedSince === null || cappedSince === createdAt) return;
  const elapsed = Date.now() - Date.parse(cappedSince);
  if (elapsed < settleMilliseconds) await sleep(Math.min(settleMilliseconds - elapsed, settleMilliseconds));
  const end = performance.now() + maxCatchUpMilliseconds;
  while (await hasUncounted(programId, couponId, kind === 'COUPON' ? undefined : id)) {
    if (performance.now() >= end) throw unavailableError(new Error(`Redemptions of ${kind} ${id} are not counted yet`));
    await sleep(pollMilliseconds);
  }
  await updateAlone(settledWrite(programId, kind, record));
  throw new ConcurrentModificationError(`What was redeemed of ${id} before it had a cap is counted now`);
};
