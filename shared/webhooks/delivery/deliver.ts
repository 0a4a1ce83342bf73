import { includesWebhooks } from '../../domain/programs/accounts.ts';
import { programs, type StoredProgram } from '../../domain/programs/repository.ts';
import { logWarning } from '../../platform/logs/log.ts';
import { sendBatch } from '../../platform/queue/send-batch.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';
import { isOwn, webhooks } from '../endpoints/repository.ts';
import { type AttemptEnd, afterAttempt, type StoredWebhook } from '../endpoints/rules.ts';
import { signingSecrets } from '../endpoints/secrets.ts';
import { changeDelivery } from './change-delivery.ts';
import { type DeliveryMessage, outgoingDelivery } from './delivery-message.ts';
import {
  type Attempt,
  cancelled,
  endpointDeleted,
  isUndelivered,
  type StoredDelivery,
  withAttempt,
  withAttemptBeside,
} from './delivery-rules.ts';
import { acquireSlot, knownWait } from './in-flight.ts';
import { deliveries, events, type StoredEvent } from './repository.ts';
import { retryAfterSeconds, retrySchedule, waitSeconds } from './retry-schedule.ts';
import type { Posted, Posting } from './send.ts';
import { signatureHeaders } from './signature.ts';

export interface Outside {
  post: (posting: Posting) => Promise<Posted>;
  now: () => Date;
  random: () => number;
}

export interface Outcome {
  delivered: boolean;
  /** From the change to the first attempt; undefined for any other attempt. */
  lagMilliseconds: number | undefined;
  deactivated: boolean;
}

/** The message in hand comes again and sends it then. */
class NotSent extends Error {
  override name = 'NotSent';
}

const enqueue = async (message: DeliveryMessage, dueInMilliseconds: number): Promise<void> => {
  const failed = await sendBatch('deliveries', [outgoingDelivery(message, dueInMilliseconds)]);
  if (failed.size > 0) throw new NotSent(`The next message of delivery ${message.deliveryId} was not sent`);
};

const dueIn = ({ nextAttemptAt }: StoredDelivery, now: Date): number =>
  nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt) - now.getTime();

const errorOf = ({ error, status }: Posted): string | null => {
  if (error !== null) return error;
  if (status !== null && status >= 200 && status < 300) return null;
  return status !== null && status >= 300 && status < 400
    ? `returned ${status}: redirects are not followed`
    : `returned ${status}`;
};

const logFailedAttempt = (
  { programId, deliveryId, eventId, webhookId, attempt, byHand }: DeliveryMessage,
  { responseStatus, error, durationMilliseconds }: Attempt,
): void =>
  logWarning('webhook attempt failed', {
    programId,
    deliveryId,
    eventId,
    webhookId,
    attempt,
    requestedAt: byHand?.requestedAt,
    responseStatus,
    error,
    durationMilliseconds,
  });

const whyNotWanted = (
  event: StoredEvent | undefined,
  webhook: StoredWebhook | undefined,
  program: StoredProgram | undefined,
): string | undefined => {
  if (!program) return 'The program was deleted';
  if (!includesWebhooks(program.plan)) return `The ${program.plan} plan does not include webhooks`;
  if (!webhook) return endpointDeleted;
  if (!webhook.active) return 'The endpoint is not active';
  return event ? undefined : 'The event has expired';
};

const updateEndpoint = async (programId: string, read: StoredWebhook, end: AttemptEnd, now: Date): Promise<boolean> => {
  // What was read decides nearly always, which saves a read.
  if (!afterAttempt(read, end, now)) return false;
  return retryOnConflict(async () => {
    const webhook = await webhooks.get(programId, read.id);
    // The response of another URL says nothing about this one.
    const after = webhook?.url === read.url ? afterAttempt(webhook, end, now) : undefined;
    if (!webhook || !after) return false;
    if (end.responseStatus === 410 && !isOwn(webhook)) {
      await writeTogether([
        ...webhooks.deleteWrites(programId, webhook),
        webhooks.revocationWrite(programId, webhook.id, now),
      ]);
      return true;
    }
    // `failingSince` is no edit, but a success in between must keep the endpoint active.
    const how = { isEdit: after.active !== webhook.active, still: ['failingSince'] } as const;
    if (!(await writeAlone(webhooks.updateWrites(programId, webhook, after, how))))
      throw new ConcurrentModificationError(`Webhook ${read.id} changed`);
    return !after.active;
  });
};

