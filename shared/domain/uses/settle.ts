import { setTimeout as sleep } from 'node:timers/promises';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { unavailableError } from '../../platform/table/retry-transient.ts';
import { updateAlone, type Write } from '../../platform/table/transaction.ts';
import type { CappedKind, Redeemable } from './capped.ts';
import { hasUncounted } from './uncounted.ts';

/** A redemption writes within this time after it read the code, or reads it again. */
export const maxReadAgeMilliseconds = 5000;
const settleMilliseconds = maxReadAgeMilliseconds + 2000;
const maxCatchUpMilliseconds = 8000;
const pollMilliseconds = 500;

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

/** Waits until all uses before a first cap are counted; then throws ConcurrentModificationError, or 503 if the count lags. */
export const untilSettled = async (
  programId: string,
  kind: CappedKind,
  { record, couponId }: { record: Redeemable; couponId: string },
): Promise<void> => {
  const { id, cappedSince, createdAt, isSettled } = record;
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
