import { forEachConcurrent } from '../../../platform/concurrency/for-each-concurrent.ts';
import { retryOnConflict } from '../../../platform/table/edit.ts';
import { withImportMark } from '../../../platform/table/import-mark.ts';
import { writeTogether } from '../../../platform/table/transaction.ts';
import { writeAlone } from '../../../platform/table/write-alone.ts';
import { sumsOfPayouts } from '../../payouts/payouts.ts';
import { payoutBatches } from '../../payouts/repository.ts';
import type { ImportContext } from '../import-row.ts';
import { importedBatchOf, importedBatchOfDay } from './new-sale.ts';

const sumsAtOnce = 4;
const batchesOfPage = 100;

/** Batches of imports make no events: `makesEvents` asks for those of the imported rows. */
const quietly = <Result>({ importId }: ImportContext, action: () => Result): Result =>
  withImportMark({ importId, row: 0, makesEvents: false }, action);

/** The ids of the batches of these days that are there. A dry run writes none, and needs to know of none. */
export const readImportedBatches = async (
  { program, isDryRun }: ImportContext,
  paidAt: readonly string[],
): Promise<Set<string>> => {
  if (isDryRun) return new Set();
  const found = await payoutBatches.getMany(
    program.id,
    paidAt.map((at) => importedBatchOf(program, at).id),
  );
  return new Set(found.keys());
};

/** Creates the batch of a day's payouts, unless it is there. Its sums follow when the rows are written. */
export const ensureImportedBatch = async (context: ImportContext, paidAt: string): Promise<void> => {
  const { program, isDryRun } = context;
  if (isDryRun) return;
  const { id, at } = importedBatchOf(program, paidAt);
  await quietly(context, () =>
    writeAlone(
      payoutBatches.createWrites(program.id, {
        id,
        createdAt: at,
        updatedAt: at,
        version: 1,
        name: null,
        status: 'PAID',
        step: 'DONE',
        periodStart: null,
        periodEnd: at,
        affiliateIds: null,
        paymentMethod: null,
        couponId: null,
        minimumAmountMinor: null,
        currency: program.currency,
        payoutCount: 0,
        saleCount: 0,
        totalAmountMinor: '0',
        paidAt: at,
        source: 'IMPORTED',
      }),
    ),
  );
};

/** Adds up the payouts of a batch, once its rows are written. May be repeated. */
const sumImportedBatch = (context: ImportContext, id: string): Promise<void> =>
  retryOnConflict(async () => {
    const { program, now } = context;
    const batch = await payoutBatches.get(program.id, id);
    if (!batch) return;
    const sums = await sumsOfPayouts(program.id, batch.id);
    const isSame =
      batch.payoutCount === sums.payoutCount &&
      batch.saleCount === sums.saleCount &&
      batch.totalAmountMinor === sums.totalAmountMinor;
    if (isSame) return;
    const summed = { ...batch, ...sums, updatedAt: now.toISOString() };
    await quietly(context, () => writeTogether(payoutBatches.updateWrites(program.id, batch, summed)));
  });

/** Makes the sums of batches until the time is over; returns the last batch that has them then, undefined if all have. */
export const sumImportedBatches = async (
  context: ImportContext,
  ids: Iterable<string> | AsyncIterable<string>,
  isTimeOver: () => boolean,
): Promise<string | undefined> => {
  const sumAll = (some: readonly string[]) =>
    forEachConcurrent(some, sumsAtOnce, (id) => sumImportedBatch(context, id));
  let waiting: string[] = [];
  for await (const id of ids) {
    waiting.push(id);
    if (waiting.length < sumsAtOnce) continue;
    await sumAll(waiting);
    if (isTimeOver()) return id;
    waiting = [];
  }
  await sumAll(waiting);
  return undefined;
};

export const batchesOfDays = (
  program: ImportContext['program'],
  days: Iterable<string>,
  after: string | null,
): string[] =>
  Array.from(days, (day) => importedBatchOfDay(program, day).id)
    .filter((id) => after === null || id < after)
    .toSorted()
    .toReversed();

export async function* allImportedBatches(programId: string, after: string | null): AsyncGenerator<string> {
  let position = after ?? undefined;
  do {
    const request = { limit: batchesOfPage, after: position };
    const page = await payoutBatches.page(programId, request, undefined, ({ source }) => source === 'IMPORTED');
    yield* page.items.map(({ id }) => id);
    position = page.next;
  } while (position !== undefined);
}
