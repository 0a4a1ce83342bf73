import { includesWebhooks } from '../../domain/programs/accounts.ts';
import { programs, type StoredProgram } from '../../domain/programs/repository.ts';
import { sendBatch } from '../../platform/queue/send-batch.ts';
import { RecordChanged, whileChanging } from '../../platform/table/record-store.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';
import { webhooks } from '../endpoints/repository.ts';
import { type AttemptEnd, afterAttempt, type StoredWebhook } from '../endpoints/rules.ts';
import { signingSecrets } from '../endpoints/secrets.ts';
import { type DeliveryMessage, outgoingDelivery } from './delivery-message.ts';
import {
  type Attempt,
  cancelled,
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

/** The world outside, passed in so that tests can stand in for it. */
export interface Outside {
  post: (posting: Posting) => Promise<Posted>;
  now: () => Date;
  /** From 0 up to, but not including, 1. */
  random: () => number;
}

/** What an attempt came to, for whoever counts. */
export interface Outcome {
  /** Whether the receiver has it; otherwise the attempt failed. */
  delivered: boolean;
  /** From the change to the start of the delivery's first attempt; undefined for any other attempt. */
  lagMilliseconds: number | undefined;
  /** Whether it switched the endpoint off. */
  deactivated: boolean;
}

/** Thrown when the queue took no message: the one that is being handled comes again and sends it then. */
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
    ? `answered ${status}: redirects are not followed`
    : `answered ${status}`;
};

const logFailedAttempt = (message: DeliveryMessage, { responseStatus, error, durationMilliseconds }: Attempt): void =>
  console.log(
    JSON.stringify({
      level: 'WARN',
      message: 'webhook attempt failed',
      ...message,
      responseStatus,
      error,
      durationMilliseconds,
    }),
  );

/**
 * Changes a delivery as it then is: another message may have recorded an attempt since it was read, by the schedule or
 * by hand. Answers its new state, or undefined where `apply` finds nothing to change.
 */
const changeDelivery = async (
  programId: string,
  read: StoredDelivery,
  apply: (delivery: StoredDelivery) => StoredDelivery | undefined,
): Promise<StoredDelivery | undefined> => {
  let before: StoredDelivery | undefined = read;
  return whileChanging(async () => {
    before ??= await deliveries.get(programId, read.id);
    const after = before && apply(before);
    if (!before || !after || (await writeAlone(deliveries.change(programId, before, after)))) return after;
    before = undefined;
    throw new RecordChanged(`Delivery ${read.id} changed`);
  });
};

const whyNotWanted = (
  event: StoredEvent | undefined,
  webhook: StoredWebhook | undefined,
  program: StoredProgram | undefined,
): string | undefined => {
  if (!program) return 'The program was deleted';
  if (!includesWebhooks(program.plan)) return `The ${program.plan} plan does not include webhooks`;
  if (!webhook) return 'The endpoint was deleted';
  if (!webhook.active) return 'The endpoint is not active';
  return event ? undefined : 'The event has expired';
};

/** Answers whether the attempt switched the endpoint off. */
const updateEndpoint = async (programId: string, read: StoredWebhook, end: AttemptEnd, now: Date): Promise<boolean> => {
  // What was read with the delivery decides alone in nearly every case, which saves reading it again.
  if (!afterAttempt(read, end, now)) return false;
  return whileChanging(async () => {
    const webhook = await webhooks.get(programId, read.id);
    // What another address answered says nothing about the present one.
    const after = webhook?.url === read.url ? afterAttempt(webhook, end, now) : undefined;
    if (!webhook || !after) return false;
    // Since when it fails is nothing that callers read, but a success in between keeps it on.
    const how = { isEdit: after.active !== webhook.active, still: ['failingSince'] } as const;
    if (!(await writeAlone(webhooks.change(programId, webhook, after, how))))
      throw new RecordChanged(`Webhook ${read.id} changed`);
    return !after.active;
  });
};

/** What an attempt is made of, as it was read. */
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

/** Sends the event, or answers undefined where the endpoint has no place now: the message then comes again. */
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
  // 410 ends the endpoint, and with it what waits for it.
  const waits = posted.status === 410 ? [] : retrySchedule();
  const asked = retryAfterSeconds(posted.retryAfter, now);
  const wait = error === null ? undefined : waitSeconds(waits, message.attempt, asked, outside.random());
  const nextAttemptAt = wait === undefined ? undefined : new Date(now.getTime() + wait * 1000);
  // First the truth in the table, then the message. Between them we may die: this message then comes again.
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
    // What an endpoint that fails has too few places for waits for its own sake. The clocks of two Lambdas differ.
    lagMilliseconds:
      message.attempt === 1 && wanted.webhook.failingSince === null ? Math.max(0, lagMilliseconds) : undefined,
    deactivated,
  };
};

/** Whether an attempt by hand was made since it was asked for: the message may come twice, and so may the request. */
const wasMadeByHand = ({ manualAttempts }: StoredDelivery, requestedAt: string): boolean =>
  manualAttempts.some(({ attemptedAt }) => attemptedAt >= requestedAt);

/** An attempt at once. The schedule stays what it is, numbers and due times included, unless this one succeeds. */
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

/**
 * Handles one message: makes the attempt that it asks for, if the delivery still waits for it or somebody asked for it.
 * A failure of the receiver is recorded and tried again later; only a failure of ours throws. Answers what the attempt
 * came to, or undefined where this message made none that counts. Decisions, section 4.
 */
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
  if (delivery.status !== 'PENDING') return undefined;
  const now = outside.now();
  const recorded = delivery.attempts.length;
  if (message.attempt < recorded) return undefined;
  // Recorded, but this message is here again: perhaps the next one was never sent.
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
  // The first attempt never waits: another Lambda's clock said when the event was.
  const waitMilliseconds = recorded === 0 ? 0 : dueIn(delivery, now);
  if (waitMilliseconds > 0) {
    await enqueue(message, waitMilliseconds);
    return undefined;
  }
  return attemptBySchedule(message, { delivery, event, webhook }, outside);
};
