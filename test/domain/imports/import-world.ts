import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DynamoDBRecord } from 'aws-lambda';
import { stringify } from 'csv-stringify/sync';
import type { ImportKind } from '../../../shared/contract/imports.ts';
import { imports, isWorking } from '../../../shared/domain/imports/import-record.ts';
import { createImport, planImport, startImport } from '../../../shared/domain/imports/manage-imports.ts';
import { readRowResults } from '../../../shared/domain/imports/row-results.ts';
import { runImport } from '../../../shared/domain/imports/run-import.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { newProgram, now } from '../../support/domain.ts';
import { watchRecords } from '../../support/watch-records.ts';

export type Row = Record<string, string | number | undefined>;

const csvOf = (rows: readonly Row[]): string => stringify([...rows], { header: true });

interface WorldSettings {
  plan?: 'FREE' | 'BUSINESS';
  currency?: string;
  timeZone?: string;
}

/** A program that imports files, and the worker that counts what is imported. */
export const importWorld = async ({ plan: ofAccount = 'BUSINESS', ...overrides }: WorldSettings = {}) => {
  const ownerEmail = `${randomUUID()}@example.com`;
  const { programId } = await createProgram({ name: 'Imported', ownerEmail, plan: ofAccount }, now);
  const program = newProgram({ id: programId, ...overrides });
  const changes = watchRecords(program);
  const stream: DynamoDBRecord[] = [];
  let text = '';
  const tools = {
    openFile: async () => {
      const content = Readable.from([Buffer.from(text)]);
      return { content, bytes: text.length, etag: 'etag', writtenAt: 0 };
    },
    send: async () => undefined,
    now: () => now,
  };
  const read = async (id: string) => {
    const found = await imports.get(programId, id);
    if (!found) throw new Error('There is no such import');
    return found;
  };
  const work = async (id: string) => {
    while (isWorking((await read(id)).status)) await runImport({ programId, importId: id }, tools);
    return read(id);
  };
  const plan = async (kind: ImportKind, rows: readonly Row[], makesEvents = false) => {
    text = csvOf(rows);
    const { id } = await createImport(programId, { kind, preset: null, fileName: 'file.csv', makesEvents }, now);
    const mapping = Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, name]));
    await planImport(programId, id, { etag: 'etag', mapping }, now);
    return work(id);
  };
  const results = async (id: string, phase: 'PLAN' | 'RUN') => {
    const all = [];
    for await (const { row, outcome, problems } of readRowResults(programId, id, phase))
      all.push(
        problems.length === 0
          ? `${row} ${outcome}`
          : `${row} ${problems.map(({ column, message }) => `${column}: ${message}`).join('; ')}`,
      );
    return all;
  };
  return {
    program,
    tools,
    plan,
    work,
    read,
    results,
    start: async (id: string) => {
      await startImport(programId, id, now);
      return work(id);
    },
    setText: (content: string) => {
      text = content;
    },
    /** Plans and runs a file; what the dry run said of each row, and what the run did. */
    run: async (kind: ImportKind, rows: readonly Row[], makesEvents = false) => {
      const { id, status, message, planned } = await plan(kind, rows, makesEvents);
      if (status !== 'PLANNED') throw new Error(`The import is ${status}: ${message}`);
      await startImport(programId, id, now);
      const { done, ...record } = await work(id);
      return { id, record, planned, done, plan: await results(id, 'PLAN'), results: await results(id, 'RUN') };
    },
    /** Counts what was imported, as the stream tells the totals worker. */
    count: async () => {
      stream.push(...(await changes()));
      while (stream.length > 0) await updateTotals(await countableChangesOf(stream.splice(0, 50)), now);
    },
  };
};
