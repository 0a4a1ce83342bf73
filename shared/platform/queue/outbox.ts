import type { QueueName } from '../../contract/needs.ts';
import { type Outgoing, sendBatch } from './send-batch.ts';

/** Takes messages for one queue, and answers those that the queue did not take. */
export type Outbox = (outgoing: readonly Outgoing[]) => Promise<ReadonlySet<Outgoing>>;

/**
 * Sends messages at once where no call is under way; what comes meanwhile goes out together in the next call. So what is
 * ready first waits for nobody, and many messages still take few calls.
 */
export const createOutbox = (queue: QueueName): Outbox => {
  let last: Promise<unknown> = Promise.resolve();
  let next: { messages: Outgoing[]; unsent: Promise<ReadonlySet<Outgoing>> } | undefined;
  const open = () => {
    const messages: Outgoing[] = [];
    const unsent = last.then(() => {
      next = undefined;
      return sendBatch(queue, messages);
    });
    last = unsent;
    return { messages, unsent };
  };
  return async (outgoing) => {
    if (outgoing.length === 0) return new Set();
    next ??= open();
    next.messages.push(...outgoing);
    return next.unsent;
  };
};
