import type { DynamoDBRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
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
