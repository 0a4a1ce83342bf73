import { ClickMessage } from '../shared/domain/tracking/click-message.ts';
import { countClicks } from '../shared/domain/tracking/count-clicks.ts';
import { logError } from '../shared/platform/logs/log.ts';
import { batchWorker } from '../shared/platform/queue/batch-worker.ts';
import { withRetryDeadline } from '../shared/platform/table/retry-transient.ts';

/** The other batch of a link that is clicked all the time may win many times in a row. */
const retryMilliseconds = 45_000;

/** The clicks of one program fail together, and those of the others are counted. */
export const handler = batchWorker('count-clicks', ClickMessage, async (batch) => {
  const failed = new Set<number>();
  const now = new Date();
  await Promise.all(
    [...Map.groupBy(batch, ({ message }) => message.programId)].map(async ([programId, own]) => {
      try {
        const clicks = own.map(({ message }) => message);
        await withRetryDeadline(() => countClicks(programId, clicks, now), retryMilliseconds);
      } catch (error) {
        logError('clicks not counted', error, { programId, count: own.length });
        for (const { at } of own) failed.add(at);
      }
    }),
  );
  return failed;
});
