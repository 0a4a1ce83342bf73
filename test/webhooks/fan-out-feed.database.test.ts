import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { fanOut as fanOutAt } from '../../shared/webhooks/fan-out/fan-out.ts';
import { readFeed } from '../../shared/webhooks/feed/read.ts';
import { changeRecord } from '../support/changes.ts';
import { at, now } from '../support/domain.ts';
import { testQueues } from '../support/queues.ts';
import { makeStoredCoupon } from '../support/stored-records.ts';
import { storeProgram, storeWebhook } from '../support/webhooks.ts';

const { sentTo } = testQueues();
const fanOut = (records: readonly DynamoDBRecord[]) => fanOutAt(records, () => now);

let logged: string[];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)));
});

const setUp = async () => {
  const program = await storeProgram();
  await storeWebhook(program.id);
  return {
    program,
    created: (sizeBytes?: number) => {
      const coupon = makeStoredCoupon({ id: newRecordId(now), createdAt: at(0), updatedAt: at(0) });
      const record = changeRecord(program, 'COUPON', { after: coupon });
      return { ...record, dynamodb: { ...record.dynamodb, ...(sizeBytes && { SizeBytes: sizeBytes }) } };
    },
    /** A change that makes no event, and is not audited. */
    silent: () => changeRecord(program, 'ADJUSTMENT', { after: { id: newRecordId(now) } }),
    feed: async () => (await readFeed(program.id, { after: 'start', limit: 100, type: undefined }, now)).entries,
    eventIds: () =>
      sentTo('deliveries')
        .filter(({ body }) => body.programId === program.id)
        .map(({ body }): string => body.eventId),
  };
};
type World = Awaited<ReturnType<typeof setUp>>;

/** The table fails to take segments of the feed of one program. */
const refuseFeedOf = ({ program }: World) => {
  const send = documents.send.bind(documents);
  vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
    const text = JSON.stringify(command.input);
    if (text.includes('FEED') && text.includes(program.id) && text.includes('storedAt')) throw new Error('no room');
    return send(command);
  }) as typeof documents.send);
};

describe('the events of a batch', () => {
  it('have their places in the feed of their program, once, however often they come', async () => {
    const [one, other] = [await setUp(), await setUp()];
    const records = [one.created(), other.created(), one.created(), one.silent()];
    expect(await fanOut(records)).toBeUndefined();
    expect(await fanOut(records)).toBeUndefined();
    for (const [world, count] of [
      [one, 2],
      [other, 1],
    ] as const) {
      const ids = (await world.feed()).map(({ id }) => id);
      expect(ids).toHaveLength(count);
      expect(new Set(ids)).toEqual(new Set(world.eventIds()));
    }
  });

  it('come again from the first one without its place in the feed on', async () => {
    const [one, other] = [await setUp(), await setUp()];
    refuseFeedOf(other);
    const records = [other.silent(), one.created(), other.created(), other.created()];
    expect(await fanOut(records)).toBe(records[2]);
    expect(await one.feed()).toHaveLength(1);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      message: 'events not appended to the feed',
      programId: other.program.id,
      errorMessage: 'no room',
    });
    vi.mocked(documents.send).mockRestore();
    expect(await fanOut(records.slice(2))).toBeUndefined();
    expect(await other.feed()).toHaveLength(2);
  });

  it('read their program and its endpoints once', async () => {
    const { created } = await setUp();
    const commands = vi.spyOn(documents, 'send');
    const readsFor = async (records: readonly DynamoDBRecord[]) => {
      commands.mockClear();
      await fanOut(records);
      const inputs = commands.mock.calls.map(([{ input }]) => JSON.stringify(input));
      return inputs.filter((text) => text.includes('WEBHOOK') && text.includes('KeyConditionExpression')).length;
    };
    expect(await readsFor([created()])).toBe(1);
    expect(await readsFor([created(), created(), created()])).toBe(1);
  });

  it.each([
    { what: 'of more than 16 KB', sizeBytes: 16 * 1024 + 1, isFirst: false },
    { what: 'of 16 KB', sizeBytes: 16 * 1024, isFirst: true },
  ])('$what begin before the others: $isFirst', async ({ sizeBytes, isFirst }) => {
    const [large, small] = [await setUp(), await setUp()];
    const begun: string[] = [];
    const send = documents.send.bind(documents);
    vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
      const text = JSON.stringify(command.input);
      for (const [name, { program }] of Object.entries({ large, small }))
        if (text.includes(program.id) && !begun.includes(name)) begun.push(name);
      return send(command);
    }) as typeof documents.send);
    expect(await fanOut([large.created(sizeBytes), small.created()])).toBeUndefined();
    expect(begun).toEqual(isFirst ? ['large', 'small'] : ['small', 'large']);
    expect([large.eventIds(), small.eventIds()]).toEqual([[expect.any(String)], [expect.any(String)]]);
  });
});
