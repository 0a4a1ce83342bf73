import { includesWebhooks } from '../../domain/programs/accounts.ts';
import { programs } from '../../domain/programs/repository.ts';
import type { Outgoing } from '../../platform/queue/send-batch.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';
import { webhooks } from '../endpoints/repository.ts';
import { missedBetween, type StoredWebhook, wantsEvent } from '../endpoints/rules.ts';
import { attemptByHand, firstAttempt } from './delivery-message.ts';
import { newDelivery } from './delivery-rules.ts';
import type { RedeliveryMessage } from './redelivery-message.ts';
import { deliveries, events, type StoredEvent, undeliveredTo } from './repository.ts';

/** Both throw if a message was not accepted. */
export interface RedeliveryQueues {
  sendAttempts: (outgoing: readonly Outgoing[]) => Promise<void>;
  goOn: (message: RedeliveryMessage, delaySeconds: number) => Promise<void>;
}

/** 50 per second: a recovered endpoint is not overrun. */
const maxInOneStep = 100;
const pauseSeconds = 2;

interface StepResult {
  outgoing: Outgoing[];
  next: string | undefined;
}

/** A repeated message finds its attempt made. */
const failedStep = async ({
  programId,
  webhookId,
  since,
  requestedAt,
  after,
}: RedeliveryMessage): Promise<StepResult> => {
  const request = { limit: maxInOneStep, after, createdAfter: since, createdBefore: requestedAt };
  const page = await deliveries.page(programId, request, undeliveredTo(webhookId));
  const byHand = { requestedAt, isForUndeliveredOnly: true };
  return { outgoing: page.items.map((delivery) => attemptByHand(programId, delivery, byHand)), next: page.next };
};

const missedStep = async (
  { programId, since, after }: RedeliveryMessage,
  webhook: StoredWebhook,
): Promise<StepResult> => {
  const missed = missedBetween(webhook, since);
  if (!missed) return { outgoing: [], next: undefined };
  const request = { limit: maxInOneStep, after, createdAfter: missed.from, createdBefore: missed.until };
  // A test event is for one endpoint and has its delivery.
  const isWanted = ({ type }: StoredEvent) => type !== 'webhook.test' && wantsEvent(webhook, type);
  const page = await events.page(programId, request, undefined, isWanted);
  const wanted = page.items.map(({ id, type, createdAt }) => newDelivery({ id, type, timestamp: createdAt }, webhook));
  const present = await deliveries.getMany(
    programId,
    wanted.map(({ id }) => id),
  );
  const absent = wanted.filter(({ id }) => !present.has(id));
  await Promise.all(absent.map((delivery) => writeAlone(deliveries.createWrites(programId, delivery))));
  // An earlier run may have died before it sent these messages.
  const notBegun = [...present.values()].filter(
    ({ status, attempts }) => status === 'PENDING' && attempts.length === 0,
  );
  return { outgoing: [...absent, ...notBegun].map((one) => firstAttempt(programId, one)), next: page.next };
};

/** Sends one page and continues by message; may run twice and from any point. docs/behavior.md#redelivery */
export const retryDeliveries = async (message: RedeliveryMessage, queues: RedeliveryQueues): Promise<void> => {
  const { programId, webhookId } = message;
  const [webhook, program] = await Promise.all([
    webhooks.get(programId, webhookId),
    programs.get(programId, programId),
  ]);
  if (!webhook?.active || !program || !includesWebhooks(program.plan)) return;
  const { outgoing, next } = await (message.step === 'FAILED' ? failedStep(message) : missedStep(message, webhook));
  await queues.sendAttempts(outgoing);
  if (next) return queues.goOn({ ...message, after: next }, pauseSeconds);
  if (message.step === 'FAILED') await queues.goOn({ ...message, step: 'MISSED', after: undefined }, 0);
};
