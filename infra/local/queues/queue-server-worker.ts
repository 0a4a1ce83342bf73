import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { type ExpiringStore, expireObjects } from '../objects/expire-objects.ts';
import { makeQueuesFair, type QueueClass } from './fair-queues.ts';
import type { MessageFromQueues, MessageToQueues } from './queue-server.ts';
import { type LimitedQueueClass, limitQueues } from './quotas.ts';
import { type TracedQueueClass, traceMessages } from './traces.ts';

// The thread in which the embedded SQS and S3 run; it returns its parent with the port once it listens. fauxqs's own start
// listens on every interface, so the same parts are put together here, from files that its package does not export.

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;
/** What is private in the type of fauxqs's PersistenceManager. */
interface Persistence {
  readonly db: DatabaseSync;
  load(...stores: unknown[]): void;
}

const part = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
const [{ SqsStore, SqsQueue }, { SnsStore }, { S3Store }, { PersistenceManager }] = await Promise.all([
  part('./sqs/sqsStore.js'),
  part('./sns/snsStore.js'),
  part('./s3/s3Store.js'),
  part('./persistence.js'),
]);
const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
// With a host of its own the store puts the region into queue URLs and then finds no queue by a plain address.
stores.sqsStore.host = '';

const { folder, region }: { folder?: string; region: string } = workerData;
if (folder !== undefined) {
  const manager = new PersistenceManager(folder);
  const persistence: Persistence = manager;
  // Every message is its own transaction: without waiting for the disk it is safe against a killed process, which is
  // what this machine needs, though not against a power cut.
  persistence.db.exec('PRAGMA synchronous = NORMAL');
  // Whoever held a message in flight ended with the last run: waiting for its visibility timeout would be in vain.
  persistence.db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  stores.sqsStore.persistence = manager;
  stores.s3Store.persistence = manager;
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = manager;
}

const app = buildApp({ logger: false, defaultRegion: region, stores });
// fauxqs takes bodies of 11 MiB. S3 takes 5 GB at once, which no thread here could hold.
const maxBodyBytes = 256 * 1024 ** 2;
app.removeContentTypeParser('*');
app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
  done(null, body),
);

const queueClass: QueueClass & TracedQueueClass & LimitedQueueClass = SqsQueue;
const { keepGroupOfMessages } = makeQueuesFair(queueClass);
const { keepTrace, showTraces } = traceMessages(queueClass);
const { refusalOf } = limitQueues(queueClass, (url) => stores.sqsStore.getQueue(url));
app.addHook('preHandler', async ({ headers, body }, reply) => {
  const refusal = refusalOf({ headers, body });
  if (refusal) {
    const { code, message } = refusal;
    reply.header('x-amzn-query-error', `AWS.SimpleQueueService.${code};Sender`);
    return reply.code(400).send({ __type: `com.amazonaws.sqs#${code}`, message });
  }
  keepGroupOfMessages(body);
  keepTrace({ headers, body });
  return undefined;
});
app.addHook('preSerialization', async (_request, _reply, response: unknown) => {
  showTraces(response);
  return response;
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
// Asserted: what it reads is private in the type.
const expiringStore = stores.s3Store as unknown as ExpiringStore;
const tell = (message: MessageFromQueues) => parentPort?.postMessage(message);
parentPort?.on('message', ({ expire }: MessageToQueues) => {
  expireObjects(expiringStore, expire);
  tell({ expired: true });
});
tell({ port: typeof address === 'object' ? address?.port : undefined });
