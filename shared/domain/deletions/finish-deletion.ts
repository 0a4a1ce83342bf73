import * as z from 'zod';
import { purgeSteps, type WebhookStore } from './purge-program.ts';
import { type Step, stepsAfterDeletion } from './steps.ts';

/** What the worker of the queue `deletions` is told; all but the first three by itself, to go on where it was. */
export const DeletionMessage = z.strictObject({
  programId: z.string(),
  kind: z.enum(['PROGRAM', 'COUPON', 'AFFILIATE', 'REFERRAL', 'LINK']),
  id: z.string(),
  step: z.int().default(0),
  after: z.string().optional(),
  isSweep: z.boolean().default(false),
});
type Message = z.output<typeof DeletionMessage>;

/** Longer than any request runs that had read the record before it was deleted: 30 seconds, and a margin. */
const sweepAfterSeconds = 40;

/** One message works on for so long before the rest becomes another message. */
const workMilliseconds = 15_000;

interface Tools {
  send: (message: Message, delaySeconds?: number) => Promise<void>;
  now: () => Date;
  webhooks: WebhookStore;
}

/**
 * Goes on with what follows a deletion: the steps of its kind, page by page for some seconds, and the rest is another
 * message. A second round later finds what a request in flight wrote after the first. Everything may run twice, and from
 * any point. Decisions, section 2.
 */
export const finishDeletion = async (message: Message, { send, now, webhooks }: Tools): Promise<void> => {
  const { programId, kind, id, isSweep } = message;
  const steps: readonly Step[] = kind === 'PROGRAM' ? purgeSteps(webhooks) : stepsAfterDeletion[kind];
  let { step, after } = message;
  const end = now().getTime() + workMilliseconds;
  for (const work of steps.slice(step)) {
    do {
      after = await work({ programId, id }, after, now());
      if (after && now().getTime() >= end) return send({ programId, kind, id, step, after, isSweep });
    } while (after);
    step += 1;
  }
  if (!isSweep) await send({ programId, kind, id, step: 0, isSweep: true }, sweepAfterSeconds);
};
