import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { eventCatalogue, eventFamilies, eventsOf, makesEvents } from '../../events/catalogue.ts';
import { Affiliate } from '../../shared/contract/affiliates.ts';
import { eventTypes } from '../../shared/contract/event-types.ts';
import { PromotionalCode } from '../../shared/contract/promotional-codes.ts';
import { noGroups } from '../../shared/domain/groups/rules.ts';
import { connectionJobsOf } from '../../shared/domain/promotional-codes/link-connection-jobs.ts';
import { type Change, changeOf } from '../../shared/platform/table/change.ts';
import { derivedId } from '../../shared/platform/table/derived-id.ts';
import '../support/program.ts';
import { makeStoredAffiliate, makeStoredLink } from '../support/stored-records.ts';

const program = { id: '019a0000-0000-7000-8000-000000000001', currency: 'USD', commissionRate: 15 };
const affiliate = makeStoredAffiliate({
  createdAt: '2026-01-10T12:00:00.250Z',
  updatedAt: '2026-01-10T12:00:00.250Z',
  metadata: { tier: 'gold' },
});
const edited = { ...affiliate, version: 2, updatedAt: '2026-01-11T00:00:00.000Z' };

// Lambda's types and the SDK's name the same attribute values differently.
type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

const streamRecord = (
  before: object | undefined,
  after: object | undefined,
  { pk = `PROGRAM#${program.id}#AFFILIATE`, kind = 'AFFILIATE' as string | undefined, noticed = 1_768_046_400 } = {},
): DynamoDBRecord => {
  const imageOf = (record: object) =>
    marshall({ pk, sk: affiliate.id, gsi1pk: 'x', kind, ...record }, { removeUndefinedValues: true }) as Image;
  return {
    dynamodb: {
      Keys: marshall({ pk, sk: affiliate.id }) as Image,
      ApproximateCreationDateTime: noticed,
      ...(before && { OldImage: imageOf(before) }),
      ...(after && { NewImage: imageOf(after) }),
    },
  };
};

/** The one event of a change, where it makes one. */
const eventOf = async (change: Change) => (await eventsOf(change, program))[0];

const changeFrom = (...given: Parameters<typeof streamRecord>): Change => {
  const change = changeOf(streamRecord(...given));
  if (!change) throw new Error('Not a change of a record');
  return change;
};

const bodyOf = async (change: Change) => JSON.parse((await eventOf(change))?.body ?? 'null');

