import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentials, region, sdkEnvironment } from '../../infra/local/account.ts';
import { createFunction, type LambdaFunction } from '../../infra/local/lambda/function.ts';
import { isRunawayLoop, traceHeaderOf } from '../../infra/local/lambda/recursive-loops.ts';
import { functionArn } from '../../infra/local/lambda/runtime.ts';
import { keepWarm } from '../../infra/local/lambda/warm-runtimes.ts';
import { startQueuePoller } from '../../infra/local/queues/poller.ts';
import { deployQueues, type QueueServer, startQueueServer } from '../../infra/local/queues/queue-server.ts';
import type { Poller } from '../../infra/local/streams/poller.ts';
import type { Scope } from '../../infra/local/template/template.ts';

const codeFolder = mkdtempSync(join(tmpdir(), 'loops-'));
const warnings: string[] = [];
const functions: LambdaFunction[] = [];
const pollers: Poller[] = [];
const scope: Scope = {
  template: {
    Resources: {
      ...Object.fromEntries(
        ['Own', 'Allowed', 'First', 'Second'].map((name) => [
          name,
          {
            Type: 'AWS::SQS::Queue',
            Properties: {
              VisibilityTimeout: 2,
              RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 2 },
            },
          },
        ]),
      ),
      Dead: { Type: 'AWS::SQS::Queue', Properties: {} },
    },
  },
  pseudoParameters: { 'AWS::StackName': 'test' },
  resources: new Map(),
};
let server: QueueServer;
let client: SQSClient;

beforeAll(async () => {
  // As in Lambda, no package.json further up applies.
  writeFileSync(join(codeFolder, 'package.json'), '{}');
  writeFileSync(
    join(codeFolder, 'index.js'),
    `const { SQSClient, SendMessageCommand } = require(${JSON.stringify(createRequire(import.meta.url).resolve('@aws-sdk/client-sqs'))});
    const client = new SQSClient({});
    exports.handler = async ({ Records }) => {
      for (const { body } of Records) {
        const { chain, turn, last } = JSON.parse(body);
        // Invocations of other chains run in the same thread meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (turn < last)
          await client.send(new SendMessageCommand({
            QueueUrl: process.env.NEXT_QUEUE,
            MessageBody: JSON.stringify({ chain, turn: turn + 1, last }),
          }));
      }
    };`,
  );
  server = await startQueueServer({ folder: undefined, onExit: () => {} });
  client = new SQSClient({ region, credentials, endpoint: server.endpoint });
  await deployQueues(scope, client, server.endpoint);
});
afterAll(async () => {
  await Promise.all(pollers.map((poller) => poller.stop()));
  await Promise.all(functions.map((target) => target.stop()));
  client.destroy();
  await server.stop();
  rmSync(codeFolder, { recursive: true });
});

const queueUrl = (queue: string): string => scope.resources.get(queue)?.reference ?? '';

/** A function that reads one queue and sends each message on to another one. Returns the bodies it was invoked with. */
const connect = (from: string, to: string, settings: { mayLoop: boolean }): string[] => {
  const invoked: string[] = [];
  const target = createFunction({
    name: `reader-of-${from.toLowerCase()}`,
    codeFolder,
    handler: 'index.handler',
    timeoutSeconds: 10,
    memoryMegabytes: 128,
    youngMegabytes: 8,
    isBackground: true,
    requestsFirst: undefined,
    eventDelayMilliseconds: 0,
    environment: {
      ...sdkEnvironment({ dynamodb: '', sqs: server.endpoint, secrets: '', s3: '', ses: '' }, credentials),
      NEXT_QUEUE: queueUrl(to),
    },
    logFile: join(codeFolder, 'reader.log'),
    warn: (line) => warnings.push(line),
    warmRuntimes: keepWarm(10),
    ...settings,
  });
  functions.push(target);
  const poller = startQueuePoller({
    client,
    queueUrl: queueUrl(from),
    queueArn: scope.resources.get(from)?.attributes.Arn ?? '',
    target: {
      ...target,
      invoke: (event, traceHeaders) => {
        invoked.push(...(event as { Records: { body: string }[] }).Records.map(({ body }) => body));
        return target.invoke(event, traceHeaders);
      },
    },
    mapping: { MaximumBatchingWindowInSeconds: 0, BatchSize: 1, FunctionResponseTypes: [], FilterCriteria: undefined },
    warn: (line) => warnings.push(line),
  });
  pollers.push(poller);
  return invoked;
};

