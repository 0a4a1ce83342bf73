import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { deployedName, documents } from '../../platform/table/client.ts';
import { partition } from '../../platform/table/partition.ts';
import { retryTransient } from '../../platform/table/retry-transient.ts';
import type { StoredWebhook } from '../endpoints/rules.ts';

/**
 * How many attempts run at the same time. Fair queues put the others' deliveries first, but only where the worker has
 * room: whoever hangs until the deadline would hold all of it. So an endpoint and its program get a part, and what exceeds
 * it goes back to the queue. Endpoints that did not answer soon at their last attempt, and new ones, share a small pool
 * with those of all programs. An attempt is counted in the minute in which it began, so that what a worker held when it
 * died is free again in the next one; at the turn of a minute there may be twice as many for a while.
 */
const maxOfEndpoint = 24;
/** Of an endpoint that has done nothing but fail for so long; one that fails now and then keeps its part. */
const maxOfFailingEndpoint = 2;
const failingForMilliseconds = 60_000;
/** Half of what the worker runs at once (shared/contract/workers.ts). */
const maxOfProgram = 40;
const pool = { max: 24, maxOfProgram: 2, maxOfEndpoint: 1 } as const;
/** Stands for all programs in the key of the pool. */
const everyProgram = '00000000-0000-0000-0000-000000000000';
const windowMilliseconds = 60_000;

/** What an endpoint says of itself when it wants a slot. */
type SlotTaker = Pick<StoredWebhook, 'id' | 'failingSince' | 'isResponsive'>;

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
/** One of the pool may well hang: the worker's time for it is better spent on others. */
const triesAgainInPool = triesAgainAfter.slice(0, 2);

/** How long this worker takes an endpoint for stuck without asking again. */
const rememberedMilliseconds = 10_000;
const stuckUntil = new Map<string, number>();
const mostRemembered = 10_000;

const rememberStuck = (webhookId: string, now: Date): void => {
  if (stuckUntil.size >= mostRemembered) stuckUntil.clear();
  stuckUntil.set(webhookId, now.getTime() + rememberedMilliseconds);
};

/** One item of counters: of all in it, and of its members, each with the most it may count. */
interface Share {
  pk: string;
  max: number;
  members: readonly { id: string; max: number }[];
}

const shareOf = (programId: string, { id, failingSince, isResponsive }: SlotTaker, now: Date): Share => {
  if (!isResponsive)
    return {
      pk: partition(everyProgram, 'IN_FLIGHT'),
      max: pool.max,
      members: [
        { id: programId, max: pool.maxOfProgram },
        { id, max: pool.maxOfEndpoint },
      ],
    };
  const isFailing = failingSince !== null && now.getTime() - Date.parse(failingSince) >= failingForMilliseconds;
  const max = isFailing ? maxOfFailingEndpoint : maxOfEndpoint;
  return { pk: partition(programId, 'IN_FLIGHT'), max: maxOfProgram, members: [{ id, max }] };
};

/** The random end of an id: a whole one in every name would make the item large. */
const shortId = (id: string): string => id.slice(-12);
const countOf = (id: string): string => `n${shortId(id)}`;
const lastOf = (id: string): string => `t${shortId(id)}`;

const keyOf = ({ pk }: Share, now: Date) => ({ pk, sk: String(Math.floor(now.getTime() / windowMilliseconds)) });

/** One update of all counters of a share, and of when they last moved. */
const countingOf = ({ members }: Share, key: ReturnType<typeof keyOf>, by: 1 | -1, now: Date) => ({
  TableName: deployedName('traffic'),
  Key: key,
  UpdateExpression: `ADD inFlight :by${members.map((_, at) => `, #n${at} :by`).join('')} SET lastAt = :now${members
    .map((_, at) => `, #t${at} = :now`)
    .join('')}`,
  ExpressionAttributeNames: Object.fromEntries(
    members.flatMap(({ id }, at) => [
      [`#n${at}`, countOf(id)],
      [`#t${at}`, lastOf(id)],
    ]),
  ),
  ExpressionAttributeValues: { ':by': by, ':now': now.getTime() },
});

/** Counts one attempt less in the minute in which it began. Where that fails, the next minute begins without it. */
const leave = async (share: Share, key: ReturnType<typeof keyOf>, now: Date): Promise<void> => {
  const counting = { ...countingOf(share, key, -1, now), ConditionExpression: 'attribute_exists(pk)' };
  try {
    await retryTransient(() => documents.send(new UpdateCommand(counting)));
  } catch (error) {
    // The attempt was made: its record matters, and must not be lost for this.
    console.error(JSON.stringify({ level: 'ERROR', message: 'slot not given back', ...key, error: String(error) }));
  }
};

/** A slot for one attempt, and what gives it back, which is another write. */
interface Slot {
  leave: (now: Date) => Promise<void>;
}

/** Whether what is full has moved lately: the fullest of its counters tells. */
const paceOf = (item: Record<string, unknown>, { members }: Share, now: Date): Pace => {
  const full = members.find(({ id, max }) => Number(item[countOf(id)] ?? 0) >= max);
  const lastAt = Number(full ? item[lastOf(full.id)] : item.lastAt);
  return now.getTime() - lastAt > stuckAfterMilliseconds ? 'stuck' : 'moving';
};

/** Acquires a slot in one conditional write, or answers how it goes on where all are taken. */
const tryToAcquire = async (programId: string, webhook: SlotTaker, now: Date): Promise<Slot | Pace> => {
  const share = shareOf(programId, webhook, now);
  const key = keyOf(share, now);
  const counting = countingOf(share, key, 1, now);
  const below = (name: string, max: string) => `(attribute_not_exists(${name}) OR ${name} < ${max})`;
  const command = new UpdateCommand({
    ...counting,
    UpdateExpression: `${counting.UpdateExpression}, #ttl = :ttl`,
    ConditionExpression: [
      below('inFlight', ':max'),
      ...share.members.map((_, at) => below(`#n${at}`, `:max${at}`)),
    ].join(' AND '),
    ExpressionAttributeNames: { ...counting.ExpressionAttributeNames, '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ...counting.ExpressionAttributeValues,
      ':max': share.max,
      ...Object.fromEntries(share.members.map(({ max }, at) => [`:max${at}`, max])),
      ':ttl': Math.ceil((now.getTime() + 2 * windowMilliseconds) / 1000),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await retryTransient(() => documents.send(command));
    return { leave: (endedAt) => leave(share, key, endedAt) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    return paceOf(unmarshall(error.Item), share, now);
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
 * Acquires a slot for one attempt of an endpoint. Where all are taken and attempts go on, it tries again for two seconds
 * at most; then, or at once where they hang, it answers the milliseconds that the message should stay away.
 */
export const acquireSlot = async (
  programId: string,
  webhook: SlotTaker,
  { now, random }: Surroundings,
): Promise<Slot | { waitMilliseconds: number }> => {
  let acquired = await tryToAcquire(programId, webhook, now());
  for (const milliseconds of webhook.isResponsive ? triesAgainAfter : triesAgainInPool) {
    if (acquired !== 'moving') break;
    await sleep(milliseconds * (0.5 + random()));
    acquired = await tryToAcquire(programId, webhook, now());
  }
  if (typeof acquired === 'object') return acquired;
  if (acquired === 'stuck') rememberStuck(webhook.id, now());
  return { waitMilliseconds: waitMilliseconds(acquired, random()) };
};
