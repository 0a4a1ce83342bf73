import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, endStack, type StartedStack, startStack } from '../local/started-stack.ts';

// Run by hand, for minutes: `npx node test/bench/event-feed.ts [seconds] [kills]`. Makes 50 changes a second, among them
// deletions with cascades, while three pollers follow the feed, each with pages of another size, and while the stack is killed
// with SIGKILL at random moments. Afterwards every poller must have seen every event that GET /events lists, none twice, and all of
// them in the same order. For comparison, a fourth one polls by createdAfter. Exit code 1 where a poller missed or repeated one.

const [seconds = 120, kills = 3] = process.argv.slice(2).map(Number);
const changesPerSecond = 50;
const settleSeconds = 15 * 60;

process.env.RATE_LIMIT_READS = '1000000';
process.env.RATE_LIMIT_WRITES = '1000000';

const dataFolder = mkdtempSync(join(tmpdir(), 'event-feed-'));
/** The stack that runs now; while it is being started again, the promise of it. */
let running: Promise<StartedStack> = startStack(dataFolder);
const { apiKey } = await running;
const headers = { authorization: `Bearer ${apiKey}` };

const call = async (method: string, path: string, body?: unknown) => {
  const { baseUrl } = await running;
  return callApi({ baseUrl, apiKey }, method, path, body).catch(() => undefined);
};

interface Listed {
  id: string;
  timestamp: string;
}

/** A request that is repeated until it succeeds. */
const ask = async (path: string): Promise<{ events: Listed[]; headers: Headers }> => {
  for (;;) {
    try {
      const { baseUrl } = await running;
      const response = await fetch(`${baseUrl}${path}`, { headers });
      if (response.status === 200) return { events: (await response.json()) as Listed[], headers: response.headers };
    } catch {
      // Killed meanwhile.
    }
    await sleep(200);
  }
};

let isOver = false;

interface Poller {
  seen: string[];
  done: Promise<void>;
}

const follow = (limit: number): Poller => {
  const seen: string[] = [];
  const poll = async (): Promise<void> => {
    let after = 'start';
    for (;;) {
      const wasOver = isOver;
      const page = await ask(`/events?limit=${limit}&after=${after}`);
      seen.push(...page.events.map(({ id }) => id));
      after = page.headers.get('next-after') ?? '';
      if (page.headers.has('link')) continue;
      if (wasOver) return;
      await sleep(500);
    }
  };
  return { seen, done: poll() };
};

/** As clients do without a feed: the newest time that they saw, and what came since. */
const followByTime = (): Poller => {
  const seen = new Set<string>();
  const list: string[] = [];
  const poll = async (): Promise<void> => {
    let since = '2020-01-01T00:00:00.000Z';
    for (;;) {
      const wasOver = isOver;
      const found: Listed[] = [];
      let path: string | undefined = `/events?limit=100&createdAfter=${since}`;
      while (path) {
        const page: Awaited<ReturnType<typeof ask>> = await ask(path);
        found.push(...page.events);
        path = /cursor=([^>&]+)/.exec(page.headers.get('link') ?? '')?.[1];
        if (path) path = `/events?limit=100&createdAfter=${since}&cursor=${path}`;
      }
      for (const { id } of found.reverse()) if (!seen.has(id)) list.push(id);
      for (const { id } of found) seen.add(id);
      since =
        found
          .map(({ timestamp }) => timestamp)
          .sort()
          .at(-1) ?? since;
      if (wasOver) return;
      await sleep(500);
    }
  };
  return { seen: list, done: poll() };
};

const affiliateIds: string[] = [];
let accepted = 0;
let failed = 0;

const makeChange = async (): Promise<void> => {
  const kind = randomInt(10);
  const affiliateId = affiliateIds[randomInt(Math.max(1, affiliateIds.length))];
  const email = `${randomUUID()}@example.com`;
  let response: Awaited<ReturnType<typeof call>>;
  if (!affiliateId || kind === 0) {
    response = await call('POST', '/affiliates', { email, firstName: 'Amara' });
    if (response?.status === 200) affiliateIds.push(String(response.body.id));
  } else if (kind === 1 && affiliateIds.length > 20) {
    affiliateIds.splice(affiliateIds.indexOf(affiliateId), 1);
    response = await call('DELETE', '/affiliates', { affiliateId });
  } else if (kind < 4) response = await call('POST', '/referrals', { name: 'Priya', email, affiliateId });
  else if (kind < 5) response = await call('POST', '/coupons', { name: 'Spring', percentOff: 20 });
  else response = await call('POST', '/sales', { totalEarned: 10, referralId: affiliateId });
  if (response?.status === 200) accepted += 1;
  else failed += 1;
};

const pollers = [follow(10), follow(37), follow(100)];
const byTime = followByTime();
const killAt = new Set(
  Array.from({ length: kills }, (_, at) => Math.round(((at + 0.5 + Math.random() / 4) * seconds) / kills)),
);
const changes: Promise<void>[] = [];
const startedAt = performance.now();
for (let second = 0; second < seconds; second++) {
  if (killAt.has(second)) {
    const stack = await running;
    running = endStack(stack, 'SIGKILL').then(() => startStack(dataFolder));
  }
  for (let change = 0; change < changesPerSecond; change++)
    changes.push(sleep((change * 1000) / changesPerSecond).then(makeChange));
  const wait = startedAt + (second + 1) * 1000 - performance.now();
  // A stack that does not keep up gets no more than it can take.
  await (wait > 0 ? sleep(wait) : Promise.all(changes));
}
await Promise.all(changes);
const changedSeconds = (performance.now() - startedAt) / 1000;

const listAll = async (): Promise<string[]> => {
  const ids: string[] = [];
  let cursor = '';
  do {
    const page = await ask(`/events?limit=100${cursor && `&cursor=${cursor}`}`);
    ids.push(...page.events.map(({ id }) => id));
    cursor = /cursor=([^>&]+)/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  } while (cursor);
  return ids;
};

/** What was in flight at a kill comes again after minutes; then nothing comes any more. */
const deadline = performance.now() + settleSeconds * 1000;
let all = await listAll();
for (let quietRounds = 0; quietRounds < 4 && performance.now() < deadline; ) {
  await sleep(15_000);
  const now = await listAll();
  quietRounds = now.length === all.length ? quietRounds + 1 : 0;
  all = now;
}
isOver = true;
await Promise.all([...pollers, byTime].map(({ done }) => done));

const missedBy = ({ seen }: Poller): number => {
  const known = new Set(seen);
  return all.filter((id) => !known.has(id)).length;
};
const repeatedBy = ({ seen }: Poller): number => seen.length - new Set(seen).size;
const [first] = pollers;
const faults = {
  'missed by the pollers': pollers.map(missedBy).join(),
  'seen twice by the pollers': pollers.map(repeatedBy).join(),
  'pollers with another order': pollers.filter(({ seen }) => seen.join() !== first?.seen.join()).length,
};
console.table({
  seconds: Math.round(changedSeconds),
  'accepted changes': accepted,
  'accepted changes a second': Math.round(accepted / changedSeconds),
  'refused, or response lost in a kill': failed,
  kills: killAt.size,
  events: all.length,
  ...faults,
  'missed by the poller with createdAfter': missedBy(byTime),
});
await endStack(await running);
rmSync(dataFolder, { recursive: true, force: true });
const isFaulty = [...pollers.map(missedBy), ...pollers.map(repeatedBy), faults['pollers with another order']].some(
  Boolean,
);
process.exit(isFaulty ? 1 : 0);
