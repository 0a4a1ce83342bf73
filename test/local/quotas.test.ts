import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { credentials, region } from '../../infra/local/account.ts';
import { checkQueueMapping } from '../../infra/local/deployment/mapping-rules.ts';
import { deployFunctions, nameFromLogicalId, thriftyMemory } from '../../infra/local/lambda/deploy-functions.ts';
import { functionArn } from '../../infra/local/lambda/runtime.ts';
import { queueMappingProperties } from '../../infra/local/queues/poller.ts';
import { deployQueues, type QueueServer, startQueueServer } from '../../infra/local/queues/queue-server.ts';
import { limitQueues } from '../../infra/local/queues/quotas.ts';
import { streamMappingProperties } from '../../infra/local/streams/poller.ts';
import type { Json, Scope } from '../../infra/local/template/template.ts';

const logFolder = mkdtempSync(join(tmpdir(), 'quotas-'));
afterAll(() => rmSync(logFolder, { recursive: true }));

type Properties = Record<string, Json>;

const scopeWith = (resources: Record<string, { Type: string; Properties: Properties }>): Scope => ({
  template: { Resources: resources },
  pseudoParameters: { 'AWS::StackName': 'test' },
  resources: new Map(),
});

describe('a function', () => {
  const deployed = (properties: Properties) =>
    deployFunctions(
      scopeWith({
        Sample: {
          Type: 'AWS::Lambda::Function',
          Properties: { Handler: 'index.handler', Role: 'arn:aws:iam::000000000000:role/Sample', ...properties },
        },
      }),
      {
        assembly: { template: { Resources: {} }, stackName: 'test', codeFolder: () => logFolder },
        logFolder,
        surroundings: () => ({}),
        functionName: nameFromLogicalId,
        fillIn: (variables) => ({ ...variables }),
        overrides: {},
        warn: () => {},
        memory: thriftyMemory,
        requestsFirst: undefined,
        eventDelayMilliseconds: 0,
      },
    );
  const variables = (bytes: number) => ({
    Environment: { Variables: { NAME: 'x'.repeat(bytes - '{"NAME":""}'.length) } },
  });

  it('has 4 KB of environment variables at most', () => {
    expect([...deployed(variables(4096)).keys()]).toEqual(['sample']);
    expect(() => deployed(variables(4097))).toThrow('environment variables of sample have 4097 bytes');
  });

  it.each([{ Timeout: 901 }, { Timeout: 0 }, { MemorySize: 64 }, { MemorySize: 10_241 }])(
    'is not deployed with %j',
    (properties) => {
      expect(() => deployed(properties)).toThrow();
    },
  );
});

describe('an event source mapping', () => {
  it.each([
    { BatchSize: 0 },
    { BatchSize: 10_001 },
    { ScalingConfig: { MaximumConcurrency: 1 } },
    { ScalingConfig: { MaximumConcurrency: 1001 } },
  ])('of a queue is refused with %j', (properties) =>
    expect(queueMappingProperties.safeParse(properties).success).toBe(false),
  );

  it.each([{ BatchSize: 10_001 }, { MaximumRetryAttempts: -2 }, { MaximumRetryAttempts: 10_001 }])(
    'of a stream is refused with %j',
    (properties) => expect(streamMappingProperties.safeParse(properties).success).toBe(false),
  );

  it('takes the extremes', () => {
    const extremes = { BatchSize: 10_000, ScalingConfig: { MaximumConcurrency: 1000 } };
    expect(queueMappingProperties.parse(extremes)).toMatchObject(extremes);
    expect(streamMappingProperties.parse({ MaximumRetryAttempts: -1 })).toMatchObject({ MaximumRetryAttempts: -1 });
  });

  const check = (mapping: Properties, queue: Properties, name = 'work') => {
    const scope = scopeWith({
      Work: { Type: 'AWS::SQS::Queue', Properties: queue },
      Target: { Type: 'AWS::Lambda::Function', Properties: { Timeout: 60 } },
    });
    const queueArn = `arn:aws:sqs:us-east-1:000000000000:${name}`;
    scope.resources.set('Work', { reference: 'url', attributes: { Arn: queueArn } });
    scope.resources.set('Target', { reference: 'target', attributes: { Arn: functionArn('target') } });
    const resource = { Type: 'AWS::Lambda::EventSourceMapping', Properties: mapping };
    checkQueueMapping(scope, { logicalId: 'Source', resource, queueArn, functionName: 'target' });
  };

  it('needs a queue that hides messages for as long as the function may run', () => {
    expect(() => check({}, { VisibilityTimeout: 60 })).not.toThrow();
    expect(() => check({}, { VisibilityTimeout: 59 })).toThrow(
      'visibility timeout: 59 seconds is less than Function timeout: 60',
    );
    expect(() => check({}, {})).toThrow('visibility timeout: 30 seconds');
  });

  it('gathers more than 10 messages in a window only, and never from a FIFO queue', () => {
    const queue = { VisibilityTimeout: 60 };
    expect(() => check({ BatchSize: 11 }, queue)).toThrow('MaximumBatchingWindowInSeconds must be set');
    expect(() => check({ BatchSize: 11, MaximumBatchingWindowInSeconds: 1 }, queue)).not.toThrow();
    expect(() => check({ BatchSize: 11, MaximumBatchingWindowInSeconds: 1 }, queue, 'work.fifo')).toThrow('FIFO');
  });
});

