import { setTimeout as sleep } from 'node:timers/promises';
import { events } from '../../shared/webhooks/delivery/repository.ts';

export interface MadeEvent {
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects, and fails where they are not
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  previousAttributes?: any;
}

const maxWaitMilliseconds = 30_000;

/** Asks again and again until it gets a response that is not undefined or false; fails after some seconds. */
export const eventually = async <Result>(
  what: string,
  ask: () => Promise<Result | undefined | false>,
  milliseconds = maxWaitMilliseconds,
): Promise<Result> => {
  const deadline = performance.now() + milliseconds;
  // Less and less often, so that the asking does not keep the response from coming.
  for (let pauseMilliseconds = 50; ; pauseMilliseconds = Math.min(pauseMilliseconds * 1.3, 1000)) {
    const response = await ask();
    if (response !== undefined && response !== false) return response;
    if (performance.now() > deadline) throw new Error(`Not within ${milliseconds / 1000} s: ${what}`);
    await sleep(pauseMilliseconds);
  }
};

/** Every event that a program has made so far, oldest first. */
const eventsOf = async (programId: string): Promise<MadeEvent[]> => {
  const made: MadeEvent[] = [];
  let after: string | undefined;
  do {
    const page = await events.page(programId, { limit: 100, after });
    made.push(...page.items.map(({ body }) => JSON.parse(body)));
    after = page.next;
  } while (after);
  return made.reverse();
};

/** The events of a type, as soon as the program has made that many; fails after some seconds, with their number. */
export const eventsUntil = async (programId: string, type: string, count: number, milliseconds?: number) => {
  if (count < 1) throw new Error(`Waiting for ${count} ${type} would prove nothing`);
  let made: MadeEvent[] = [];
  const areEnough = async () => {
    made = (await eventsOf(programId)).filter((event) => event.type === type);
    return made.length >= count;
  };
  await eventually(`${count} ${type}`, areEnough, milliseconds).catch((error: unknown) => {
    throw new Error(`Only ${made.length} of ${count} ${type}`, { cause: error });
  });
  return made;
};

/** How many events of each type a program has made so far. */
export const eventCounts = async (programId: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { type } of await eventsOf(programId)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};
