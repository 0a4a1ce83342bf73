import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentials, region } from '../../infra/local/account.ts';
import { startStreamPoller } from '../../infra/local/streams/poller.ts';
import { openStreamReader } from '../../infra/local/streams/records.ts';
import { isEmbedded } from '../support/embedded-database.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { openBackDoor } from './back-door.ts';
import { adminOf, callApi, endStack, runAdmin, type StartedStack, startStack } from './started-stack.ts';

// The operator's command line, against a stack that runs in another process.

const dataFolder = mkdtempSync(join(tmpdir(), 'admin-'));
let stack: StartedStack;

beforeAll(async () => {
  stack = await startStack(dataFolder);
});
afterAll(async () => {
  await endStack(stack);
  rmSync(dataFolder, { recursive: true, force: true });
});

const admin = adminOf(dataFolder);

/** It shows its progress on standard error, and names what it cannot redrive. */
const redrive = async () => {
  const { exitCode, output, problems } = await runAdmin(dataFolder, 'webhooks', 'redrive');
  expect(exitCode, problems).toBe(0);
  return JSON.parse(output);
};

const statusWith = async (apiKey: string): Promise<number> =>
  (await callApi({ ...stack, apiKey }, 'GET', '/program')).status;

const ownedBy = (email: string) => ['program', 'create', '--name', 'Shop', '--owner-email', email];

it('a created program can be used at once, and not once it is deleted', async () => {
  const { programId, apiKey } = await admin(...ownedBy('one@example.com'), '--currency', 'EUR');
  const program = await callApi({ ...stack, apiKey }, 'GET', '/program');
  expect(program).toMatchObject({ status: 200, body: { id: programId, name: 'Shop', currency: 'EUR' } });

  expect(await admin('program', 'delete', '--id', programId)).toEqual({ deletedProgramId: programId });
  expect(await callApi({ ...stack, apiKey }, 'GET', '/program')).toEqual({
    status: 404,
    body: { error: 'Affiliate program not found' },
  });
});

it('an address may be mailed again, whether or not it was suppressed', async () => {
  const allowed = await admin('mails', 'allow', '--address', 'Noor@Example.com');
  expect(allowed).toEqual({ address: 'noor@example.com', wasSuppressed: false });
  const { exitCode, problems } = await runAdmin(dataFolder, 'mails', 'allow', '--address', 'nobody');
  expect([exitCode, problems.includes('must be an email address')]).toEqual([1, true]);
});

it('keys are made, listed without their text, and useless as soon as they are deleted', async () => {
  const { programId, apiKey: firstKey } = await admin(...ownedBy('two@example.com'));
  const { keyId, apiKey } = await admin('key', 'create', '--program', programId, '--name', 'Shop server');
  expect(await statusWith(apiKey)).toBe(200);

  const listed = await admin('key', 'list', '--program', programId);
  expect(listed).toHaveLength(2);
  expect(listed).toContainEqual({
    id: keyId,
    name: 'Shop server',
    lastFour: apiKey.slice(-4),
    createdAt: expect.any(String),
    createdBy: null,
    lastUsedAt: expect.any(String),
  });
  expect(JSON.stringify(listed)).not.toContain(apiKey);

  await admin('key', 'delete', '--program', programId, '--id', keyId);
  expect(await statusWith(apiKey)).toBe(401);
  expect(await statusWith(firstKey)).toBe(200);
});

it('a plan opens and closes the API at once', async () => {
  const { apiKey } = await admin(...ownedBy('three@example.com'), '--plan', 'FREE');
  expect(await statusWith(apiKey)).toBe(403);
  await admin('account', 'set-plan', '--email', 'Three@example.com', '--plan', 'BUSINESS');
  expect(await statusWith(apiKey)).toBe(200);
  await admin('account', 'set-plan', '--email', 'three@example.com', '--plan', 'FREE');
  expect(await statusWith(apiKey)).toBe(403);
});

it.each([
  ['a program that is not there', ['program', 'delete', '--id', 'none'], 'program not found'],
  ['a key that is not there', ['key', 'delete', '--program', 'none', '--id', 'none'], 'No such key'],
  ['an email that is none', ownedBy('nobody'), 'must be an email address'],
  ['an unknown plan', ['account', 'set-plan', '--email', 'a@example.com', '--plan', 'GOLD'], 'FREE, BUSINESS'],
  ['an unknown command', ['programme'], 'unknown command'],
])('%s is exit code 1 and a clear line', async (_, command, sentence) => {
  const { exitCode, output, problems } = await runAdmin(dataFolder, ...command);
  expect(exitCode).toBe(1);
  expect(output).toBe('');
  expect(problems).toContain(sentence);
});

it('says that no stack is running', async () => {
  const { exitCode, problems } = await runAdmin(join(dataFolder, 'nothing'), 'key', 'list', '--program', 'x');
  expect(exitCode).toBe(1);
  expect(problems).toContain('npm start');
});

const recordsOf = (batch: unknown): DynamoDBRecord[] => (batch as DynamoDBStreamEvent).Records;