describe('a queue', () => {
  let server: QueueServer;
  let client: SQSClient;
  beforeAll(async () => {
    server = await startQueueServer({ folder: undefined, onExit: () => {} });
    client = new SQSClient({ region, credentials, endpoint: server.endpoint, maxAttempts: 1 });
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  const deployQueue = async (properties: Properties): Promise<string> => {
    const scope = scopeWith({ Work: { Type: 'AWS::SQS::Queue', Properties: properties } });
    await deployQueues(scope, client, server.endpoint);
    return scope.resources.get('Work')?.reference ?? '';
  };

  it.each([
    { MessageRetentionPeriod: 59 },
    { MessageRetentionPeriod: 1_209_601 },
    { VisibilityTimeout: 43_201 },
    { DelaySeconds: 901 },
    { RedrivePolicy: { deadLetterTargetArn: 'arn', maxReceiveCount: 1001 } },
  ])('is not deployed with %j', (properties) => expect(deployQueue(properties)).rejects.toThrow());

  it('takes the extremes, messages of 256 KB and delays of 900 seconds, and nothing beyond', async () => {
    const QueueUrl = await deployQueue({
      MessageRetentionPeriod: 1_209_600,
      VisibilityTimeout: 43_200,
      DelaySeconds: 0,
    });
    const send = (bytes: number, DelaySeconds = 900) =>
      client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(bytes), DelaySeconds }));
    await send(256 * 1024);
    await expect(send(256 * 1024 + 1)).rejects.toThrow('Message must be shorter than 262144 bytes');
    await expect(send(1, 901)).rejects.toThrow('Value 901 for parameter DelaySeconds is invalid');
    const Entries = [{ Id: '1', MessageBody: 'x', DelaySeconds: 901 }];
    await expect(client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).rejects.toThrow('DelaySeconds');
    const sendTwo = (bytes: number) =>
      client.send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: ['1', '2'].map((Id) => ({ Id, MessageBody: 'x'.repeat(bytes) })),
        }),
      );
    expect((await sendTwo(128 * 1024)).Successful).toHaveLength(2);
    await expect(sendTwo(128 * 1024 + 1)).rejects.toThrow('Batch requests cannot be longer than 262144 bytes');
    await expect(client.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 43_201 }))).rejects.toThrow(
      'VisibilityTimeout',
    );
  });
});

describe('a standard queue at its quota', () => {
  afterEach(() => vi.useRealTimers());

  /** A queue like fauxqs's, as far as quotas are about it. */
  class Queue {
    messages: { messageId: string; sentTimestamp: number }[] = [];
    inflightMessages = { size: 0 };
    attributes = { MessageRetentionPeriod: '60', ReceiveMessageWaitTimeSeconds: '0' };
    deleted: string[] = [];
    persistence = { deleteMessage: (id: string) => void this.deleted.push(id) };
    isFifo() {
      return false;
    }
    dequeue(maximum: number): { messageId: string }[] {
      const taken = this.messages.splice(0, maximum);
      this.inflightMessages.size += taken.length;
      return taken;
    }
  }
  const queue = new Queue();
  const { refusalOf } = limitQueues(Queue, () => queue);
  const receive = (WaitTimeSeconds?: number) =>
    refusalOf({ headers: { 'x-amz-target': 'AmazonSQS.ReceiveMessage' }, body: { QueueUrl: 'url', WaitTimeSeconds } });
  const fill = () => {
    const sentTimestamp = Date.now();
    queue.messages = Array.from({ length: 10 }, (_, at) => ({ messageId: String(at), sentTimestamp }));
  };

  it('hands over no more than 120,000 messages at a time, and tells who does not wait', () => {
    fill();
    queue.inflightMessages.size = 119_998;
    expect(queue.dequeue(10)).toHaveLength(2);
    expect(queue.dequeue(10)).toEqual([]);
    expect(queue.messages).toHaveLength(8);
    expect(receive()).toMatchObject({ code: 'OverLimit' });
    expect(receive(20)).toBeUndefined();
    queue.inflightMessages.size = 0;
    expect(receive()).toBeUndefined();
    expect(queue.dequeue(10)).toHaveLength(8);
  });

  it('forgets what is older than its retention period', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 20_000);
    fill();
    vi.setSystemTime(Date.now() + 50_000);
    expect(queue.dequeue(1)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 11_000);
    expect(queue.dequeue(10)).toEqual([]);
    expect(queue.deleted).toHaveLength(9);
  });
});
