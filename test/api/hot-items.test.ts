import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalStack, startLocalStack } from '../../infra/start/local-stack.ts';
import { askStack } from '../support/operator.ts';
import { type ResponseBody, request } from '../support/program.ts';

// A stack whose database cancels transactions that share an item while they are in flight, as DynamoDB does. The stack of
// the other tests never does.

const folder = mkdtempSync(join(tmpdir(), 'hot-items-'));
let stack: LocalStack;

beforeAll(async () => {
  const faults = { conflictsInFlight: true, latencyMilliseconds: 8 };
  stack = await startLocalStack({ port: 0, dataFolder: folder, ephemeral: true, faults });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true });
});

const post = (path: string, body: object): Promise<ResponseBody> =>
  request('POST', `${stack.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const made = async (path: string, body: object) => {
  const response = await post(path, body);
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const conflicts = async (): Promise<number> => {
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: stack.dynamodbEndpoint,
    AWS_ACCESS_KEY_ID: stack.credentials.accessKeyId,
  };
  return JSON.parse(await askStack(environment, 'ReportFaults', {})).conflicts;
};

const sell = (promoCode: string, buyer: number) =>
  post('/sales', { totalEarned: 10, promoCode, email: `${promoCode}-${buyer}@example.com` });
const atOnce = (count: number, send: (at: number) => Promise<ResponseBody>) =>
  Promise.all(Array.from({ length: count }, (_, at) => send(at)));
const statuses = (responses: readonly ResponseBody[]) => new Set(responses.map(({ status }) => status));

describe('requests at once on one item', () => {
  it('never conflict where a code has no limit: its sales share nothing', async () => {
    const { id: couponId } = await made('/coupons', { name: 'Hot', percentOff: 20 });
    const created = await atOnce(20, (at) => post('/promotional-codes', { couponId, code: `BESIDE-${at}` }));
    expect(statuses(created)).toEqual(new Set([200]));
    expect(statuses(await atOnce(40, (at) => sell('BESIDE-0', at)))).toEqual(new Set([200]));
    expect(await conflicts()).toBe(0);
  });

  it('never conflict where many sign up with one affiliate', async () => {
    const before = await conflicts();
    const { id: affiliateId } = await made('/affiliates', { email: 'hot@example.com', firstName: 'Hot' });
    const referred = await atOnce(40, (at) =>
      post('/referrals', { name: 'Priya', email: `priya-${at}@example.com`, affiliateId }),
    );
    expect(statuses(referred)).toEqual(new Set([200]));
    expect(await conflicts()).toBe(before);
  });

  it('sell a code with a limit exactly as often as it says, conflicts included', async () => {
    const { id: couponId } = await made('/coupons', { name: 'Capped', percentOff: 20 });
    await made('/promotional-codes', { couponId, code: 'CAPPED', maxRedemptions: 5 });
    const responses = await atOnce(40, (at) => sell('CAPPED', at));
    expect(statuses(responses)).toEqual(new Set([200, 400]));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await conflicts()).toBeGreaterThan(0);
  });
});
