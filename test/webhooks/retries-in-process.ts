import { randomUUID } from 'node:crypto';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { queues } from '../../shared/platform/queue/send.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import type { Outside } from '../../shared/webhooks/delivery/deliver.ts';
import { events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import type { Posted } from '../../shared/webhooks/delivery/send.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { newEncryptedSecret } from '../../shared/webhooks/endpoints/secrets.ts';
import { type Api, makeProgram } from '../support/program.ts';
import { makeStoredWebhook } from './fixtures.ts';

// The table is real; time and receivers are made up, and the queue is this file's own.

export let api: Api;
export let programId: string;
export let clock: Date;

export const later = (seconds: number): Date => {
  clock = new Date(clock.getTime() + seconds * 1000);
  return clock;
};

export const responding = (
  response: Partial<Posted>,
  before: () => Promise<unknown> = async () => {},
): Outside & { posts: number } => {
  const outside = {
    posts: 0,
    now: () => clock,
    random: () => 0.5,
    post: async () => {
      outside.posts += 1;
      await before();
      return { status: 200, body: 'ok', retryAfter: undefined, error: null, ...response };
    },
  };
  return outside;
};

export const made = async (overrides: Partial<StoredWebhook> = {}): Promise<StoredWebhook> => {
  const id = newRecordId(clock);
  const sealedSecret = await newEncryptedSecret(programId, id);
  const webhook = makeStoredWebhook({ id, createdAt: clock.toISOString(), sealedSecret, ...overrides });
  await writeTogether(webhooks.createWrites(programId, webhook));
  return webhook;
};

export const eventAt = async (at: Date, type: 'sale.created' | 'webhook.test' = 'sale.created') => {
  const id = newRecordId(at);
  const event = {
    id,
    type,
    timestamp: at.toISOString(),
    body: JSON.stringify({ id, type, timestamp: at.toISOString(), data: {} }),
  };
  await writeTogether(events.createWrites(programId, storedEvent(event)));
  return event;
};

export const useOwnQueue = (): void => {
  beforeAll(async () => {
    const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: `test-${randomUUID()}` }));
    vi.stubEnv('DELIVERIES_QUEUE_URL', QueueUrl);
    vi.stubEnv('WEBHOOK_RETRY_SECONDS', '1000,1000');
  });
  afterAll(() => vi.unstubAllEnvs());
  beforeEach(async () => {
    api = await makeProgram();
    ({ programId } = api);
    clock = new Date();
    vi.spyOn(console, 'log').mockImplementation(() => {});
  });
};
