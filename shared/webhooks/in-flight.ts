import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { deployedName, documents } from '../table/client.ts';
import { partition } from '../table/partition.ts';
import { retryPassing } from '../table/transaction.ts';
import type { StoredWebhook } from './rules.ts';

/**
 * How many attempts of one endpoint run at the same time. Fair queues put the others' deliveries first, but only where
 * the worker has room: an endpoint that hangs until the deadline would hold all of it. So it gets a part, and what
 * exceeds that part goes back to the queue. An attempt is counted in the minute in which it began, so that what a worker
 * held when it died is free again in the next one; at the turn of a minute there may be twice as many for a while.
 * Decisions, section 4: one slow or dead endpoint delays nobody else's deliveries.
 */
const mostInFlight = 16;
/** Of an endpoint that has done nothing but fail for so long; one that fails now and then keeps its part. */
const mostInFlightWhileFailing = 2;
const failingForMilliseconds = 60_000;
const windowMilliseconds = 60_000;

/** An endpoint with no beginning and no end of an attempt for so long hangs. */
const stuckAfterMilliseconds = 2000;

/** How long what finds no place stays away, in seconds, by chance from a range: all would come back at once else. */
const waits = { moving: [1, 3], stuck: [30, 90] } as const;
/** How long this worker takes an endpoint for full without asking again. */
const rememberedMilliseconds = { moving: 50, stuck: 10_000 } as const;
type Pace = keyof typeof waits;

const full = new Map<string, { pace: Pace; until: number }>();
const mostRemembered = 10_000;

const remember = (webhookId: string, pace: Pace, now: Date): void => {
  if (full.size >= mostRemembered) full.clear();
  full.set(webhookId, { pace, until: now.getTime() + rememberedMilliseconds[pace] });
};

const waitMilliseconds = (pace: Pace, random: number): number => {
  const [least, most] = waits[pace];
  return (least + (most - least) * random) * 1000;
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
    await retryPassing(() => documents.send(command));
  } catch (error) {
    // The attempt was made: its record matters, and must not be lost for this.
    console.error(JSON.stringify({ level: 'ERROR', message: 'place not given back', ...key, error: String(error) }));
  }
};

/**
 * The milliseconds that a message for an endpoint should stay away, because this worker has just seen that the endpoint
 * has no place; undefined when it may have one. Costs nothing.
 * @param random from 0 up to, but not including, 1
 */
export const knownWait = (webhookId: string, now: Date, random: number): number | undefined => {
  const seen = full.get(webhookId);
  return seen && now.getTime() < seen.until ? waitMilliseconds(seen.pace, random) : undefined;
};

/**
 * Takes a place for one attempt of an endpoint, in one conditional write. Answers what gives the place back, which is
 * another write; or, where all are taken, the milliseconds that the message should stay away.
 * @param random from 0 up to, but not including, 1
 */
export const takePlace = async (
  programId: string,
  { id, failingSince }: Pick<StoredWebhook, 'id' | 'failingSince'>,
  now: Date,
  random: number,
): Promise<{ leave: (now: Date) => Promise<void> } | { waitMilliseconds: number }> => {
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
    await retryPassing(() => documents.send(command));
    return { leave: (endedAt) => leave(key, endedAt) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    const { lastAt } = Counter.parse(unmarshall(error.Item));
    const pace = now.getTime() - lastAt > stuckAfterMilliseconds ? 'stuck' : 'moving';
    remember(id, pace, now);
    return { waitMilliseconds: waitMilliseconds(pace, random) };
  }
};
