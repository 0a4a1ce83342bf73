import { setTimeout as sleep } from 'node:timers/promises';
import { logError } from '../../platform/logs/log.ts';
import { updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import type { StoredWebhook } from '../endpoints/rules.ts';

/**
 * Fair queues help only while the worker has room, so each endpoint and program gets a share.
 * docs/behavior.md#delivery-slots
 */
const maxOfEndpoint = 24;
/** If it has only failed for so long; occasional failures keep the share. */
const maxOfFailingEndpoint = 2;
const failingForMilliseconds = 60_000;
/** Half of the worker's concurrency (shared/contract/workers.ts). */
const maxOfProgram = 40;
/** Shared by the endpoints of all programs that hang or are new. */
const pool = { max: 24, maxOfProgram: 2, maxOfEndpoint: 1 } as const;
const everyProgram = '00000000-0000-0000-0000-000000000000';
/** An attempt counts in the minute in which it began: slots of a worker that died are free in the next one. */
const windowMilliseconds = 60_000;

type SlotTaker = Pick<StoredWebhook, 'id' | 'failingSince' | 'isResponsive'>;

/** Without a start or end of an attempt for so long, an endpoint hangs. */
const stuckAfterMilliseconds = 2000;

/** In seconds, random: otherwise all would return at once. */
const waits = { moving: [0, 2], stuck: [30, 90] } as const;
type Pace = keyof typeof waits;

const waitMilliseconds = (pace: Pace, random: number): number => {
  const [least, most] = waits[pace];
  return (least + (most - least) * random) * 1000;
};

/** In milliseconds: an endpoint that responds soon has a free slot. */
const triesAgainAfter = [60, 120, 240, 480, 960] as const;
/** A pool member may hang, so the worker's time is better spent on others. */
const triesAgainInPool = triesAgainAfter.slice(0, 2);

const rememberedMilliseconds = 10_000;
const stuckUntil = new Map<string, number>();
const maxRemembered = 10_000;

const rememberStuck = (webhookId: string, now: Date): void => {
  if (stuckUntil.size >= maxRemembered) stuckUntil.clear();
  stuckUntil.set(webhookId, now.getTime() + rememberedMilliseconds);
};

/** One item of counters: the total, and members with their maximum. */
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

/** The random end: whole ids would make the item large. */
const shortId = (id: string): string => id.slice(-12);
const countOf = (id: string): string => `n${shortId(id)}`;
const lastOf = (id: string): string => `t${shortId(id)}`;

const keyOf = ({ pk }: Share, now: Date) => ({ pk, sk: String(Math.floor(now.getTime() / windowMilliseconds)) });

const countingOf = ({ members }: Share, by: 1 | -1, now: Date) => ({
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

/** If this fails, the next minute starts without it. */
const leave = async (share: Share, key: ReturnType<typeof keyOf>, now: Date): Promise<void> => {
  const counting = { ...countingOf(share, -1, now), ConditionExpression: 'attribute_exists(pk)' };
  try {
    await updateItem('traffic', key, counting);
  } catch (error) {
    // The attempt was made: its record must not be lost for this.
    logError('slot not given back', error, key);
  }
};

interface Slot {
  leave: (now: Date) => Promise<void>;
}

const paceOf = (item: Record<string, unknown>, { members }: Share, now: Date): Pace => {
  const full = members.find(({ id, max }) => Number(item[countOf(id)] ?? 0) >= max);
  const lastAt = Number(full ? item[lastOf(full.id)] : item.lastAt);
  return now.getTime() - lastAt > stuckAfterMilliseconds ? 'stuck' : 'moving';
};

const tryToAcquire = async (programId: string, webhook: SlotTaker, now: Date): Promise<Slot | Pace> => {
  const share = shareOf(programId, webhook, now);
  const key = keyOf(share, now);
  const counting = countingOf(share, 1, now);
  const below = (name: string, max: string) => `(attribute_not_exists(${name}) OR ${name} < ${max})`;
  const counted = await updateItem('traffic', key, {
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
  if (counted.isWritten) return { leave: (endedAt) => leave(share, key, endedAt) };
  return paceOf(counted.item ?? {}, share, now);
};

interface Surroundings {
  now: () => Date;
  random: () => number;
}

export const knownWait = (webhookId: string, { now, random }: Surroundings): number | undefined =>
  now().getTime() < (stuckUntil.get(webhookId) ?? 0) ? waitMilliseconds('stuck', random()) : undefined;

/** Retries for two seconds at most while attempts move; otherwise returns the milliseconds to stay away. */
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
