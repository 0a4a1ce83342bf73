import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSettings, settingVariables } from '../../infra/settings.ts';
import { Settings } from '../../infra/settings-schema.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';

it('docs/operations.md has a row for each setting', () => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` +\|(?:[^|]*\|){4}$/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(
    Object.keys(Settings.shape)
      .filter((name) => name !== 'stage')
      .sort(),
  );
});

it('a stage that nobody named is dev', () => {
  expect(readSettings({}).stage).toBe('dev');
});

it('only the local stage lets webhooks reach loopback', () => {
  expect(readSettings({ STAGE: 'local' }).webhookExtraHosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
  expect(readSettings({ STAGE: 'dev' }).webhookExtraHosts).toEqual([]);
  expect(readSettings({ STAGE: 'prod' }).webhookExtraHosts).toEqual([]);
});

it('only the local stage lets platforms on loopback connect', () => {
  expect(readSettings({ STAGE: 'local' }).connectHosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
  expect(readSettings({ STAGE: 'prod' }).connectHosts).toEqual([]);
  expect(readSettings({ STAGE: 'prod', CONNECT_HOSTS: 'a.example,b.example' }).connectHosts).toEqual([
    'a.example',
    'b.example',
  ]);
});

it('the environment wins over the stage', () => {
  const environment = { STAGE: 'local', RATE_LIMIT_READS: '5', WEBHOOK_RETRY_SECONDS: '1,0.5' };
  expect(readSettings(environment)).toMatchObject({
    rateLimitReads: 5,
    rateLimitWrites: 300,
    webhookRetrySeconds: [1, 0.5],
  });
});

it('an empty variable is none, and spaces in a list are none of it', () => {
  const empty = { STAGE: 'prod', WEBHOOK_RETRY_SECONDS: '', ALARM_EMAIL: '', WEBHOOK_EXTRA_HOSTS: ' ' };
  expect(readSettings(empty)).toEqual(readSettings({ STAGE: 'prod' }));
  expect(readSettings({ STAGE: 'prod', CONNECT_HOSTS: ' a.example, b.example,' }).connectHosts).toEqual([
    'a.example',
    'b.example',
  ]);
});

it.each([
  [{ STAGE: 'staging' }, "none called 'staging'"],
  [{ STAGE: 'constructor' }, "none called 'constructor'"],
  [{ RATE_LIMIT_READS: 'many' }, 'rateLimitReads'],
  [{ RATE_LIMIT_WRITES: '0' }, 'rateLimitWrites'],
  [{ THROTTLE_RATE: '-1' }, 'throttleRate'],
  [{ API_CONCURRENCY: '1.5' }, 'apiConcurrency'],
  [{ DELIVERY_CONCURRENCY: '79' }, 'must be 0 or at least 80'],
  [{ WEBHOOK_RETRY_SECONDS: '1,soon' }, 'webhookRetrySeconds'],
  [{ ALARM_EMAIL: 'operator' }, 'alarmEmail'],
  [{ CONNECTOR_PLATFORM: 'a/b' }, 'connectorPlatform'],
  [{ CONNECTOR_PLATFORM: 'v1' }, 'connectorPlatform'],
  [{ SIGN_IN_DOMAIN_PREFIX: 'a.b' }, 'signInDomainPrefix'],
  [{ SIGN_IN_DOMAIN_PREFIX: 'shop-' }, 'inner hyphens'],
  [{ SIGN_IN_DOMAIN_PREFIX: 'my-awshop' }, 'must not contain aws'],
  [{ ACCOUNT_CONCURRENCY: '0' }, 'must be a whole number from 10 to 1000000\n  → at accountConcurrency'],
  [{ THROTTLE_BURST: '0' }, 'throttleRate and throttleBurst go together: both 0, or both at least 1'],
  [{ THROTTLE_RATE: '0' }, 'throttleRate and throttleBurst go together: both 0, or both at least 1'],
  [{ WEBHOOK_RETRY_SECONDS: '60,2592000' }, 'must be 30 days or less in all'],
  [{ WEBHOOK_RETRY_SECONDS: Array(51).fill('1').join() }, 'webhookRetrySeconds'],
  [{ WORKER_CONCURRENCY: '10' }, 'workerConcurrency'],
])('%o is refused with a message that says %s', (environment, words) => {
  expect(() => readSettings(environment)).toThrow(words);
});

it('anybody may sign up but in production, where the operator invites people unless a stage says otherwise', () => {
  expect(readSettings({ STAGE: 'dev' }).signUp).toBe('open');
  expect(readSettings({ STAGE: 'prod' }).signUp).toBe('invited');
  expect(readSettings({ STAGE: 'prod', SIGN_UP: 'open' }).signUp).toBe('open');
  expect(() => readSettings({ STAGE: 'prod', SIGN_UP: 'closed' })).toThrow('signUp');
});

it('what may be reserved for deliveries is no less than what their queue starts', () => {
  const everyWorker: readonly Worker[] = workers;
  const [delivery] = everyWorker.flatMap(({ trigger }) =>
    trigger.kind === 'queue' && trigger.queue === 'deliveries' ? [trigger] : [],
  );
  const least = String(delivery?.maximumConcurrency);
  expect(readSettings({ DELIVERY_CONCURRENCY: least }).deliveryConcurrency).toBe(Number(least));
});

it('both limits of requests may be left to the account', () => {
  expect(readSettings({ THROTTLE_RATE: '0', THROTTLE_BURST: '0' })).toMatchObject({
    throttleRate: 0,
    throttleBurst: 0,
  });
});

const numeric = Object.entries(settingVariables).filter(
  ([setting]) => typeof readSettings({})[setting as keyof typeof settingVariables] === 'number',
);

it.each(numeric)('%s is a whole number of a range, and the message names both', (setting, variable) => {
  for (const value of ['-1', '1.5', '1e3', '0x10', 'many', 'Infinity', '1000000000'])
    expect(() => readSettings({ [variable]: value })).toThrow(
      new RegExp(`must be a whole number from \\d+ to \\d+\n  → at ${setting}`),
    );
});

it('the table of the numbers that are tried has them all', () => {
  expect(numeric.map(([setting]) => setting)).toEqual([
    'rateLimitReads',
    'rateLimitWrites',
    'throttleRate',
    'throttleBurst',
    'accountConcurrency',
    'apiConcurrency',
    'deliveryConcurrency',
    'formLimit',
    'recordsGeneration',
    'trafficGeneration',
  ]);
});