it('keys work again after their tokens were lost, and those that were deleted stay useless', async () => {
  const owners = ['rebuilt@example.com', 'free@example.com'];
  const [shop, free] = [await admin(...ownedBy(owners[0] ?? '')), await admin(...ownedBy(owners[1] ?? ''))];
  const second = await admin('key', 'create', '--program', shop.programId);
  const deleted = await admin('key', 'create', '--program', shop.programId);
  await admin('key', 'delete', '--program', shop.programId, '--id', deleted.keyId);
  await admin('account', 'set-plan', '--email', owners[1] ?? '', '--plan', 'FREE');
  const keys = [shop.apiKey, second.apiKey, deleted.apiKey, free.apiKey];
  const statuses = () => Promise.all(keys.map(statusWith));
  expect(await statuses()).toEqual([200, 200, 401, 403]);

  const { loseTokens } = await openBackDoor(dataFolder, stack.programId);
  await loseTokens(keys);
  expect(await statuses()).toEqual([401, 401, 401, 401]);
  const rebuilt = await admin('keys', 'rebuild');
  expect(rebuilt.deletedMeanwhile).toBe(0);
  expect(await statuses()).toEqual([200, 200, 401, 403]);
  expect(await admin('keys', 'rebuild')).toEqual(rebuilt);
  expect(await admin('keys', 'rebuild', '--program', shop.programId)).toMatchObject({ programs: 1, tokens: 2 });
  expect(await statuses()).toEqual([200, 200, 401, 403]);
});

/** A delivery that has arrived, and a valid message that asks for one more attempt. */
const deliverOnce = async () => {
  const receiver = await startScriptedReceiver();
  const endpoint = await callApi(stack, 'POST', '/webhooks', { url: receiver.url('/'), eventTypes: ['webhook.test'] });
  const webhookId = endpoint.body.id;
  const { body: delivery } = await callApi(stack, 'POST', '/webhooks/test', { webhookId });
  await receiver.waitFor('/', 1);
  const byHand = { requestedAt: new Date().toISOString(), isForUndeliveredOnly: false };
  const asked = { programId: stack.programId, deliveryId: delivery.id, eventId: delivery.eventId, webhookId };
  return { receiver, webhookId, message: JSON.stringify({ ...asked, attempt: 0, byHand }) };
};

it('a program of an earlier version is added to the list of all programs, once', async () => {
  const { programId } = await admin(...ownedBy('listed@example.com'));
  const { dynamodbEndpoint: endpoint, outputs } = JSON.parse(readFileSync(join(dataFolder, 'endpoints.json'), 'utf8'));
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  const Key = { pk: `PROGRAM#${programId}#PROGRAM`, sk: programId };
  await client.send(new UpdateCommand({ TableName: outputs.TableName, Key, UpdateExpression: 'REMOVE gsi1pk' }));
  client.destroy();
  expect((await runAdmin(dataFolder, 'doctor')).output).toContain('1 programs are not in the list of all programs');
  expect(await admin('program', 'list-all')).toEqual({ listed: 1 });
  expect(await admin('program', 'list-all')).toEqual({ listed: 0 });
});

it('what workers gave up on is redriven: messages to their queue, changes of the stream to the worker', async () => {
  const backDoor = await openBackDoor(dataFolder, stack.programId);
  const { receiver, webhookId, message } = await deliverOnce();
  await backDoor.addDeadLetter('DeliverWebhook', message, webhookId);

  // A change whose worker fails until it is given up, as if its event had never been made.
  const { body: coupon } = await callApi(stack, 'POST', '/coupons', { name: 'Spring', percentOff: 20 });
  const eventOfCoupon = async () => {
    const { body: events } = await callApi(stack, 'GET', '/events?type=coupon.created');
    return events.find((event: { data: { id: string } }) => event.data.id === coupon.id);
  };
  // The first change of all starts the worker, which takes seconds on a busy machine.
  await expect.poll(eventOfCoupon, { timeout: 30_000 }).toBeDefined();
  const event = await eventOfCoupon();
  const letters: string[] = [];
  const poller = startStreamPoller({
    endpoint: backDoor.dynamodbEndpoint,
    read: openStreamReader(backDoor.dynamodbEndpoint),
    streamArn: backDoor.streamArn,
    target: {
      name: 'broken',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:broken',
      mayLoop: false,
      isBackground: true,
      timeoutSeconds: 60,
      invoke: async (batch) => {
        if (recordsOf(batch).some(({ dynamodb }) => dynamodb?.Keys?.sk?.S === coupon.id)) throw new Error('broken');
        return null;
      },
      stop: async () => {},
    },
    mapping: {
      BatchSize: 100,
      ParallelizationFactor: 1,
      FunctionResponseTypes: [],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 0,
      FilterCriteria: undefined,
      DestinationConfig: { OnFailure: { Destination: 'dead letters' } },
    },
    checkpoint: { read: () => undefined, write: () => {} },
    sendToQueue: async (_, body) => void letters.push(body),
    warn: () => {},
  });
  await expect.poll(() => letters.length, { timeout: 30_000 }).toBe(1);
  await poller.stop();
  await backDoor.forgetEvent(event.id);
  const [letter = ''] = letters;
  await backDoor.addDeadLetter('FanOutEvents', letter);
  // What the stream does not have any more stays a dead letter. DynamoDB Local refuses a number before its first one, and
  // the embedded database has one shard, whatever it is called.
  const expired = JSON.parse(letter);
  const beginning = '0'.repeat(21);
  Object.assign(
    expired.DDBStreamBatchInfo,
    isEmbedded
      ? { startSequenceNumber: beginning, endSequenceNumber: beginning }
      : { shardId: 'shardId-00000000000000000000-00000000' },
  );
  await backDoor.addDeadLetter('UpdateTotals', JSON.stringify(expired));

  const nothing = { redriven: 0, expired: 0, failed: 0 };
  expect(await redrive()).toMatchObject({
    'deliver-webhook': { ...nothing, redriven: 1 },
    'fan-out-events': { ...nothing, redriven: 1 },
    'update-totals': { ...nothing, expired: 1 },
    'finish-deletion': nothing,
  });
  expect(await eventOfCoupon()).toEqual(event);
  await receiver.waitFor('/', 2);
  receiver.stop();

  // What was redriven is gone, and what was not is there for the next time.
  expect(await Promise.all(['DeliverWebhook', 'FanOutEvents'].map(backDoor.deadLettersOf))).toEqual([[], []]);
  expect(await backDoor.deadLettersOf('UpdateTotals')).toEqual([JSON.stringify(expired)]);
});