describe('an event', () => {
  it('of a new record carries the REST record and the time it was made', async () => {
    const event = await eventOf(changeFrom(undefined, affiliate));
    expect(event).toMatchObject({ type: 'affiliate.created', timestamp: affiliate.createdAt });
    const body = JSON.parse(event?.body ?? '');
    expect(Object.keys(body)).toEqual(['id', 'type', 'timestamp', 'actor', 'data']);
    expect(Affiliate.strict().parse(body.data)).toMatchObject({ name: 'Amara Okafor', commissionRate: 15 });
  });

  it('of an edit says what was before, of the changed fields only', async () => {
    const body = await bodyOf(changeFrom(affiliate, { ...edited, lastName: 'Obi', metadata: { tier: 'silver' } }));
    expect(body).toMatchObject({
      type: 'affiliate.updated',
      timestamp: edited.updatedAt,
      data: { name: 'Amara Obi', metadata: { tier: 'silver' } },
    });
    expect(body.previousAttributes).toEqual({
      lastName: 'Okafor',
      name: 'Amara Okafor',
      metadata: { tier: 'gold' },
    });
  });

  it('is not made by counters and totals, nor by an edit that changes nothing', async () => {
    const link = makeStoredLink();
    const counted = { ...link, sales: 9, totalRevenueMinor: 100 };
    const ofLinks = { pk: `PROGRAM#${program.id}#LINK`, kind: 'LINK' };
    expect(await eventOf(changeFrom(link, counted, ofLinks))).toBeUndefined();
    expect(await eventOf(changeFrom(affiliate, edited))).toBeUndefined();
  });

  it('of a deleted record has the time of its tombstone, else the second of its deletion, no earlier than its last edit', async () => {
    const noticed = Date.parse('2026-01-12T10:00:00.000Z') / 1000;
    expect(await bodyOf(changeFrom(affiliate, undefined, { noticed }))).toMatchObject({
      type: 'affiliate.deleted',
      timestamp: '2026-01-12T10:00:00.000Z',
      data: { email: 'amara@example.com' },
    });
    const deletedAt = '2026-01-12T10:00:00.123Z';
    const deletion = { at: deletedAt, by: 'M:ana@example.com' };
    const deletions = async (names: Iterable<string>) => new Map([...names].map((name) => [name, deletion]));
    const none = async () => new Map();
    const nested = { affiliates: none, coupons: none, codes: none, firstSales: none };
    const reads = { ...nested, groups: async () => noGroups, deletions };
    const [known] = await eventsOf(changeFrom(affiliate, undefined, { noticed }), { ...program, reads });
    expect(known?.timestamp).toBe(deletedAt);
    expect(JSON.parse(known?.body ?? '{}').actor).toEqual({ type: 'MEMBER', id: 'ana@example.com' });
    const secondBefore = { noticed: Math.floor(Date.parse(affiliate.updatedAt) / 1000) - 1 };
    expect(await bodyOf(changeFrom(affiliate, undefined, secondBefore))).toMatchObject({
      timestamp: affiliate.updatedAt,
    });
  });

  it('is the same for the same change, and another for every other one', async () => {
    const changes = [
      changeFrom(undefined, affiliate),
      changeFrom(affiliate, { ...edited, lastName: 'Obi' }),
      changeFrom(affiliate, { ...edited, version: 3, lastName: 'Obi' }),
      changeFrom(affiliate, undefined),
    ];
    const [first, second] = await Promise.all([1, 2].map(() => Promise.all(changes.map((change) => eventOf(change)))));
    expect(first).toEqual(second);
    expect(new Set(first?.map((event) => event?.id)).size).toBe(changes.length);
  });

  it('has an id in the form of a UUIDv7 that begins with its time', () => {
    const id = derivedId(new Date(0x019a_0000_0001), 'a', 'b');
    expect(id).toMatch(/^019a0000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(derivedId(new Date(1), 'a', 'bc')).not.toBe(derivedId(new Date(1), 'ab', 'c'));
  });
});

describe('a change of the table', () => {
  it('of what is no record makes none', () => {
    const unique = { pk: `PROGRAM#${program.id}#AFFILIATE#EMAIL`, kind: undefined };
    expect(changeOf(streamRecord(undefined, { id: '1' }, unique))).toBeUndefined();
    expect(changeOf(streamRecord(undefined, {}, { pk: 'ACCOUNT#a@example.com', kind: undefined }))).toBeUndefined();
  });

  it.each(['WEBHOOK', 'API_KEY', 'PROGRAM'])('of a %s makes no event', (kind) => {
    expect(makesEvents(changeFrom(undefined, {}, { pk: `PROGRAM#${program.id}#${kind}`, kind }))).toBe(false);
  });

  it('that is damaged fails loudly', async () => {
    await expect(eventOf(changeFrom(undefined, { id: affiliate.id }))).rejects.toThrow();
  });
});

describe('the work that a change starts', () => {
  const jobs = (kind: string, before: object | undefined, after: object | undefined) =>
    connectionJobsOf(changeFrom(before, after, { pk: `PROGRAM#${program.id}#${kind}`, kind }));
  const programId = program.id;
  const id = affiliate.id;

  it('connects a code that has got an affiliate, and takes a deleted one away', () => {
    expect(jobs('PROMOTIONAL_CODE', undefined, { affiliateId: 'a' })).toEqual([{ programId, codeId: id }]);
    expect(jobs('PROMOTIONAL_CODE', { affiliateId: null }, { affiliateId: 'a' })).toHaveLength(1);
    expect(jobs('PROMOTIONAL_CODE', { affiliateId: 'a' }, { affiliateId: 'a', timesRedeemed: 1 })).toEqual([]);
    expect(jobs('PROMOTIONAL_CODE', undefined, { affiliateId: null })).toEqual([]);
    expect(jobs('PROMOTIONAL_CODE', { affiliateId: 'a' }, undefined)).toEqual([
      { programId, codeId: id, affiliateId: 'a', deleted: true },
    ]);
  });

  it('gives a link that was renamed, and all links of an affiliate whose status changed, their credit', () => {
    const affiliateId = 'a';
    const renamed = jobs('LINK', { link: 'amara', affiliateId }, { link: 'other', affiliateId });
    expect(renamed).toEqual([{ programId, affiliateId, linkId: id }]);
    expect(jobs('LINK', { link: 'amara', affiliateId }, { link: 'Amara', affiliateId })).toEqual([]);
    expect(jobs('AFFILIATE', { status: 'ACTIVE' }, { status: 'BANNED' })).toEqual([{ programId, affiliateId: id }]);
    expect(jobs('AFFILIATE', { status: 'ACTIVE' }, { status: 'ACTIVE' })).toEqual([]);
  });

  it('connects a new link', () => {
    expect(jobs('LINK', undefined, { link: 'amara' })).toEqual([{ programId, linkId: id }]);
    expect(jobs('LINK', { link: 'amara' }, { link: 'amara', destinationUrl: null })).toEqual([]);
    expect(jobs('COUPON', undefined, {})).toEqual([]);
  });
});

describe('the catalogue', () => {
  it('has every type that a webhook can ask for, each with an example of its own schema', () => {
    expect(eventCatalogue.map(({ type }) => type).toSorted()).toEqual(eventTypes.toSorted());
    for (const { schema, example } of eventCatalogue) expect(schema.strict().parse(example)).toEqual(example);
  });

  const examplesOfFamilies = eventFamilies.flatMap(({ entries, editOf }) =>
    entries.map(({ type, schema, example }) => ({ type, schema, example, editOf })),
  );

  it.each(examplesOfFamilies.filter(({ schema }) => 'previousAttributes' in schema.shape))(
    'shows in its example of $type an edit that makes such an event',
    ({ type, example: { timestamp, data, previousAttributes }, editOf }) => {
      const before = { ...data, ...previousAttributes };
      // No type says that these are records of this family. The test above does, by the schemas.
      const edit = editOf(before as never, data as never);
      expect(edit.previousAttributes).toEqual(previousAttributes);
      expect(previousAttributes).not.toEqual({});
      expect(edit.types).toContain(type);
      expect(data).toMatchObject({ updatedAt: timestamp });
      expect(data).not.toMatchObject({ createdAt: timestamp });
    },
  );

  it.each(examplesOfFamilies.filter(({ type }) => type.endsWith('.created')))(
    'shows in its example of $type a record that was not edited since',
    ({ example: { timestamp, data } }) => {
      expect(data).toMatchObject({ createdAt: timestamp, updatedAt: timestamp });
    },
  );

  it('shows in its example of a redemption that it was counted', () => {
    const redeemed = eventCatalogue.find(({ type }) => type === 'promotional_code.redeemed');
    const { timesRedeemed, coupon } = PromotionalCode.parse(redeemed?.example.data);
    expect(timesRedeemed).toBeGreaterThan(0);
    expect(coupon.timesRedeemed).toBeGreaterThanOrEqual(timesRedeemed);
  });
});
