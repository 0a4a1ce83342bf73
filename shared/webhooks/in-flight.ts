import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { deployedName, documents } from '../table/client.ts';
import { partition } from '../table/partition.ts';
import { retryTransient } from '../table/retry-transient.ts';
import type { StoredWebhook } from './rules.ts';

/**
 * How many attempts of one endpoint run at the same time. Fair queues put the others' deliveries first, but only where
 * the worker has room: an endpoint that hangs until the deadline would hold all of it. So it gets a part, and what
 * exceeds that part goes back to the queue. An attempt is counted in the minute in which it began, so that what a worker
 * held when it died is free again in the next one; at the turn of a minute there may be twice as many for a while.
 * Decisions, section 4: one slow or dead endpoint delays nobody else's deliveries.
 */
const mostInFlight = 24;
/** Of an endpoint that has done nothing but fail for so long; one that fails now and then keeps its part. */
const mostInFlightWhileFailing = 2;
const failingForMilliseconds = 60_000;
const windowMilliseconds = 60_000;

/** An endpoint with no beginning and no end of an attempt for so long hangs. */
const stuckAfterMilliseconds = 2000;

/** How long what finds no place stays away, in seconds, by chance from a range: all would come back at once else. */
const waits = { moving: [0, 2], stuck: [30, 90] } as const;
type Pace = keyof typeof waits;

const waitMilliseconds = (pace: Pace, random: number): number => {
  const [least, most] = waits[pace];
  return (least + (most - least) * random) * 1000;
};

/** Before it stays away, it tries again after so many milliseconds: an endpoint that answers soon has a place free. */
const triesAgainAfter = [60, 120, 240, 480, 960] as const;

/** How long this worker takes an endpoint for stuck without asking again. */
const rememberedMilliseconds = 10_000;
const stuckUntil = new Map<string, number>();
const mostRemembered = 10_000;

const rememberStuck = (webhookId: string, now: Date): void => {
  if (stuckUntil.size >= mostRemembered) stuckUntil.clear();
  stuckUntil.set(webhookId, now.getTime() + rememberedMilliseconds);
};

const mostFor = (failingSince: string | null, now: Date): number =>
  failingSince !== null && now.getTime() - Date.parse(failingSince) >= failingForMilliseconds
    ? mostInFlightWhileFailing
    : mostInFlight;

const Counter = z.object({ lastAt: z.number() });

const keyOf = (programId: string, webhookId: string, now: Date) => ({
  pk: partition(programId, 'IN_FLIGHT', webhookId),
  sk: String(Math.floor(now.getTime() / windowMilliseconds)),
});

/** Counts one attempt less in the minute in which it began. Where that fails, the next minute begins without it. */
const leave = async (key: ReturnType<typeof keyOf>, now: Date): Promise<void> => {
  const command = new UpdateCommand({
    TableName: deployedName('traffic'),
    Key: key,
    UpdateExpression: 'ADD inFlight :less SET lastAt = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':less': -1, ':now': now.getTime() },
  });
  try {
    await retryTransient(() => documents.send(command));
  } catch (error) {
    // The attempt was made: its record matters, and must not be lost for this.
    console.error(JSON.stringify({ level: 'ERROR', message: 'place not given back', ...key, error: String(error) }));
  }
};

/** A place for one attempt, and what gives it back, which is another write. */
interface Place {
  leave: (now: Date) => Promise<void>;
}

/** Takes a place in one conditional write, or answers how the endpoint goes on where all are taken. */
const tryToTake = async (
  programId: string,
  { id, failingSince }: Pick<StoredWebhook, 'id' | 'failingSince'>,
  now: Date,
): Promise<Place | Pace> => {
  const key = keyOf(programId, id, now);
  const command = new UpdateCommand({
    TableName: deployedName('traffic'),
    Key: key,
    UpdateExpression: 'ADD inFlight :one SET lastAt = :now, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(inFlight) OR inFlight < :most',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':one': 1,
      ':most': mostFor(failingSince, now),
      ':now': now.getTime(),
      ':ttl': Math.ceil((now.getTime() + 2 * windowMilliseconds) / 1000),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await retryTransient(() => documents.send(command));
    return { leave: (endedAt) => leave(key, endedAt) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    const { lastAt } = Counter.parse(unmarshall(error.Item));
    return now.getTime() - lastAt > stuckAfterMilliseconds ? 'stuck' : 'moving';
  }
};

/** The clock, and chance: from 0 up to, but not including, 1. */
interface Surroundings {
  now: () => Date;
  random: () => number;
}

/**
 * The milliseconds that a message for an endpoint should stay away, because this worker has just seen that the endpoint
 * hangs with all its places taken; undefined when it may have one. Costs nothing.
 */
export const knownWait = (webhookId: string, { now, random }: Surroundings): number | undefined =>
  now().getTime() < (stuckUntil.get(webhookId) ?? 0) ? waitMilliseconds('stuck', random()) : undefined;

/**
 * Takes a place for one attempt of an endpoint. Where all are taken and the endpoint goes on, it tries again for two seconds;
 * then, or at once where the endpoint hangs, it answers the milliseconds that the message should stay away.
 */
export const takePlace = async (
  programId: string,
  webhook: Pick<StoredWebhook, 'id' | 'failingSince'>,
  { now, random }: Surroundings,
): Promise<Place | { waitMilliseconds: number }> => {
  let taken = await tryToTake(programId, webhook, now());
  for (const milliseconds of triesAgainAfter) {
    if (taken !== 'moving') break;
    await sleep(milliseconds * (0.5 + random()));
    taken = await tryToTake(programId, webhook, now());
  }
  if (typeof taken === 'object') return taken;
  if (taken === 'stuck') rememberStuck(webhook.id, now());
  return { waitMilliseconds: waitMilliseconds(taken, random()) };
};
