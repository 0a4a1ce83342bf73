import * as z from 'zod';
import { programs } from '../programs/repository.ts';
import { affiliatesOfGroup } from './move-affiliates.ts';
import { type PurgeTools, purgeSteps } from './purge-program.ts';
import type { Step } from './step.ts';
import { stepsAfterDeletion } from './steps.ts';

/** The worker itself sets `step`, `after` and `isSweep`, to continue where it was. */
export const DeletionMessage = z.strictObject({
  programId: z.string(),
  /** `MOVE` moves the affiliates of a group that stays. */
  kind: z.enum(['PROGRAM', 'COUPON', 'AFFILIATE', 'REFERRAL', 'LINK', 'GROUP', 'MOVE']),
  id: z.string(),
  moveTo: z.string().optional(),
  at: z.string().optional(),
  step: z.int().default(0),
  after: z.string().optional(),
  isSweep: z.boolean().default(false),
});
type Message = z.output<typeof DeletionMessage>;

/** Longer than any request in flight: 30 seconds, and a margin. */
const sweepAfterSeconds = 40;

/** After this, the rest becomes another message. */
const workMilliseconds = 15_000;

interface Tools extends PurgeTools {
  send: (message: Message, delaySeconds?: number) => Promise<void>;
  now: () => Date;
}

const stepsOf = (kind: Message['kind'], tools: PurgeTools): readonly Step[] => {
  if (kind === 'PROGRAM') return purgeSteps(tools);
  return kind === 'MOVE' ? [affiliatesOfGroup] : stepsAfterDeletion[kind];
};

/** Runs the steps of a deletion page by page; may run twice and from any point. docs/behavior.md#cascades */
export const finishDeletion = async (message: Message, { send, now, ...tools }: Tools): Promise<void> => {
  const { programId, kind, id, isSweep, moveTo, at } = message;
  // It was restored since.
  if (kind === 'PROGRAM' && (await programs.get(programId, id))) return;
  const steps = stepsOf(kind, tools);
  let { step, after } = message;
  const end = now().getTime() + workMilliseconds;
  for (const work of steps.slice(step)) {
    do {
      after = await work({ programId, id, isSweep, moveTo, at }, after, now());
      if (after && now().getTime() >= end) return send({ ...message, step, after });
    } while (after);
    step += 1;
  }
  if (!isSweep) await send({ ...message, step: 0, after: undefined, isSweep: true }, sweepAfterSeconds);
};