interface Wanted {
  delivery: StoredDelivery;
  event: StoredEvent;
  webhook: StoredWebhook;
}

interface Sent {
  attempt: Attempt;
  posted: Posted;
  now: Date;
}

/** Undefined if the endpoint has no free slot: the message comes again. */
const sendEvent = async (message: DeliveryMessage, wanted: Wanted, outside: Outside): Promise<Sent | undefined> => {
  const { programId } = message;
  const { event, webhook } = wanted;
  const startedAt = outside.now();
  const secrets = await signingSecrets(programId, webhook, startedAt);
  const signed = { eventId: event.id, body: event.body, secrets, now: startedAt };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'affiliate-program-webhooks/1',
    ...signatureHeaders(signed),
  };
  const slot = await acquireSlot(programId, webhook, outside);
  if ('waitMilliseconds' in slot) {
    await enqueue(message, slot.waitMilliseconds);
    return undefined;
  }
  const postedAt = outside.now();
  const posted = await outside.post({ url: webhook.url, headers, body: event.body });
  const now = outside.now();
  await slot.leave(now);
  const attempt: Attempt = {
    attemptedAt: startedAt.toISOString(),
    durationMilliseconds: now.getTime() - postedAt.getTime(),
    responseStatus: posted.status,
    responseBody: posted.body,
    error: errorOf(posted),
  };
  return { attempt, posted, now };
};

const attemptBySchedule = async (
  message: DeliveryMessage,
  wanted: Wanted,
  outside: Outside,
): Promise<Outcome | undefined> => {
  const { programId } = message;
  const sent = await sendEvent(message, wanted, outside);
  if (!sent) return undefined;
  const { attempt, posted, now } = sent;
  const { error } = attempt;
  // 410 ends the endpoint and its waiting deliveries.
  const waits = posted.status === 410 ? [] : retrySchedule();
  const asked = retryAfterSeconds(posted.retryAfter, now);
  const wait = error === null ? undefined : waitSeconds(waits, message.attempt, asked, outside.random());
  const nextAttemptAt = wait === undefined ? undefined : new Date(now.getTime() + wait * 1000);
  // First the table, then the message: if we die in between, this message comes again.
  const after = await changeDelivery(programId, wanted.delivery, (delivery) => {
    if (delivery.attempts.length !== message.attempt - 1) return undefined;
    return delivery.status === 'PENDING'
      ? withAttempt(delivery, attempt, nextAttemptAt, now)
      : withAttemptBeside(delivery, 'attempts', attempt, now);
  });
  if (!after) return undefined;
  if (error !== null) logFailedAttempt(message, attempt);
  const end = {
    succeeded: error === null,
    responseStatus: posted.status,
    isLast: nextAttemptAt === undefined,
    durationMilliseconds: attempt.durationMilliseconds,
  };
  const [deactivated] = await Promise.all([
    updateEndpoint(programId, wanted.webhook, end, now),
    after.status === 'PENDING' && enqueue({ ...message, attempt: message.attempt + 1 }, dueIn(after, outside.now())),
  ]);
  const lagMilliseconds = Date.parse(attempt.attemptedAt) - Date.parse(wanted.event.createdAt);
  return {
    delivered: error === null,
    // A failing endpoint waits for its own slots, which is no lag of ours. Clocks of two Lambdas differ.
    lagMilliseconds:
      message.attempt === 1 && wanted.webhook.failingSince === null ? Math.max(0, lagMilliseconds) : undefined,
    deactivated,
  };
};

