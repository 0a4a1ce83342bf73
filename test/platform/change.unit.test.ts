import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { changeOf } from '../../shared/platform/table/change.ts';

const key = { pk: { S: 'PROGRAM#p#SALE' }, sk: { S: '1' } };
const image = (attributes: Record<string, string>) => ({
  ...key,
  kind: { S: 'SALE' },
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { S: value }])),
});
const [first, second] = ['2026-05-01T12:00:00.000Z', '2026-05-02T12:00:00.000Z'];

const changed = (before: Record<string, string> | undefined, after: Record<string, string> | undefined) => {
  const record: DynamoDBRecord = {
    dynamodb: { Keys: key, ...(before && { OldImage: image(before) }), ...(after && { NewImage: image(after) }) },
  };
  return changeOf(record);
};

/** The creation of an item with a key and a kind. */
const createdAt = (pk: string, kind = 'SALE', more: Record<string, AttributeValue> = {}) => {
  const Keys = { pk: { S: pk }, sk: { S: '1' } };
  return changeOf({ dynamodb: { Keys, NewImage: { ...Keys, kind: { S: kind }, ...more } } });
};

it('what a restore writes is no change, the first time and again', () => {
  expect(changed(undefined, { restoredAt: first })).toBeUndefined();
  expect(changed({ restoredAt: first }, { restoredAt: second })).toBeUndefined();
  expect(changed({ name: 'as of now' }, { name: 'as it was', restoredAt: first })).toBeUndefined();
});

it('what happens to a restored record afterwards is one', () => {
  const restored = { name: 'Ben', restoredAt: first };
  expect(changed(restored, { ...restored, name: 'Benjamin' })).toMatchObject({
    recordId: '1',
    after: { name: 'Benjamin' },
  });
  expect(changed(restored, undefined)).toMatchObject({ before: { name: 'Ben' }, after: undefined });
  expect(changed(undefined, { name: 'new' })).toMatchObject({ after: { name: 'new' } });
});

describe('a change', () => {
  it('says whose record it is, what it was and is, and when it was noticed', () => {
    const time = Date.parse('2026-05-01T12:00:00.000Z') / 1000;
    const dynamodb = { Keys: key, OldImage: image({ name: 'Ben' }), NewImage: image({ name: 'Zoë' }) };
    const common = { pk: 'PROGRAM#p#SALE', sk: '1', kind: 'SALE' };
    expect(changeOf({ dynamodb: { ...dynamodb, ApproximateCreationDateTime: time } })).toEqual({
      programId: 'p',
      kind: 'SALE',
      recordId: '1',
      before: { ...common, name: 'Ben' },
      after: { ...common, name: 'Zoë' },
      noticedAt: new Date(first),
    });
    expect(changeOf({ dynamodb })?.noticedAt).toEqual(new Date(0));
  });

  it('of a key is one of its kind in the table, whatever kind of key it is', () => {
    expect(createdAt('PROGRAM#p#API_KEY', 'CONNECTOR')).toMatchObject({ kind: 'API_KEY', recordId: '1' });
    expect(createdAt('PROGRAM#p#SALE', 'CONNECTOR')).toBeUndefined();
  });

  it('keeps large numbers exactly', () => {
    const created = createdAt('PROGRAM#p#SALE', 'SALE', { sum: { N: '9007199254740993' }, count: { N: '2' } });
    expect(created?.after).toMatchObject({ sum: 9007199254740993n, count: 2 });
  });

  it.each([
    ['PROGRAM#p#PAYOUT_BATCH', 'PAYOUT_BATCH', 'p'],
    ['PROGRAM#0a-1#SALE', 'SALE', '0a-1'],
  ])('of %s is one of the %s of a program', (pk, kind, programId) =>
    expect(createdAt(pk, kind)).toMatchObject({ programId, kind }),
  );

  it.each([
    ['a unique value', 'PROGRAM#p#SALE#EXTERNAL_ID', 'SALE'],
    ['a unique value that says another kind', 'PROGRAM#p#SALE#EXTERNAL_ID', 'EXTERNAL_ID'],
    ['an item of another kind', 'PROGRAM#p#SALE', 'COUPON'],
    ['a lower-case kind', 'PROGRAM#p#sale', 'sale'],
    ['a number for a kind', 'PROGRAM#p#1', '1'],
    ['no program', 'PROGRAM##SALE', 'SALE'],
    ['no kind', 'PROGRAM#p#', ''],
    ['a program alone', 'PROGRAM#p', 'PROGRAM'],
    ['an account', 'ACCOUNT#p#SALE', 'SALE'],
    ['a key within another', 'OLD_PROGRAM#p#SALE', 'SALE'],
    ['a sum beside it', 'PROGRAM#p#SALE2', 'SALE'],
  ])('of %s is none of a record: %s', (_, pk, kind) => expect(createdAt(pk, kind)).toBeUndefined());

  it.each<DynamoDBRecord>([
    {},
    { dynamodb: {} },
    { dynamodb: { Keys: key } },
    { dynamodb: { NewImage: image({}) } },
    { dynamodb: { Keys: key, NewImage: key } },
  ])('without what is needed is none: %j', (record) => expect(changeOf(record)).toBeUndefined());
});