const begin = (queue: string, chain: string, last = 1000) =>
  client.send(
    new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: JSON.stringify({ chain, turn: 1, last }) }),
  );

/** The turn of a chain that was given up. */
const givenUp = async (wanted: string): Promise<number> => {
  const command = new ReceiveMessageCommand({ QueueUrl: queueUrl('Dead'), WaitTimeSeconds: 20, VisibilityTimeout: 1 });
  for (;;) {
    const { Messages: [letter] = [] } = await client.send(command);
    const { chain, turn } = JSON.parse(letter?.Body ?? '{}');
    if (chain === wanted) return turn;
  }
};

/** The turns that were made, each once: on a busy machine a message may come twice. */
const turnsOf = (invoked: readonly string[], wanted: string): number[] => {
  const messages = invoked.map((body): { chain: string; turn: number } => JSON.parse(body));
  const turns = messages.flatMap(({ chain, turn }) => (chain === wanted ? turn : []));
  return [...new Set(turns)].sort((one, other) => one - other);
};
const turns = (count: number, first = 1, step = 1) => Array.from({ length: count }, (_, at) => first + step * at);

it('stops a chain of messages after 16 invocations of a function, each chain for itself, and gives up what would be next', async () => {
  const invoked = connect('Own', 'Own', { mayLoop: false });
  await Promise.all(['a', 'b'].map((chain) => begin('Own', chain)));
  expect([await givenUp('a'), await givenUp('b')]).toEqual([17, 17]);
  expect([turnsOf(invoked, 'a'), turnsOf(invoked, 'b')]).toEqual([turns(16), turns(16)]);
  expect(warnings).toContainEqual(expect.stringContaining('reader-of-own is in a recursive loop'));
});

it('lets a function go on that has RecursiveLoop: Allow', async () => {
  const invoked = connect('Allowed', 'Allowed', { mayLoop: true });
  await begin('Allowed', 'c', 30);
  await expect.poll(() => turnsOf(invoked, 'c'), { timeout: 40_000 }).toEqual(turns(30));
});

it('stops a loop over two functions too, each of which is invoked 16 times at most', async () => {
  const ofFirst = connect('First', 'Second', { mayLoop: false });
  const ofSecond = connect('Second', 'First', { mayLoop: false });
  await begin('First', 'd');
  expect(await givenUp('d')).toBe(33);
  expect([turnsOf(ofFirst, 'd'), turnsOf(ofSecond, 'd')]).toEqual([turns(16, 1, 2), turns(16, 2, 2)]);
});

it('counts by function, goes on from the longest of several chains, and begins anew without a header', () => {
  const [one, other] = [functionArn('one'), functionArn('other')];
  const first = traceHeaderOf(one, []);
  expect(first).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0;Lineage=[0-9a-f]{8}:1$/);
  const second = traceHeaderOf(other, [first]);
  expect(second.split(';')[0]).toBe(first.split(';')[0]);
  expect(second).toMatch(/;Lineage=[0-9a-f]{8}:1\|[0-9a-f]{8}:1$/);
  let header = second;
  for (let times = 1; times < 16; times++) {
    expect(isRunawayLoop(one, header)).toBe(false);
    header = traceHeaderOf(one, [first, header]);
  }
  expect(isRunawayLoop(one, header)).toBe(true);
  expect(isRunawayLoop(other, header)).toBe(false);
  expect(isRunawayLoop(one, undefined)).toBe(false);
});
