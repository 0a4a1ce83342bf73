import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readPolicy } from '../../infra/local/iam/policy.ts';
import { createGuard } from '../../infra/local/proxy/guard.ts';

const table = 'Records';
const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
const identityOf = (functionName: string) => ({
  functionName,
  roleName: functionName,
  accessKeyId: functionName,
  secretAccessKey: 'secret',
  statements: readPolicy({ Statement: { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: arn } }),
});

const openGuard = () => {
  const guard = createGuard({
    identities: ['count-sales', 'import-sales', 'show-sales'].map(identityOf),
    tables: { [table]: { arn, partitionKey: 'pk', indexes: {} } },
    usage: undefined,
    background: ['count-sales', 'import-sales'],
    faults: undefined,
    warn: () => {},
  });
  const decide = (accessKeyId: string, TableName = table) =>
    guard.decide({
      head: '',
      target: 'DynamoDB_20120810.GetItem',
      accessKeyId,
      contentLength: 0,
      body: Buffer.from(JSON.stringify({ TableName, Key: { pk: { S: 'one' } } })),
    });
  return Object.assign(decide, { expectRequest: guard.expectRequest });
};

const isPending = async (verdict: unknown): Promise<boolean> => {
  const marker = Symbol('pending');
  await sleep(2);
  return (await Promise.race([verdict, marker])) === marker;
};

it('lets the calls of a background function wait for each other, and those of requests for none of them', async () => {
  const decide = openGuard();
  const first = await decide('count-sales');
  const second = decide('count-sales');
  const request = await decide('show-sales');
  first.done?.();
  request.done?.();
  (await second).done?.();
  expect(await decide('count-sales')).toEqual({ done: expect.any(Function) });
});

it('lets no call of a background function come between those of a request', async () => {
  const decide = openGuard();
  const one = await decide('show-sales');
  const waiting = decide('count-sales');
  expect(await isPending(waiting)).toBe(true);
  one.done?.();
  // Within the pause after a call, in which a request makes its next one.
  const another = await decide('show-sales');
  await sleep(15);
  expect(await isPending(waiting)).toBe(true);
  another.done?.();
  expect(await waiting).toEqual({ done: expect.any(Function) });
});

it('makes room for the first call of a request that has come', async () => {
  const decide = openGuard();
  decide.expectRequest();
  const waiting = decide('count-sales');
  expect(await isPending(waiting)).toBe(true);
  (await decide('show-sales')).done?.();
  expect(await isPending(waiting)).toBe(true);
  expect(await waiting).toEqual({ done: expect.any(Function) });
});

it('gives each background function a turn, however many calls another one makes at once', async () => {
  const decide = openGuard();
  const order: string[] = [];
  const call = async (name: string) => {
    const { done } = await decide(name);
    order.push(name);
    await sleep(1);
    done?.();
  };
  await Promise.all(['count-sales', 'count-sales', 'count-sales', 'import-sales', 'import-sales'].map(call));
  expect(order).toEqual(['count-sales', 'count-sales', 'import-sales', 'count-sales', 'import-sales']);
});

it('lets a background function wait for requests that come one after the other for a tenth of a second', async () => {
  const decide = openGuard();
  const began = performance.now();
  await decide('show-sales');
  await decide('count-sales');
  expect(performance.now() - began).toBeGreaterThan(95);
});

it('gives a call that is refused no turn', async () => {
  const decide = openGuard();
  for (let call = 0; call < 2; call++)
    expect(await decide('count-sales', 'Others')).toEqual({ response: expect.any(Buffer) });
  expect(await decide('count-sales')).toEqual({ done: expect.any(Function) });
});
