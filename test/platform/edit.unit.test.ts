import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteRecord, editRecord, expectVersion, retryOnConflict } from '../../shared/platform/table/edit.ts';
import { ConcurrentModificationError } from '../../shared/platform/table/keys.ts';
import { makeNote, notes } from '../support/notes.ts';
import { cancelled, stubbedSend } from '../support/stubbed-table.ts';

const note = makeNote(0, { version: 3 });
const target = { programId: 'program', id: note.id, noun: 'note' };
const conflict = () => new ConcurrentModificationError('changed');
const alsoWritten = () => notes.incrementWrite('program', 'other', { count: 1 });

beforeEach(() => {
  vi.stubEnv('RECORDS_TABLE', 'records');
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const found = () => ({ Item: { ...note } });
const sentBy = (send: ReturnType<typeof stubbedSend>) =>
  send.mock.calls.map(([command]) => ({
    name: command.constructor.name,
    kinds: 'TransactItems' in command.input ? command.input.TransactItems?.flatMap((item) => Object.keys(item)) : [],
  }));

describe('an edit', () => {
  it('is written in one transaction with what belongs to it, and returns the next version', async () => {
    const send = stubbedSend(found());
    const after = { ...note, name: 'other' };
    const edited = await editRecord(notes, target, () => ({ after, writes: [alsoWritten()] }));
    expect(edited).toEqual({ ...after, version: 4 });
    expect(sentBy(send)).toEqual([
      { name: 'GetCommand', kinds: [] },
      { name: 'TransactWriteCommand', kinds: ['Update', 'Put', 'Delete', 'Update'] },
    ]);
  });

  it('of nothing writes nothing', async () => {
    const send = stubbedSend(found());
    expect(await editRecord(notes, target, async () => undefined)).toEqual(note);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('reads again after another one, and is made of what it reads then', async () => {
    const later = { Item: { ...note, name: 'later', version: 4 } };
    const send = stubbedSend(found(), cancelled('ConditionalCheckFailed'), later);
    const edit = vi.fn((read: typeof note) => ({ after: { ...read, group: 'other' } }));
    const editing = editRecord(notes, target, edit);
    await vi.runAllTimersAsync();
    expect(await editing).toEqual({ ...note, name: 'later', group: 'other', version: 5 });
    expect(edit.mock.calls.map(([{ name }]) => name)).toEqual([note.name, 'later']);
    expect(send).toHaveBeenCalledTimes(4);
  });

  it('is of the record that the caller finds', async () => {
    const send = stubbedSend();
    const find = async () => note;
    const edited = await editRecord(notes, { programId: 'program', noun: 'note', find }, (read) => ({ after: read }));
    expect(edited.version).toBe(4);
    expect(sentBy(send)).toEqual([{ name: 'TransactWriteCommand', kinds: ['Update'] }]);
  });
});

describe('a deletion', () => {
  it('is written in one transaction with what belongs to it, and returns the record', async () => {
    const send = stubbedSend(found());
    expect(await deleteRecord(notes, target, () => [alsoWritten()])).toEqual(note);
    expect(sentBy(send)[1]).toEqual({ name: 'TransactWriteCommand', kinds: ['Delete', 'Delete', 'Update'] });
  });

  it('needs nothing beside it', async () => {
    const send = stubbedSend(found());
    expect(await deleteRecord(notes, target)).toEqual(note);
    expect(sentBy(send)[1]?.kinds).toEqual(['Delete', 'Delete']);
  });
});

describe.each<[string, (more: object) => Promise<unknown>]>([
  ['an edit', (more) => editRecord(notes, { ...target, ...more }, (read) => ({ after: read }))],
  ['a deletion', (more) => deleteRecord(notes, { ...target, ...more })],
])('%s', (_, change) => {
  it('of a record that is not there is 404 with its noun', async () => {
    const send = stubbedSend({});
    await expect(change({})).rejects.toMatchObject({ status: 404, message: expect.stringContaining('note') });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('of another version than is expected is 412, and of an expected one is made', async () => {
    const send = stubbedSend(found(), found());
    await expect(change({ expectedVersions: [1, 2] })).rejects.toMatchObject({ status: 412 });
    expect(send).toHaveBeenCalledTimes(1);
    await change({ expectedVersions: [2, 3] });
  });
});

it('any version will do where none is expected', () => {
  expect(() => expectVersion(note, undefined)).not.toThrow();
  expect(() => expectVersion(note, [])).toThrow(expect.objectContaining({ status: 412 }));
});

describe('what conflicts', () => {
  const run = async (action: () => Promise<unknown>) => {
    const result = retryOnConflict(action).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    return result;
  };

  it.each([0, 1, 11])('is tried again, after %i conflicts too', async (conflicts) => {
    const action = vi.fn().mockResolvedValue('done');
    for (let at = 0; at < conflicts; at++) action.mockRejectedValueOnce(conflict());
    expect(await run(action)).toBe('done');
    expect(action).toHaveBeenCalledTimes(conflicts + 1);
  });

  it('is 409 after twelve attempts', async () => {
    const action = vi.fn().mockRejectedValue(conflict());
    expect(await run(action)).toMatchObject({ status: 409, cause: expect.any(ConcurrentModificationError) });
    expect(action).toHaveBeenCalledTimes(12);
  });

  it('is not tried again after another error', async () => {
    const action = vi.fn().mockRejectedValue(new Error('other'));
    expect(await run(action)).toMatchObject({ message: 'other' });
    expect(action).toHaveBeenCalledTimes(1);
  });
});
