import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, it } from 'vitest';
import { credentials, region } from '../../infra/local/account.ts';
import { failedIds } from '../../infra/local/queues/poller.ts';
import { deployQueues, type QueueServer, startQueueServer } from '../../infra/local/queues/queue-server.ts';
import type { Scope } from '../../infra/local/template/template.ts';

const folder = mkdtempSync(join(tmpdir(), 'queues-'));
const clients: SQSClient[] = [];
let server: QueueServer | undefined;
afterAll(async () => {
  for (const client of clients) client.destroy();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

/** Starts the server, or starts it again on the same data, with a queue whose messages stay away for ten minutes. */
const openQueue = async (name: string) => {
  await server?.stop();
  server = await startQueueServer({ folder, onExit: () => {} });
  const client = new SQSClient({ region, credentials, endpoint: server.endpoint });
  clients.push(client);
  const scope: Scope = {
    template: { Resources: { [name]: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 600 } } } },
    pseudoParameters: { 'AWS::StackName': 'test' },
    resources: new Map(),
  };
  await deployQueues(scope, client, server.endpoint);
  const queue = { QueueUrl: scope.resources.get(name)?.reference };
  return {
    send: (body: string, group?: string) =>
      client.send(new SendMessageCommand({ ...queue, MessageBody: body, MessageGroupId: group })),
    receive: async (count = 10) => {
      const command = { ...queue, MaxNumberOfMessages: count, MessageSystemAttributeNames: ['All' as const] };
      return (await client.send(new ReceiveMessageCommand(command))).Messages ?? [];
    },
    remove: (handle: string | undefined) => client.send(new DeleteMessageCommand({ ...queue, ReceiptHandle: handle })),
  };
};

it('keeps messages over a restart, at once visible again those that nobody finished', async () => {
  const before = await openQueue('Kept');
  for (const body of ['finished', 'unfinished', 'waiting']) await before.send(body);
  const [finished] = await before.receive(2);
  await before.remove(finished?.ReceiptHandle);
  const after = await openQueue('Kept');
  const messages = await after.receive();
  expect(messages.map(({ Body: body }) => body).sort()).toEqual(['unfinished', 'waiting']);
  for (const { ReceiptHandle: handle } of messages) await after.remove(handle);
});

it('hands over a quiet group before the backlog of a busy one', async () => {
  const queue = await openQueue('Fair');
  for (let index = 0; index < 20; index++) await queue.send(`busy ${index}`, 'busy');
  await queue.receive(5);
  await queue.send('quiet', 'quiet');
  const [next] = await queue.receive(1);
  expect(next).toMatchObject({ Body: 'quiet', Attributes: { MessageGroupId: 'quiet', ApproximateReceiveCount: '1' } });
  expect(next).not.toHaveProperty('MessageAttributes');
});

it('deletes what was processed and keeps what the function reports, or everything if it returns nonsense', () => {
  const message = (messageId: string) => ({ messageId });
  const failed = (result: unknown, types = ['ReportBatchItemFailures']) => [
    ...failedIds([message('a'), message('b')], result, types),
  ];
  expect(failed(null)).toEqual([]);
  expect(failed({ batchItemFailures: [{ itemIdentifier: 'b' }] })).toEqual(['b']);
  expect(failed({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })).toEqual(['a', 'b']);
  expect(failed({ batchItemFailures: [{ itemIdentifier: 1 }] })).toEqual(['a', 'b']);
  expect(failed({ batchItemFailures: [{ itemIdentifier: 'b' }] }, [])).toEqual([]);
});
