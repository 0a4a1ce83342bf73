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
    identities: [identityOf('count-sales'), identityOf('show-sales')],
    tables: { [table]: { arn, partitionKey: 'pk', indexes: {} } },
    usage: undefined,
    background: ['count-sales'],
    faults: undefined,
    warn: () => {},
  });
  return (accessKeyId: string, TableName = table) =>
    guard.decide({
      head: '',
      target: 'DynamoDB_20120810.GetItem',
      accessKeyId,
      contentLength: 0,
      body: Buffer.from(JSON.stringify({ TableName, Key: { pk: { S: 'one' } } })),
    });
};

it('lets the calls of a background function wait for each other, and those of requests for none of them', async () => {
  const decide = openGuard();
  const first = await decide('count-sales');
  let isNext = false;
  const second = Promise.resolve(decide('count-sales')).then((verdict) => {
    isNext = true;
    return verdict;
  });
  expect(await decide('show-sales')).toEqual({});
  await sleep(5);
  expect(isNext).toBe(false);
  first.done?.();
  (await second).done?.();
  expect(await decide('count-sales')).toEqual({ done: expect.any(Function) });
});

it('gives a call that is refused no turn', async () => {
  const decide = openGuard();
  for (let call = 0; call < 2; call++)
    expect(await decide('count-sales', 'Others')).toEqual({ response: expect.any(Buffer) });
  expect(await decide('count-sales')).toEqual({ done: expect.any(Function) });
});