it('a message with too many hops is a dead letter at once, and begins a new chain when it is redriven', async () => {
  const backDoor = await openBackDoor(dataFolder, stack.programId);
  const { receiver, message } = await deliverOnce();
  await backDoor.sendAgain('DeliverWebhook', message, 1_000_000);

  const redriven = async () => (await redrive())['deliver-webhook'].redriven;
  await expect.poll(redriven, { timeout: 30_000 }).toBe(1);
  await receiver.waitFor('/', 2);
  receiver.stop();
});

it('a change whose event cannot be made stops nobody, and a redrive makes its event after the fix', async () => {
  const backDoor = await openBackDoor(dataFolder, stack.programId);
  const { body: coupon } = await callApi(stack, 'POST', '/coupons', { name: 'Spring', percentOff: 20 });
  const { body: code } = await callApi(stack, 'POST', '/promotional-codes', { couponId: coupon.id, code: 'SPRING' });
  const eventsOf = async (type: string, id: string) => {
    const { body } = await callApi(stack, 'GET', `/events?type=${type}&limit=100`);
    return body.filter((event: { data: { id: string } }) => event.data.id === id);
  };
  await expect.poll(() => eventsOf('promotional_code.created', code.id), { timeout: 30_000 }).toHaveLength(1);

  // The coupon of these codes is not there, which no retry changes.
  const couponId = '019a0000-0000-7000-8000-00000000dead';
  const ids = Array.from({ length: 20 }, (_, at) => `019a0000-0000-7000-8000-0000000000${at + 10}`);
  const start = performance.now();
  await Promise.all(ids.map((id) => backDoor.copyRecord('PROMOTIONAL_CODE', code.id, { sk: id, id, couponId })));
  const { body: next } = await callApi(stack, 'POST', '/coupons', { name: 'Next', percentOff: 10 });
  await expect.poll(() => eventsOf('coupon.created', next.id), { timeout: 30_000 }).toHaveLength(1);
  // A retry by the stream would take 200 ms for the first change alone, and twenty attempts minutes.
  expect(performance.now() - start).toBeLessThan(30_000);

  // The other coupon may be in another batch than the last of them.
  await expect.poll(() => backDoor.countDeadLettersOf('FanOutEvents'), { timeout: 30_000 }).toBe(ids.length);
  const letters = (await backDoor.deadLettersOf('FanOutEvents')).map((letter) => JSON.parse(letter ?? ''));
  expect(letters[0]).toEqual({
    setAside: {
      streamArn: backDoor.streamArn,
      eventId: expect.any(String),
      sequenceNumber: expect.any(String),
      keys: { pk: { S: `PROGRAM#${stack.programId}#PROMOTIONAL_CODE` }, sk: { S: expect.any(String) } },
      reason: expect.stringContaining('coupon'),
      record: expect.any(String),
    },
  });

  await backDoor.copyRecord('COUPON', coupon.id, { sk: couponId, id: couponId });
  const isDone = async () => (await redrive())['fan-out-events'].redriven;
  let redriven = 0;
  // Those that this test has looked at are there again a second later.
  await expect
    .poll(
      async () => {
        redriven += await isDone();
        return redriven;
      },
      { timeout: 30_000, interval: 1000 },
    )
    .toBe(ids.length);
  for (const id of ids) expect(await eventsOf('promotional_code.created', id)).toHaveLength(1);
});
