import * as z from 'zod';
import { NotAllSeen, type Phase } from '../parts/phase.ts';
import { payPhases } from '../pay/pay.ts';
import { claimPhases } from '../prepare/claim.ts';
import { finishPreparation, hasDroppedPayouts, settlePhases } from '../prepare/settle.ts';
import { releaseAllPhases, releaseDroppedPhases } from '../release/release.ts';
import { BatchMovedOn, moveToStep, payoutBatches } from '../repository.ts';
import { preparationSteps, type StoredPayoutBatch } from '../rules.ts';

export const PayoutMessage = z.strictObject({
  programId: z.string(),
  batchId: z.string(),
  task: z.enum(['prepare', 'pay', 'release']),
  step: z.enum(preparationSteps).optional(),
  phase: z.int().default(0),
  after: z.string().optional(),
  round: z.int().default(0),
});
export type PayoutMessage = z.output<typeof PayoutMessage>;

export interface Rest {
  message: PayoutMessage;
  delaySeconds?: number;
}

const indexDelaySeconds = 10;
/** A longer lag is a fault: the message becomes a dead letter. */
const maxRounds = 30;

const runPhase = async (message: PayoutMessage, phases: readonly Phase[]): Promise<Rest | undefined> => {
  const { phase, after, round } = message;
  const run = phases[phase];
  if (!run) return undefined;
  try {
    const next = await run(after);
    if (next !== undefined) return { message: { ...message, after: next } };
    return phase + 1 < phases.length ? { message: { ...message, phase: phase + 1, after: undefined } } : undefined;
  } catch (error) {
    if (!(error instanceof NotAllSeen) || round === maxRounds) throw error;
    return {
      message: { ...message, phase: 0, after: undefined, round: round + 1 },
      delaySeconds: indexDelaySeconds,
    };
  }
};

const phasesOfStep = (programId: string, batch: StoredPayoutBatch, now: Date): Phase[] => {
  switch (batch.step) {
    case 'CLAIMING':
      return claimPhases(programId, batch, now);
    case 'SETTLING':
      return settlePhases(programId, batch);
    case 'RELEASING':
      return releaseDroppedPhases(programId, batch.id, now);
    default:
      return [];
  }
};

const stepAfter = async (programId: string, { id, step }: StoredPayoutBatch) => {
  if (step === 'CLAIMING') return 'SETTLING';
  return step === 'SETTLING' && (await hasDroppedPayouts(programId, id)) ? 'RELEASING' : 'SUMMING';
};

const prepare = async (message: PayoutMessage, batch: StoredPayoutBatch, now: Date): Promise<Rest | undefined> => {
  const { programId, batchId, task } = message;
  if (batch.step === 'DONE') return undefined;
  // A position of an earlier step is void: whoever ended that step may have died before its next message.
  const atStep = message.step === batch.step ? message : { programId, batchId, task, phase: 0, round: 0 };
  const rest = await runPhase({ ...atStep, step: batch.step }, phasesOfStep(programId, batch, now));
  if (rest) return rest;
  if (batch.step === 'SUMMING') {
    await finishPreparation(programId, batchId, now);
    return undefined;
  }
  const step = await stepAfter(programId, batch);
  await moveToStep(programId, batch, step);
  return { message: { programId, batchId, task, step, phase: 0, round: 0 } };
};

/** A bounded part; returns the next message. Every write is conditional, so it may be repeated or killed. */
export const workOnPayoutBatch = async (message: PayoutMessage, now: Date): Promise<Rest | undefined> => {
  const { programId, batchId, task } = message;
  const batch = await payoutBatches.get(programId, batchId);
  try {
    if (task === 'release')
      return batch ? undefined : await runPhase(message, releaseAllPhases(programId, batchId, now));
    if (!batch) return undefined;
    if (task === 'prepare') return await prepare(message, batch, now);
    return batch.status === 'PAID' ? await runPhase(message, payPhases(programId, batch, now)) : undefined;
  } catch (error) {
    if (error instanceof BatchMovedOn) return undefined;
    throw error;
  }
};
