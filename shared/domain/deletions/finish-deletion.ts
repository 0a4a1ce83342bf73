import * as z from 'zod';
import { programs } from '../programs/repository.ts';
import { type ExpireFeed, purgeSteps, type WebhookStore } from './purge-program.ts';
import { type Step, stepsAfterDeletion } from './steps.ts';

/** The worker itself sets all but the first three fields, to continue where it was. */
export const DeletionMessage = z.strictObject({
  programId: z.string(),
  kind: z.enum(['PROGRAM', 'COUPON', 'AFFILIATE', 'REFERRAL', 'LINK']),
  id: z.string(),
  step: z.int().default(0),
  after: z.string().optional(),
  isSweep: z.boolean().default(false),
});
type Message = z.output<typeof DeletionMessage>;

/** Longer than any request in flight: 30 seconds, and a margin. */
const sweepAfterSeconds = 40;

/** After this, the rest becomes another message. */
const workMilliseconds = 15_000;

interface Tools {
  send: (message: Message, delaySeconds?: number) => Promise<void>;
  now: () => Date;
  webhooks: WebhookStore;
  expireFeed: ExpireFeed;
}

/** Runs the steps of a deletion page by page; may run twice and from any point. docs/behavior.md#cascades */
export const finishDeletion = async (message: Message, { send, now, webhooks, expireFeed }: Tools): Promise<void> => {
  const { programId, kind, id, isSweep } = message;
  // It was restored since.
  if (kind === 'PROGRAM' && (await programs.get(programId, id))) return;
  const steps: readonly Step[] = kind === 'PROGRAM' ? purgeSteps(webhooks, expireFeed) : stepsAfterDeletion[kind];
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
