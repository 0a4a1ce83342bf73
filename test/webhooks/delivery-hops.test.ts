import { randomUUID } from 'node:crypto';
import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import type { Context, SQSRecord } from 'aws-lambda';
import { beforeEach, expect, it, vi } from 'vitest';
import { webhookTestEvent } from '../../events/webhook-test.ts';
import { isRunawayLoop, traceHeaderOf } from '../../infra/local/lambda/recursive-loops.ts';
import { functionArn } from '../../infra/local/lambda/runtime.ts';
import { hopLimitOf } from '../../shared/contract/loops.ts';
import { workers } from '../../shared/contract/workers.ts';
import { queueWorker } from '../../shared/platform/queue/queue-worker.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { deliver } from '../../shared/webhooks/delivery/deliver.ts';
import { DeliveryMessage, firstAttempt } from '../../shared/webhooks/delivery/delivery-message.ts';
import { newDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries, events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { makeProgram } from '../support/program.ts';
import { sqsRecord } from '../support/sqs-record.ts';

// The table is real; the queue is a list, and waiting is a clock that is set forward.

let programId: string;
let clock: Date;

beforeEach(async () => {
  ({ programId } = await makeProgram());
  clock = new Date();
  vi.spyOn(console, 'log').mockImplementation(() => {});
  // The standard schedule, and not the short one of the tests.
  vi.stubEnv('WEBHOOK_RETRY_SECONDS', '');
  vi.stubEnv('DELIVERIES_QUEUE_URL', 'https://queues/deliveries');
});

/** The first message of a delivery to a new endpoint. */
const begin = async () => {
  const settings = { url: 'https://example.com/hooks', eventTypes: ['*' as const], active: true };
  const webhook = await createWebhook(programId, settings, clock);
  const event = webhookTestEvent(newRecordId(clock), webhook.id, null, clock);
  const delivery = newDelivery(event, webhook);
  await writeTogether([
    ...events.createWrites(programId, storedEvent(event)),
    ...deliveries.createWrites(programId, delivery),
  ]);
  return { deliveryId: delivery.id, body: JSON.stringify(firstAttempt(programId, delivery).message) };
};

type Queued = Pick<SQSRecord, 'body' | 'messageAttributes'>;

const recordOf = (queued: Queued): SQSRecord => sqsRecord({ ...queued, messageId: randomUUID() });

it('a delivery makes all eight attempts, in more messages than Lambda allows in a loop and far fewer than the limit', async () => {
  const { deliveryId, body } = await begin();
  const queue: Queued[] = [{ body, messageAttributes: {} }];
  vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }) => {
    for (const { MessageBody = '', DelaySeconds = 0, MessageAttributes = {} } of (input as SendMessageBatchCommandInput)
      .Entries ?? []) {
      clock = new Date(clock.getTime() + DelaySeconds * 1000);
      const messageAttributes = Object.fromEntries(
        Object.entries(MessageAttributes).map(([name, { StringValue: stringValue = '' }]) => [
          name,
          { stringValue, dataType: 'Number', stringListValues: [], binaryListValues: [] },
        ]),
      );
      queue.push({ body: MessageBody, messageAttributes });
    }
    return {};
  });
  const handler = queueWorker('deliver-webhook', DeliveryMessage, async (message) => {
    await deliver(message, {
      now: () => clock,
      random: () => 0.5,
      post: async () => ({ status: 500, body: '', retryAfter: undefined, error: null }),
    });
  });

  const arn = functionArn('deliver-webhook');
  let traceHeader: string | undefined;
  let messages = 0;
  for (let next = queue.shift(); next; next = queue.shift()) {
    traceHeader = traceHeaderOf(arn, traceHeader ? [traceHeader] : []);
    messages += 1;
    const context = { getRemainingTimeInMillis: () => 1000 } as Context;
    expect(await handler({ Records: [recordOf(next)] }, context, () => {})).toEqual({ batchItemFailures: [] });
  }
  const delivery = await deliveries.get(programId, deliveryId);
  expect(delivery).toMatchObject({ status: 'FAILED', nextAttemptAt: null });
  expect(delivery?.attempts).toHaveLength(8);
  expect(isRunawayLoop(arn, traceHeader)).toBe(true);
  const worker = workers.find(({ id }) => id === 'deliver-webhook');
  expect(messages).toBeGreaterThan(100);
  expect(messages * 100).toBeLessThan((worker && hopLimitOf(worker)) ?? 0);
});
