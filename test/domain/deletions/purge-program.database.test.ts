import { describe, expect, it } from 'vitest';
import { purgeSteps } from '../../../shared/domain/deletions/purge-program.ts';
import type { ProgramFile } from '../../../shared/platform/objects/files.ts';
import { queryAllItems } from '../../../shared/platform/table/items.ts';
import { type Kind, partition } from '../../../shared/platform/table/partition.ts';
import { webhooks } from '../../../shared/webhooks/endpoints/repository.ts';
import { newProgram, now, type TestProgram } from '../../support/domain.ts';
import { storeAll } from '../../support/sales.ts';

/** Writes so many items to a partition of a program. */
const fill = (program: TestProgram, [kind, ...rest]: [Kind, ...string[]], count: number) =>
  storeAll(
    Array.from({ length: count }, (_, item) => ({
      Put: {
        TableName: process.env.RECORDS_TABLE ?? '',
        Item: { pk: partition(program.id, kind, ...rest), sk: `id-${String(item).padStart(4, '0')}` },
      },
      refusal: () => new Error('unconditional'),
    })),
  );

const countIn = async (program: TestProgram, [kind, ...rest]: [Kind, ...string[]]): Promise<number> => {
  let count = 0;
  for await (const _item of queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(program.id, kind, ...rest) },
  }))
    count += 1;
  return count;
};

/** Runs all steps to their ends, and returns what was left in the partitions whenever one had to go on. */
const purge = async (program: TestProgram, ...watched: [Kind, ...string[]][]) => {
  const expired: string[] = [];
  const expireFeed = async (programId: string, at: Date) => void expired.push(`${programId} ${at.toISOString()}`);
  const left: number[][] = [];
  const deleted = { programId: program.id, id: program.id };
  const deletedFiles: string[] = [];
  const deleteFile = async ({ kind, programId, id }: ProgramFile) =>
    void deletedFiles.push(`${kind} ${programId} ${id}`);
  for (const step of purgeSteps({ webhooks, expireFeed, deleteFile }))
    for (let after = await step(deleted, undefined, now); after !== undefined; after = await step(deleted, after, now))
      left.push(await Promise.all(watched.map((one) => countIn(program, one))));
  return { left, expired, deletedFiles };
};

describe('the purge of a program', () => {
  it('deletes the file of each import and export, before the record that leads to it', async () => {
    const program = newProgram();
    await fill(program, ['EXPORT'], 101);
    await fill(program, ['IMPORT'], 1);
    const { left, deletedFiles } = await purge(program, ['EXPORT'], ['IMPORT']);
    expect(left).toEqual([[1, 0]]);
    expect(deletedFiles.filter((file) => file.startsWith('export-files'))).toHaveLength(101);
    expect(deletedFiles).toContain(`export-files ${program.id} id-0100`);
    expect(deletedFiles).toContain(`import-files ${program.id} id-0000`);
  });

  it('deletes at most 200 items of a kind in one message', async () => {
    const program = newProgram();
    await fill(program, ['SALE'], 201);
    const expired = [`${program.id} ${now.toISOString()}`];
    expect(await purge(program, ['SALE'])).toMatchObject({ left: [[1]], expired });
    expect(await countIn(program, ['SALE'])).toBe(0);
  });

  it('deletes at most 100 records of a kind under which others lie', async () => {
    const program = newProgram();
    await fill(program, ['COUPON'], 101);
    expect((await purge(program, ['COUPON'])).left).toEqual([[1]]);
    expect(await countIn(program, ['COUPON'])).toBe(0);
  });

  it('deletes a record only after all that lies under it', async () => {
    const program = newProgram();
    await fill(program, ['LINK'], 2);
    await fill(program, ['LINK_CODE', 'id-0000'], 201);
    await fill(program, ['LINK_CODE', 'id-0001'], 1);
    const { left } = await purge(program, ['LINK'], ['LINK_CODE', 'id-0000']);
    expect(left).toEqual([[2, 1]]);
    for (const partitionOf of [['LINK'], ['LINK_CODE', 'id-0000'], ['LINK_CODE', 'id-0001']] as [Kind, ...string[]][])
      expect(await countIn(program, partitionOf)).toBe(0);
  });

  it('takes along unique values, counters and tombstones of every kind', async () => {
    const [program, other] = [newProgram(), newProgram()];
    const partitions: [Kind, ...string[]][] = [
      ['AFFILIATE', 'EMAIL'],
      ['AFFILIATE', 'TOTALS'],
      ['AFFILIATE', 'NAME'],
      ['COUPON', 'USES'],
      ['PROMOTIONAL_CODE', 'USES'],
      ['SALE', 'CUSTOMER'],
      ['SALE', 'DAY'],
      ['TOMBSTONE', 'COUPON'],
      ['TOMBSTONE', 'REFERRAL'],
      ['API_KEY', 'SLOT'],
      ['MEMBER', 'SLOT'],
    ];
    for (const each of [program, other]) for (const one of partitions) await fill(each, one, 1);
    expect((await purge(program)).left).toEqual([]);
    for (const one of partitions) {
      expect([one, await countIn(program, one)]).toEqual([one, 0]);
      expect([one, await countIn(other, one)]).toEqual([one, 1]);
    }
  });
});