/** Message and request may both come twice. */
const wasMadeByHand = ({ manualAttempts }: StoredDelivery, requestedAt: string): boolean =>
  manualAttempts.some(({ attemptedAt }) => attemptedAt >= requestedAt);

/** Leaves the schedule unchanged unless it succeeds. */
const attemptAtOnce = async (
  message: DeliveryMessage,
  { requestedAt, isForUndeliveredOnly }: NonNullable<DeliveryMessage['byHand']>,
  wanted: Wanted,
  outside: Outside,
): Promise<Outcome | undefined> => {
  const { delivery, webhook } = wanted;
  if (wasMadeByHand(delivery, requestedAt) || (isForUndeliveredOnly && !isUndelivered(delivery))) return undefined;
  const sent = await sendEvent(message, wanted, outside);
  if (!sent) return undefined;
  const { attempt, posted, now } = sent;
  await changeDelivery(message.programId, delivery, (current) =>
    withAttemptBeside(current, 'manualAttempts', attempt, now),
  );
  const succeeded = attempt.error === null;
  if (!succeeded) logFailedAttempt(message, attempt);
  const { durationMilliseconds } = attempt;
  const end = { succeeded, responseStatus: posted.status, isLast: false, durationMilliseconds };
  const deactivated = await updateEndpoint(message.programId, webhook, end, now);
  return { delivered: succeeded, lagMilliseconds: undefined, deactivated };
};

/** If the worker died after it recorded the last attempt; one that was edited since keeps the edit. */
const endEndpoint = async (
  programId: string,
  { status, attempts, updatedAt }: StoredDelivery,
  webhook: StoredWebhook | undefined,
  now: Date,
): Promise<Outcome | undefined> => {
  const last = attempts.at(-1);
  if (status !== 'FAILED' || !last || !webhook || webhook.updatedAt > updatedAt) return undefined;
  const { responseStatus, durationMilliseconds } = last;
  const end = { succeeded: false, responseStatus, isLast: true, durationMilliseconds };
  const deactivated = await updateEndpoint(programId, webhook, end, now);
  return deactivated ? { delivered: false, lagMilliseconds: undefined, deactivated } : undefined;
};

/** Throws only for our own failures; undefined if no attempt counts. docs/behavior.md#attempts */
export const deliver = async (message: DeliveryMessage, outside: Outside): Promise<Outcome | undefined> => {
  const { programId, deliveryId, eventId, webhookId, byHand } = message;
  const wait = knownWait(webhookId, outside);
  if (wait !== undefined) {
    await enqueue(message, wait);
    return undefined;
  }
  const [delivery, event, webhook, program] = await Promise.all([
    deliveries.get(programId, deliveryId),
    events.get(programId, eventId),
    webhooks.get(programId, webhookId),
    programs.get(programId, programId),
  ]);
  if (!delivery) return undefined;
  const notWanted = whyNotWanted(event, webhook, program);
  if (byHand) {
    if (notWanted || !event || !webhook) return undefined;
    return attemptAtOnce(message, byHand, { delivery, event, webhook }, outside);
  }
  const now = outside.now();
  const recorded = delivery.attempts.length;
  if (message.attempt < recorded) return undefined;
  if (delivery.status !== 'PENDING') return endEndpoint(programId, delivery, webhook, now);
  // Recorded already: perhaps the next message was never sent.
  if (message.attempt === recorded) {
    await enqueue({ ...message, attempt: recorded + 1 }, dueIn(delivery, now));
    return undefined;
  }
  if (notWanted || !event || !webhook) {
    await changeDelivery(programId, delivery, (current) =>
      current.status === 'PENDING' ? cancelled(current, notWanted ?? 'Nothing is left to send', now) : undefined,
    );
    return undefined;
  }
  // The first attempt never waits: the event's time is another Lambda's clock.
  const waitMilliseconds = recorded === 0 ? 0 : dueIn(delivery, now);
  if (waitMilliseconds > 0) {
    await enqueue(message, waitMilliseconds);
    return undefined;
  }
  return attemptBySchedule(message, { delivery, event, webhook }, outside);
};
