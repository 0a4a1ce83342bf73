import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withActor } from '../../shared/platform/table/actor.ts';
import { notes } from '../support/notes.ts';
import { events, key, keyOfName, note, refusals, tagged } from './tagged-notes.ts';

beforeEach(() => {
  vi.stubEnv('RECORDS_TABLE', 'the records');
  vi.stubEnv('TRAFFIC_TABLE', 'the traffic');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const now = new Date('2026-03-01T12:00:00.500Z');
const day = 24 * 60 * 60;

const conditionOf = (write: object): unknown => Object(Object.values(write)[0]).ConditionExpression;

describe('the writes of a deletion', () => {
  it('delete the record of the version that was read, and what is unique with its id', () => {
    const writes = notes.deleteWrites('p', note);
    expect(writes).toMatchObject([
      {
        Delete: {
          TableName: 'the records',
          Key: key,
          ConditionExpression: '#version = :version',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':version': 3 },
        },
      },
      { Delete: { Key: keyOfName('first'), ExpressionAttributeValues: { ':id': note.id } } },
    ]);
    expect(refusals(writes)).toEqual(['ConcurrentModificationError', 'ConcurrentModificationError']);
  });

  it.each([
    ['with the record', () => notes.tombstoneWrite('p', note, now), note, 'attribute_not_exists(pk)'],
    ['alone', () => notes.deletionWrite('p', note.id, now), {}, undefined],
  ])('leave a tombstone %s for 35 days, which says who deleted it', (_, writeOf, kept, condition) => {
    const ttl = Math.ceil(now.getTime() / 1000) + 35 * day;
    const deletion = { pk: 'PROGRAM#p#TOMBSTONE#COUPON', sk: note.id, deletedAt: now.toISOString(), ttl };
    expect(writeOf().Put).toMatchObject({ TableName: 'the records' });
    expect(writeOf().Put?.Item).toEqual({ ...kept, ...deletion });
    expect(withActor('MEMBER:1', writeOf).Put?.Item).toEqual({ ...kept, ...deletion, by: 'MEMBER:1' });
    expect(conditionOf(writeOf())).toBe(condition);
    expect(writeOf().refusal(undefined)).toBeInstanceOf(Error);
  });
});

describe('a write beside others', () => {
  it('adds to numbers of a record that is there', () => {
    const write = notes.incrementWrite('p', note.id, { count: 1, amount: -(2n ** 60n) });
    expect(write.Update).toEqual({
      TableName: 'the records',
      Key: key,
      UpdateExpression: 'ADD #n0 :v0, #n1 :v1',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#n0': 'count', '#n1': 'amount' },
      ExpressionAttributeValues: { ':v0': 1, ':v1': -(2n ** 60n) },
    });
    expect(refusals([write])).toEqual(['ConcurrentModificationError']);
  });

  it('checks that a record is there, with values that it must have', () => {
    const refusal = () => new RangeError('gone');
    expect(notes.existsCheck('p', note.id, refusal)).toEqual({
      ConditionCheck: { TableName: 'the records', Key: key, ConditionExpression: 'attribute_exists(pk)' },
      refusal,
    });
    expect(notes.existsCheck('p', note.id, refusal, { name: 'first', version: 3 }).ConditionCheck).toEqual({
      TableName: 'the records',
      Key: key,
      ConditionExpression: 'attribute_exists(pk) AND #n0 = :v0 AND #n1 = :v1',
      ExpressionAttributeNames: { '#n0': 'name', '#n1': 'version' },
      ExpressionAttributeValues: { ':v0': 'first', ':v1': 3 },
    });
  });

  it.each([
    ['tags', 2],
    ['others', Number.MAX_SAFE_INTEGER],
  ])('sets an entry of the map %s, which has at most %i, as an edit', (attribute, max) => {
    const writeOf = () => tagged.setMapEntryWrite('p', 'one', { attribute, name: 'a', value: 1, now });
    const names = { '#attribute': attribute, '#name': 'a', '#version': 'version', '#by': 'by', '#req': 'req' };
    const values = { ':value': 1, ':max': max, ':now': now.toISOString(), ':one': 1 };
    const set = 'SET #attribute.#name = :value, updatedAt = :now, #version = #version + :one';
    expect(writeOf().Update).toEqual({
      TableName: 'the records',
      Key: { pk: 'PROGRAM#p#SALE', sk: 'one' },
      UpdateExpression: `${set} REMOVE #by, #req`,
      ConditionExpression: 'attribute_exists(pk) AND (attribute_exists(#attribute.#name) OR size(#attribute) < :max)',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    });
    expect(withActor('MEMBER:1', writeOf, 'request-1').Update).toMatchObject({
      UpdateExpression: `${set}, #by = :by, #req = :req`,
      ExpressionAttributeValues: { ...values, ':by': 'MEMBER:1', ':req': 'request-1' },
    });
    expect(refusals([writeOf()])).toEqual(['ConcurrentModificationError']);
  });

  it('removes an entry of a map that has it, as an edit', () => {
    const writeOf = () => tagged.deleteMapEntryWrite('p', 'one', { attribute: 'tags', name: 'a', now });
    const set = 'SET updatedAt = :now, #version = #version + :one';
    expect(writeOf().Update).toEqual({
      TableName: 'the records',
      Key: { pk: 'PROGRAM#p#SALE', sk: 'one' },
      UpdateExpression: `${set} REMOVE #attribute.#name, #by, #req`,
      ConditionExpression: 'attribute_exists(#attribute.#name)',
      ExpressionAttributeNames: {
        '#attribute': 'tags',
        '#name': 'a',
        '#version': 'version',
        '#by': 'by',
        '#req': 'req',
      },
      ExpressionAttributeValues: { ':now': now.toISOString(), ':one': 1 },
    });
    const { Update } = withActor('MEMBER:1', writeOf);
    expect(Update).toMatchObject({
      UpdateExpression: 'SET updatedAt = :now, #version = #version + :one, #by = :by REMOVE #attribute.#name, #req',
    });
    expect(refusals([writeOf()])).toEqual(['ConcurrentModificationError']);
    const untracked = notes.deleteMapEntryWrite('p', note.id, { attribute: 'tags', name: 'a', now });
    expect(untracked.Update?.UpdateExpression).toBe(`${set} REMOVE #attribute.#name`);
  });
});

it('a store says its kind and what is unique in it', () => {
  expect([notes.kind, notes.uniqueNames, tagged.uniqueNames]).toEqual([
    'COUPON',
    ['EXTERNAL_ID'],
    ['WORD', 'EXTERNAL_ID'],
  ]);
  expect(events.uniqueNames).toEqual([]);
});
