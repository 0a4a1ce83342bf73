import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Item, kindOf, subjectOf } from '../../infra/admin/items.ts';
import { restore } from '../../infra/admin/restore/restore.ts';
import { fileSource } from '../../infra/admin/restore/source.ts';
import { recordKinds } from '../../shared/contract/needs.ts';
import { belongings } from '../../shared/domain/deletions/purge-program.ts';
import { createProgram, deleteProgram } from '../../shared/domain/programs/programs.ts';
import { programs } from '../../shared/domain/programs/repository.ts';
import { restoredAttribute } from '../../shared/platform/table/change.ts';
import { putItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { workOnDeletion } from '../support/deletions.ts';
import { exportedLines, exportFolder, itemsOf } from '../support/exports.ts';

// A restore brings back every kind of item, checks that it did, and refuses an export that is not whole.

const now = new Date('2026-05-01T12:00:00.000Z');
const folder = exportFolder();
afterAll(folder.remove);
afterEach(() => vi.restoreAllMocks());

/** An item in every partition that a program can have, by the stores, in a new program. */
const newFullProgram = async (): Promise<string> => {
  const { programId } = await createProgram({ name: 'Of a restore', ownerEmail: 'full@example.com' }, now);
  const put = (kind: Parameters<typeof partition>[1], ...rest: string[]) =>
    putItem('records', {
      pk: partition(programId, kind, ...rest),
      sk: 'one',
      id: 'one',
      status: 'ACTIVE',
      note: `${kind} ${rest.join(' ')}`,
      ...(kind === 'TOMBSTONE' ? { deletedAt: '2026-01-01T12:00:00.000Z' } : { createdAt: now.toISOString() }),
    });
  for (const { store, values = [], ofRecord } of Object.values(belongings(webhooks))) {
    await put(store.kind);
    for (const name of [...store.uniqueNames, ...values]) await put(store.kind, name);
    if (ofRecord) await put(...ofRecord('one'));
    await put('TOMBSTONE', store.kind);
  }
  return programId;
};

const isOf = (programId: string) => (item: Item) => subjectOf(item).programId === programId;
const keyOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`;
/** Without what a restore adds, in the order of keys; accounts and programs change with what happens to others. */
const comparable = (items: readonly Item[]) =>
  items
    .filter((item) => !['ACCOUNT', 'PROGRAM'].includes(kindOf(item)))
    .map(({ [restoredAttribute]: _, ...item }) => item)
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

let programId: string;
let lines: string[];
const purge = () => workOnDeletion({ programId, kind: 'PROGRAM', id: programId, step: 0, isSweep: true });
beforeAll(async () => {
  programId = await newFullProgram();
  lines = await exportedLines(programId);
});
/** The export of the program, deleted since. */
const lost = async (): Promise<string> => {
  if (await programs.get(programId, programId)) await deleteProgram(programId);
  await purge();
  return folder.write(programId, lines);
};

/** Has the database lose the puts of a kind without an error. */
const losePutsOf = (kind: string): void => {
  const real = DynamoDBClient.prototype.send;
  vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(function (this: DynamoDBClient, ...args: unknown[]) {
    const [command] = args;
    if (command instanceof PutItemCommand && kindOf((command.input.Item ?? {}) as Item) === kind)
      return Promise.resolve({});
    return Reflect.apply(real, this, args);
  } as typeof real);
};

describe('the export of a program', () => {
  it('has the items of every kind of record, and all that the whole table has of it', async () => {
    const items = itemsOf(lines);
    const kinds = new Set(items.map((item) => kindOf(item).split('#')[0]));
    expect([...kinds].sort()).toEqual(['ACCOUNT', 'HANDLE', 'PROGRAM', ...recordKinds].sort());
    const ofTable = itemsOf(await exportedLines()).filter(isOf(programId));
    expect(comparable(items)).toEqual(comparable(ofTable));
  });

  it('ends with the number of items of each kind', () => {
    const { End } = JSON.parse(lines.at(-1) ?? '');
    expect(End).toMatchObject({ items: lines.length - 1, kinds: { ADJUSTMENT: 1, WEBHOOK: 1, 'SALE#CUSTOMER': 1 } });
    expect(Object.values<number>(End.kinds).reduce((sum, count) => sum + count)).toBe(lines.length - 1);
  });
});

describe('a restore', () => {
  it('brings back every item of every kind, and says so kind by kind', async () => {
    const file = await lost();
    const { kinds, conflicts } = await restore(fileSource(file), {}, now);
    expect(conflicts).toEqual([]);
    expect(comparable(itemsOf(await exportedLines(programId)))).toEqual(comparable(itemsOf(lines)));
    const { PROGRAM, ...counted } = JSON.parse(lines.at(-1) ?? '').End.kinds;
    expect(kinds).toEqual(
      Object.fromEntries(Object.entries(counted).map(([kind, count]) => [kind, { inBackup: count, restored: count }])),
    );
    expect(PROGRAM).toBe(1);
  });

  it.each(['ADJUSTMENT', 'WEBHOOK', 'SALE#DAY', 'TOMBSTONE#COUPON', 'ACCOUNT#PROGRAM'])(
    'that loses %s fails, opens no program, and is completed by the next run',
    async (kind) => {
      const file = await lost();
      losePutsOf(kind);
      await expect(restore(fileSource(file), {}, now)).rejects.toThrow(`The restore is not complete: 0 of 1 ${kind}.`);
      expect(await programs.get(programId, programId)).toBeUndefined();
      vi.restoreAllMocks();
      expect(await restore(fileSource(file), {}, now)).toMatchObject({ programs: 1, items: 2, leftAlone: [] });
    },
  );

  it('puts what an unfinished program lacks', async () => {
    const file = await lost();
    const program = itemsOf(lines).find((item) => kindOf(item) === 'PROGRAM');
    await putItem('records', {
      pk: partition(programId, 'PROGRAM'),
      sk: programId,
      [restoredAttribute]: now.toISOString(),
      ...unmarshall(program ?? {}),
    });
    expect(await restore(fileSource(file), {}, now)).toMatchObject({ programs: 1, leftAlone: [], conflicts: [] });
    expect(comparable(itemsOf(await exportedLines(programId)))).toEqual(comparable(itemsOf(lines)));
  });
});

describe('an export that is not whole is refused, and nothing is restored:', () => {
  const changed = (text: string): string => text.replace('ADJUSTMENT ', 'ADJUSTED ');
  it.each<[string, (all: string[]) => string[], string]>([
    ['without its last line', (all) => all.slice(0, -1), 'the last line with its counts and checksum is missing'],
    ['cut at a line in the middle', (all) => all.slice(0, all.length / 2), 'the last line with its counts'],
    ['empty', () => [], 'the last line with its counts'],
    [
      'without one item',
      (all) => all.filter((line) => !line.includes(`${programId}#ADJUSTMENT"`)),
      '0 of 1 ADJUSTMENT',
    ],
    ['with an item after its end', (all) => [...all, all[0] ?? ''], '2 of 1 ACCOUNT'],
    ['with a changed item', (all) => all.map(changed), 'its checksum is not that of its last line'],
    ['in another order', (all) => [...all.slice(0, -1).reverse(), all.at(-1) ?? ''], 'its checksum is not'],
  ])('%s', async (name, change, message) => {
    await lost();
    const file = folder.write(name, change(lines));
    await expect(restore(fileSource(file), {}, now)).rejects.toThrow(message);
    expect(
      itemsOf(await exportedLines())
        .filter(isOf(programId))
        .map(kindOf)
        .filter((kind) => !kind.startsWith('TOMBSTONE')),
    ).toEqual([]);
  });
});
