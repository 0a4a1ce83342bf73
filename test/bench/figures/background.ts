import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { storedSaleId } from '../../../shared/domain/sales/sale-id.ts';
import { type Kind, partition } from '../../../shared/platform/table/partition.ts';
import { acceptMessages, type RecordedCalls, recordCalls } from '../../speed/recorded-calls.ts';
import { makeWorld } from '../../speed/world.ts';
import { startScriptedReceiver } from '../../support/receiver.ts';
import { useDatabase } from './database.ts';

export interface BackgroundFigures {
  work: string;
  calls: RecordedCalls;
}

/** As the stream reports a record that was created. */
const creationOf = (programId: string, kind: Kind, record: { id: string }): DynamoDBRecord => {
  const Keys = { pk: partition(programId, kind), sk: record.id };
  const change = {
    eventID: record.id,
    eventName: 'INSERT',
    dynamodb: {
      Keys: marshall(Keys),
      NewImage: marshall({ ...Keys, kind, ...record }, { removeUndefinedValues: true }),
      SequenceNumber: '1'.padStart(21, '0'),
      ApproximateCreationDateTime: Date.now() / 1000,
    },
  };
  // The types of the two libraries differ in what a binary value is.
  return change as unknown as DynamoDBRecord;
};

/** What follows from one sale by a code and from one new code, for a program with one endpoint: one record in a batch. */
export const measureBackground = async (): Promise<BackgroundFigures[]> => {
  await useDatabase();
  const receiver = await startScriptedReceiver();
  try {
    const world = await makeWorld();
    process.env.WEBHOOK_EXTRA_HOSTS = '127.0.0.1';
    const messages = acceptMessages();
    const { programId, code, affiliate } = world;
    for (const { id } of [world.webhook, world.older.webhook]) await world.make('deleteWebhook', { webhookId: id });
    await world.make('createWebhook', { url: receiver.url('/'), eventTypes: ['*'] });
    const { id } = await world.make('createSale', {
      totalEarned: 10,
      promoCode: code.code,
      email: 'buyer@example.com',
    });
    const sale = await sales.get(programId, storedSaleId(id));
    const made = await world.make('createPromotionalCode', {
      couponId: world.coupon.id,
      affiliateId: affiliate.id,
      code: 'BACKGROUND',
    });
    const created = await promotionalCodes.get(programId, made.id);
    if (!sale || !created) throw new Error('The records were not stored');
    const [fanOut, totals, deliver] = await Promise.all([
      import('../../../functions/fan-out-events.ts'),
      import('../../../functions/update-totals.ts'),
      import('../../../functions/deliver-webhook.ts'),
    ]);
    const context = { getRemainingTimeInMillis: () => 60_000 };
    const invoke = async (handler: unknown, Records: readonly object[]) =>
      (handler as (event: object, context: object) => Promise<unknown>)({ Records }, context);
    const figures: BackgroundFigures[] = [];
    const record = async (work: string, act: () => Promise<unknown>) => {
      figures.push({ work, calls: await recordCalls(act) });
    };
    const changes = [
      { what: 'a sale by a code', change: creationOf(programId, 'SALE', sale) },
      { what: 'a new code', change: creationOf(programId, 'PROMOTIONAL_CODE', created) },
    ];
    for (const { what, change } of changes) {
      messages.length = 0;
      await record(`Fan-out of ${what}`, () => invoke(fanOut.handler, [change]));
      const deliveries = messages
        .filter((body) => 'deliveryId' in JSON.parse(body))
        .map(
          (body, at): Partial<SQSRecord> => ({
            messageId: String(at),
            body,
            messageAttributes: {},
            attributes: {
              ApproximateReceiveCount: '1',
              SentTimestamp: '0',
              SenderId: '',
              ApproximateFirstReceiveTimestamp: '0',
            },
          }),
        );
      await record(`Totals of ${what}`, () => invoke(totals.handler, [change]));
      await record(`Delivery of ${what}`, () => invoke(deliver.handler, deliveries));
    }
    return figures;
  } finally {
    receiver.stop();
  }
};
