import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withActor } from '../../shared/platform/table/actor.ts';
import { UpdateParts } from '../../shared/platform/table/update-parts.ts';
import { makeNote, notes } from '../support/notes.ts';
import { events, key, keyOfName, note, refusals, type Tagged, tagged } from './tagged-notes.ts';

beforeEach(() => {
  vi.stubEnv('RECORDS_TABLE', 'the records');
  vi.stubEnv('TRAFFIC_TABLE', 'the traffic');
});
afterEach(() => {
  vi.unstubAllEnvs();
});
const inGroup = (group: string) => ({ gsi1pk: `PROGRAM#p#COUPON#GROUP#${group}` });
const keyOfCode = (code: string) => ({ pk: 'PROGRAM#p#SALE#EXTERNAL_ID', sk: code });
const sale = (more: Partial<Tagged> = {}): Tagged => ({ ...note, version: 1, tags: {}, name: 'one', ...more });

describe('the writes of a creation', () => {
  it('are the record with its kind and index entries, and its unique values, none of which may be there', () => {
    const writes = notes.createWrites('p', note);
    const common = { TableName: 'the records', ConditionExpression: 'attribute_not_exists(pk)' };
    expect(writes).toMatchObject([
      { Put: { ...common, Item: { ...key, ...inGroup('all'), kind: 'COUPON', ...note } } },
      { Put: { ...common, Item: { ...keyOfName('first'), id: note.id } }, readAfterConflict: true },
    ]);
    expect(Object(writes[1]?.Put?.Item)).toEqual({ ...keyOfName('first'), id: note.id });
    expect(refusals(writes)).toEqual(['ConcurrentModificationError', 'Error']);
  });

  it('have no index entry where the record has none, and one item for each of several values', () => {
    expect(notes.createWrites('p', { ...note, group: null })[0]?.Put?.Item).not.toHaveProperty('gsi1pk');
    const values = tagged.createWrites('p', sale({ name: 'a b' })).slice(1);
    expect(values.map(({ Put }) => Put?.Item?.sk)).toEqual(['a', 'b']);
  });

  it.each([
    ['the actor where the kind keeps it', () => tagged.createWrites('p', sale()), 'MEMBER:1'],
    ['no actor where it does not', () => notes.createWrites('p', note), undefined],
  ])('say %s', (_, writesOf, by) => {
    expect(withActor('MEMBER:1', writesOf)[0]?.Put?.Item?.by).toBe(by);
    expect(writesOf()[0]?.Put?.Item).not.toHaveProperty('by');
  });

  it('are in the table of the kind, and have a bound in size in the table of records only', () => {
    const large = { ...makeNote(0), text: 'x'.repeat(200 * 1024) };
    expect(events.createWrites('p', large)[0]?.Put?.TableName).toBe('the traffic');
    expect(events.updateWrites('p', makeNote(0), large)[0]?.Update?.TableName).toBe('the traffic');
    expect(() => tagged.createWrites('p', sale({ name: large.text }))).toThrow('100 KB is the most');
  });

  it('count a large number in their size', () =>
    expect(events.createWrites('p', { ...makeNote(0), count: 2n ** 60n })).toHaveLength(1));
});

