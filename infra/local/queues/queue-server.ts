import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CreateQueueCommand, SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import type { Expiry } from '../objects/expire-objects.ts';
import { nameOf, propertiesOf, resourcesOf, type Scope } from '../template/template.ts';

export interface QueueServer {
  /** Of SQS and S3. */
  readonly endpoint: string;
  /** Deletes what of a bucket has expired. */
  expireObjects(expiry: Expiry): Promise<void>;
  stop(): Promise<void>;
}

export interface MessageToQueues {
  readonly expire: Expiry;
}
export type MessageFromQueues = { readonly port: number | undefined } | { readonly expired: true };

/** Starts the embedded SQS and S3 in a thread of its own, with its data in `folder` (in memory without one). */
export async function startQueueServer(settings: {
  folder: string | undefined;
  onExit: (reason: string) => void;
}): Promise<QueueServer> {
  const worker = new Worker(new URL('./queue-server-worker.ts', import.meta.url), {
    workerData: { folder: settings.folder, region },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  let stopping = false;
  const { port } = await new Promise<{ port: number | undefined }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  worker.on('error', (error) => stopping || settings.onExit(`The embedded SQS and S3 ended. ${error}`));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    expireObjects: async (expire) => {
      const expired = once(worker, 'message');
      worker.postMessage({ expire } satisfies MessageToQueues);
      await expired;
    },
    stop: async () => {
      stopping = true;
      await worker.terminate();
    },
  };
}

/** A queue may be told to take up to 1 MiB. Stricter, so that a message also fits where 256 KB is still the most. */
const maxMessageBytes = '262144';

const queueProperties = z.object({
  DelaySeconds: z.coerce.string().optional(),
  VisibilityTimeout: z.coerce.string().optional(),
  MessageRetentionPeriod: z.coerce.string().optional(),
  ContentBasedDeduplication: z.coerce.string().optional(),
  MaximumMessageSize: z.coerce.string().default(maxMessageBytes),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1).max(1000) })
    .transform((policy) => JSON.stringify(policy))
    .optional(),
});

/** Makes the template's queues where they are missing, sets their attributes, and tells `scope` what they are. */
export async function deployQueues(scope: Scope, client: SQSClient, endpoint: string): Promise<void> {
  const queues = resourcesOf(scope, 'AWS::SQS::Queue').map(({ logicalId, resource }) => {
    const name = nameOf(logicalId, resource.Properties?.QueueName, scope);
    const url = `${endpoint}/${accountId}/${name}`;
    const arn = `arn:aws:sqs:${region}:${accountId}:${name}`;
    scope.resources.set(logicalId, { reference: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } });
    return { name, url, resource };
  });
  for (const { name } of queues) {
    const attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : undefined;
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  }
  // After all exist, because a redrive policy names another queue.
  for (const { url, resource } of queues) {
    const given = Object.entries(propertiesOf(queueProperties, resource, scope));
    const attributes = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    if (given.length > 0) await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes }));
  }
}
