import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import * as z from 'zod';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { storedFields } from '../../shared/platform/table/keys.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { recordStore } from '../../shared/platform/table/record-store.ts';

// Records as small as possible, for tests of what every store does. They lie where coupons do.

const StoredNote = z.object({ ...storedFields, name: z.string(), group: z.string().nullable() });
export type StoredNote = z.infer<typeof StoredNote>;

export const notesIn = (group: string) => ({ index: 'GSI1', parts: ['GROUP', group] }) as const;

class NameTaken extends Error {}

export const notes = recordStore({
  table: 'records',
  kind: 'COUPON',
  schema: StoredNote,
  indexes: ({ group }) => (group === null ? [] : [notesIn(group)]),
  uniques: { EXTERNAL_ID: ({ name }) => ({ value: name, refusal: () => new NameTaken(name) }) },
});

const start = Date.parse('2026-03-01T00:00:00.000Z');
/** So many milliseconds after the start. */
export const moment = (milliseconds: number): string => new Date(start + milliseconds).toISOString();

/** A note that was created at a moment. */
export const makeNote = (milliseconds: number, more: Partial<StoredNote> = {}): StoredNote => ({
  id: newRecordId(new Date(start + milliseconds)),
  createdAt: moment(milliseconds),
  updatedAt: moment(milliseconds),
  version: 1,
  name: `note ${milliseconds}`,
  group: 'all',
  ...more,
});

/** Notes in a program of their own, each a millisecond after the one before it, without what else their creation writes. */
export const storeNotes = async (count: number, more: (at: number) => Partial<StoredNote> = () => ({})) => {
  const programId = randomUUID();
  const stored = Array.from({ length: count }, (_, at) => makeNote(at, more(at)));
  const pk = partition(programId, notes.kind);
  const puts = stored.map((note) => ({
    PutRequest: { Item: { pk, sk: note.id, gsi1pk: `${pk}#GROUP#${note.group}`, ...note } },
  }));
  for (let at = 0; at < count; at += 25)
    await documents.send(
      new BatchWriteCommand({ RequestItems: { [deployedName('records')]: puts.slice(at, at + 25) } }),
    );
  return { programId, stored };
};

/** The commands that are sent to the tables from now on. */
export const sentCommands = () => {
  const send = vi.spyOn(documents, 'send');
  return () =>
    send.mock.calls.map(([command]) => ({
      name: command.constructor.name,
      input: command.input as unknown as Record<string, unknown>,
    }));
};