describe('the writes of an edit', () => {
  it('change what differs, remove what is not there any more, and raise the version that they expect', () => {
    const after = { ...note, name: 'second', updatedAt: 'later', group: null };
    const [update, claim, release] = notes.updateWrites('p', note, after);
    expect(update?.Update).toEqual({
      TableName: 'the records',
      Key: key,
      UpdateExpression:
        'SET #updatedAt = :updatedAt, #version = :version, #name = :name, #group = :group REMOVE #gsi1pk',
      ConditionExpression: '#version = :before',
      ExpressionAttributeNames: {
        '#version': 'version',
        '#name': 'name',
        '#updatedAt': 'updatedAt',
        '#group': 'group',
        '#gsi1pk': 'gsi1pk',
      },
      ExpressionAttributeValues: {
        ':before': 3,
        ':version': 4,
        ':name': 'second',
        ':updatedAt': 'later',
        ':group': null,
      },
    });
    expect(claim?.Put?.Item).toEqual({ ...keyOfName('second'), id: note.id });
    expect(release?.Delete).toEqual({
      TableName: 'the records',
      Key: keyOfName('first'),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': note.id },
    });
    expect(refusals(notes.updateWrites('p', note, after))).toEqual([
      'ConcurrentModificationError',
      'Error',
      'ConcurrentModificationError',
    ]);
  });

  it('leave unique values that stay, and removes nothing that it need not', () => {
    const writes = notes.updateWrites('p', note, { ...note, group: 'other' });
    expect(writes).toHaveLength(1);
    expect(writes[0]?.Update?.UpdateExpression).toBe('SET #version = :version, #group = :group, #gsi1pk = :gsi1pk');
    const words = tagged.updateWrites('p', sale({ name: 'a b' }), sale({ name: 'b c' })).slice(1);
    expect(words.map(({ Put, Delete }) => [Put?.Item?.sk, Delete?.Key?.sk])).toEqual([
      ['c', undefined],
      [undefined, 'a'],
    ]);
  });

  it('carry the copies of a unique value that stays, where they change', () => {
    const [, , claim] = tagged.createWrites('p', sale({ code: 'a' }), { EXTERNAL_ID: { status: 'known' } });
    expect(claim?.Put?.Item).toEqual({ ...keyOfCode('a'), name: 'one', status: 'known', id: note.id });
    const writes = tagged.updateWrites('p', sale({ code: 'a' }), sale({ code: 'a', name: 'two' }));
    expect(writes.find(({ Update }) => Update?.Key?.sk === 'a')?.Update).toEqual({
      TableName: 'the records',
      Key: keyOfCode('a'),
      UpdateExpression: 'SET #n0 = :v0',
      ConditionExpression: 'id = :id',
      ExpressionAttributeNames: { '#n0': 'name' },
      ExpressionAttributeValues: { ':id': note.id, ':v0': 'two' },
    });
    expect(refusals(writes).slice(1)).toEqual(['Error', 'ConcurrentModificationError', 'ConcurrentModificationError']);
    expect(tagged.updateWrites('p', sale({ code: 'a' }), sale({ code: 'a', updatedAt: 'later' }))).toHaveLength(1);
  });

  it('tell values of one name from the same ones of another', () => {
    const writes = tagged.updateWrites('p', sale({ name: 'a' }), sale({ name: 'b', code: 'a' })).slice(1);
    const keys = writes.map(({ Put, Delete }) => Put?.Item?.pk ?? Delete?.Key?.pk);
    expect(keys).toEqual(['PROGRAM#p#SALE#WORD', 'PROGRAM#p#SALE#EXTERNAL_ID', 'PROGRAM#p#SALE#WORD']);
  });

  it('that are no edit keep the version and the actor, and have no bound in size', () => {
    const large = { ...note, group: 'x'.repeat(200 * 1024) };
    const [update] = notes.updateWrites('p', note, large, { isEdit: false });
    expect(update?.Update?.ExpressionAttributeValues).not.toHaveProperty(':version');
    expect(() => notes.updateWrites('p', note, large)).toThrow('100 KB is the most');
    const counted = () => tagged.updateWrites('p', sale(), sale({ updatedAt: 'later' }), { isEdit: false });
    expect(withActor('MEMBER:1', counted)[0]?.Update?.ExpressionAttributeNames).not.toHaveProperty('#by');
    const told = () => tagged.updateWrites('p', sale(), sale({ updatedAt: 'later' }), { isEdit: false, saysWho: true });
    expect(withActor('MEMBER:1', told)[0]?.Update?.ExpressionAttributeValues).toMatchObject({ ':by': 'MEMBER:1' });
  });

  it.each([
    ['MEMBER:1', 'request-1', 'SET #version = :version, #by = :by, #req = :req'],
    ['MEMBER:1', undefined, 'SET #version = :version, #by = :by REMOVE #req'],
    [undefined, undefined, 'SET #version = :version REMOVE #by, #req'],
  ])('say that their actor is %s and their request %s where the kind keeps it', (actor, req, expression) => {
    const edit = () => tagged.updateWrites('p', sale(), sale());
    const [update] = actor === undefined ? edit() : withActor(actor, edit, req);
    expect(update?.Update?.UpdateExpression).toBe(expression);
    expect(update?.Update?.ExpressionAttributeValues).toMatchObject({
      ...(actor && { ':by': actor }),
      ...(req && { ':req': req }),
    });
    const [other] = withActor('MEMBER:1', () => notes.updateWrites('p', note, note));
    expect(other?.Update?.UpdateExpression).toBe('SET #version = :version');
  });

  it('may expect values as they were read', () => {
    const [update] = notes.updateWrites('p', note, { ...note, group: 'other' }, { still: ['group', 'name'] });
    expect(update?.Update?.ConditionExpression).toBe(
      '#version = :before AND #group = :still_group AND #name = :still_name',
    );
    expect(update?.Update?.ExpressionAttributeNames).toMatchObject({ '#group': 'group', '#name': 'name' });
    expect(update?.Update?.ExpressionAttributeValues).toMatchObject({ ':still_group': 'all', ':still_name': 'first' });
  });

  it('add one entry to a map where it is there or has room', () => {
    const after = sale({ tags: { a: '1', b: '2' } });
    const [update] = tagged.updateWrites('p', sale({ tags: { a: '1' } }), after, { isEdit: false });
    expect(update?.Update).toMatchObject({
      UpdateExpression: 'SET #tags.#mapEntry = :mapEntry',
      ConditionExpression: '#version = :before AND (attribute_exists(#tags.#mapEntry) OR size(#tags) < :max)',
      ExpressionAttributeNames: { '#version': 'version', '#tags': 'tags', '#mapEntry': 'b' },
      ExpressionAttributeValues: { ':before': 1, ':mapEntry': '2', ':max': 2 },
    });
  });

  it.each([
    ['none', { a: '1' }, { a: '2' }],
    ['none', { a: '1' }, {}],
    ['two', {}, { a: '1', b: '2' }],
  ])('refuse a map with %s more', (_, before, after) => {
    const edit = () => tagged.updateWrites('p', sale({ tags: before }), sale({ tags: after }));
    expect(edit).toThrow('A change adds one entry to tags, no more and no less');
  });
});

it('a map that was not there yet takes its first entry', () => {
  const parts = new UpdateParts(1);
  parts.addEntry('tags', { before: undefined, after: { a: 1 }, max: 5 });
  expect(parts.expressions.ExpressionAttributeValues).toEqual({ ':before': 1, ':mapEntry': 1, ':max': 5 });
  expect(() => parts.addEntry('tags', { before: {}, after: undefined, max: 5 })).toThrow('no more and no less');
});
