import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, endStack, type StartedStack, startStack } from '../local/started-stack.ts';
import { startScriptedReceiver } from '../support/receiver.ts';

// Run by hand, for minutes: `npx node test/bench/kill.ts [changes] [kills]`. Kills the stack with SIGKILL at random moments
// while changes are made and three endpoints are told of them: a healthy one, one that fails half the time, and a dead
// one. Afterwards every change that was accepted must have its event, the healthy endpoint every event at least once, and
// no refused change may have any. Exit code 1 where one of these does not hold; the number of duplicates is reported.

const [changes = 2000, kills = 20] = process.argv.slice(2).map(Number);
const maxWaitSeconds = 15 * 60;

process.env.RATE_LIMIT_READS = '1000000';
process.env.RATE_LIMIT_WRITES = '1000000';
process.env.WEBHOOK_RETRY_SECONDS = '1,2,4,8,16,32,64';

const dataFolder = mkdtempSync(join(tmpdir(), 'kill-'));
const receiver = await startScriptedReceiver(({ path }) => {
  if (path === '/dead') return 500;
  return path === '/flaky' && randomInt(2) === 0 ? 503 : 204;
});

/** The stack that runs now; while it is being started again, the promise of it. */
let running: Promise<StartedStack> = startStack(dataFolder);
const killAndStart = async (): Promise<void> => {
  const stack = await running;
  running = endStack(stack, 'SIGKILL').then(() => startStack(dataFolder));
  await running;
};

const { apiKey } = await running;
/** Returns undefined where the stack died meanwhile: nobody knows then whether the change was made. */
const call = async (method: string, path: string, body?: unknown) => {
  const { baseUrl } = await running;
  return callApi({ baseUrl, apiKey }, method, path, body).catch(() => undefined);
};

for (const path of ['/healthy', '/flaky', '/dead']) {
  const made = await call('POST', '/webhooks', { url: receiver.url(path), eventTypes: ['coupon.created'] });
  if (made?.status !== 200) throw new Error(`No endpoint for ${path}: ${JSON.stringify(made?.body)}`);
}

const accepted = new Set<string>();
const refused = new Set<string>();
let unknown = 0;
let begun = 0;
const killAt = new Set<number>();
while (killAt.size < Math.min(kills, changes - 1)) killAt.add(1 + randomInt(changes - 1));

const makeChanges = async (): Promise<void> => {
  while (begun < changes) {
    begun += 1;
    // Somewhere within the requests that are under way, and what follows from those before.
    if (killAt.has(begun)) void sleep(randomInt(60)).then(killAndStart);
    const name = `Coupon ${randomUUID()}`;
    // Every tenth is refused.
    const percentOff = begun % 10 === 0 ? 101 : 20;
    const response = await call('POST', '/coupons', { name, percentOff });
    if (!response) unknown += 1;
    else if (response.status === 200) accepted.add(name);
    else refused.add(name);
  }
};
const startedAt = performance.now();
await Promise.all([1, 2, 3, 4].map(makeChanges));
await running;
const changedSeconds = (performance.now() - startedAt) / 1000;

const nameOf = ({ event }: { event: { data: { name: string } } }): string => event.data.name;
const arrivedNames = () => new Set(receiver.at('/healthy').map(nameOf));
const { baseUrl } = await running;
/** How many events there are of each coupon, by the API's own list. */
const readEvents = async (): Promise<Map<string, number>> => {
  const found = new Map<string, number>();
  let address: string | undefined = `${baseUrl}/events?type=coupon.created&limit=100`;
  while (address) {
    const response: Response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
    const page = (await response.json()) as { data: { name: string } }[];
    for (const { data } of page) found.set(data.name, (found.get(data.name) ?? 0) + 1);
    address = /<(.+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return found;
};

// A message that was in flight at a kill comes again when its visibility ends, after minutes.
const deadline = performance.now() + maxWaitSeconds * 1000;
let eventNames = await readEvents();
const isSettled = () => {
  const arrived = arrivedNames();
  return [...accepted, ...eventNames.keys()].every((name) => eventNames.has(name) && arrived.has(name));
};
while (!isSettled() && performance.now() < deadline) {
  await sleep(10_000);
  eventNames = await readEvents();
}
const settledSeconds = (performance.now() - startedAt) / 1000;

const received = receiver.at('/healthy');
const ids = new Set(received.map(({ headers }) => headers['webhook-id']));
const faults = {
  'accepted changes without an event': [...accepted].filter((name) => !eventNames.has(name)).length,
  'changes with two events': [...eventNames.values()].filter((count) => count > 1).length,
  'events that the healthy endpoint did not get': [...eventNames.keys()].filter((name) => !arrivedNames().has(name))
    .length,
  'refused changes with an event': [...refused].filter((name) => eventNames.has(name)).length,
};
console.table({
  changes,
  kills: killAt.size,
  accepted: accepted.size,
  refused: refused.size,
  'response lost in a kill': unknown,
  'made although the response was lost': [...eventNames.keys()].filter((name) => !accepted.has(name)).length,
  events: eventNames.size,
  'webhooks at the healthy endpoint': received.length,
  'of these, duplicates': received.length - ids.size,
  'webhooks at the one that fails half the time': receiver.at('/flaky').length,
  'webhooks at the dead one': receiver.at('/dead').length,
  'seconds of changes and kills': Math.round(changedSeconds),
  'seconds until all had arrived': Math.round(settledSeconds),
  ...faults,
});
await endStack(await running);
receiver.stop();
if (existsSync(dataFolder)) rmSync(dataFolder, { recursive: true, force: true });
process.exit(Object.values(faults).some((count) => count > 0) ? 1 : 0);
