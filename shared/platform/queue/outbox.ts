import type { QueueName } from '../../contract/needs.ts';
import { type Outgoing, sendBatch } from './send-batch.ts';

/** Takes messages for one queue and returns those that were not accepted. */
export type Outbox = (outgoing: readonly Outgoing[]) => Promise<ReadonlySet<Outgoing>>;

/** Sends at once if no call is in flight; later messages share the next call. Nothing waits, and calls stay few. */
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
