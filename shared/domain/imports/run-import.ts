import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { FileReplaced, type openFile } from '../../platform/objects/files.ts';
import { PlannedItems, withDryRun } from '../../platform/table/dry-run.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { dayIn } from '../../platform/time/days.ts';
import { withinPlan } from '../programs/record-bound.ts';
import { programs, type StoredProgram } from '../programs/repository.ts';
import { type Counts, imports, isWorking, type StoredImport } from './import-record.ts';
import type { ImportContext, RowResult } from './import-row.ts';
import { type RowHandler, rowHandler } from './row-handlers.ts';
import { type Phase, rowResultsWrite } from './row-results.ts';
import { ImportFileError } from './rows/cells.ts';
import { rowsOfFile } from './rows-of-file.ts';
import { allImportedBatches, batchesOfDays, sumImportedBatches } from './sales/imported-batches.ts';
import { type Window, windowsOf } from './windows.ts';

export const ImportMessage = z.strictObject({ programId: z.string(), importId: z.string() });
type Message = z.output<typeof ImportMessage>;

export interface ImportTools {
  openFile: typeof openFile;
  send: (message: Message) => Promise<void>;
  now: () => Date;
}

const workMilliseconds = 10_000;
/** Slower than a program may write, so that its own requests and others' find room. docs/behavior.md#imports */
const maxRowsPerSecond = 130;

const countsWith = (counts: Counts, results: readonly RowResult[]): Counts => {
  const sum = { ...counts };
  for (const { outcome } of results) sum[outcome] += 1;
  return sum;
};

interface Work {
  record: StoredImport;
  program: StoredProgram;
  phase: Phase;
  tools: ImportTools;
  isTimeOver: () => boolean;
}

const writeProgress = async (
  { program, phase, tools }: Work,
  before: StoredImport,
  progress: Pick<StoredImport, 'position' | 'planned' | 'done'>,
  results: readonly RowResult[],
): Promise<void> => {
  const write = (record: StoredImport) =>
    writeTogether([
      rowResultsWrite(program.id, { importId: record.id, phase, now: tools.now() }, results),
      ...imports.updateWrites(program.id, record, { ...record, ...progress }, { isEdit: false, still: ['position'] }),
    ]);
  try {
    await write(before);
  } catch (error) {
    const since = error instanceof ConcurrentModificationError ? await imports.get(program.id, before.id) : undefined;
    // The report has the rows that were being written when the import was cancelled.
    if (since?.status === 'CANCELLED' && since.position === before.position) await write(since);
    throw error;
  }
};

/** The import after more rows, if nobody has cancelled it and no other worker was first. */
const keepProgress = async (work: Work, before: StoredImport, results: readonly RowResult[]): Promise<StoredImport> => {
  const counted = work.phase === 'PLAN' ? 'planned' : 'done';
  const progress = {
    planned: before.planned,
    done: before.done,
    position: results.at(-1)?.row ?? before.position,
    [counted]: countsWith(before[counted], results),
  };
  await writeProgress(work, before, progress, results);
  return { ...before, ...progress };
};

const finish = async (
  { program, tools }: Work,
  before: StoredImport,
  changes: Partial<StoredImport> & Pick<StoredImport, 'status'>,
): Promise<void> => {
  const after = { ...before, ...changes, updatedAt: tools.now().toISOString() };
  await writeTogether(imports.updateWrites(program.id, before, after, { still: ['position'] }));
};

const contextOf = ({ record, program, phase, tools }: Work): ImportContext => ({
  program,
  importId: record.id,
  makesEvents: record.makesEvents,
  isDryRun: phase === 'PLAN',
  now: tools.now(),
});

/** Adds up the payouts of these batches. Returns false, with the progress stored, if the time runs out first. */
const sumUp = async (
  work: Work,
  record: StoredImport,
  batchIds: Iterable<string> | AsyncIterable<string>,
): Promise<boolean> => {
  const { id: programId } = work.program;
  const summedBatchId = await sumImportedBatches(contextOf(work), batchIds, work.isTimeOver);
  if (summedBatchId === undefined) return true;
  await writeTogether(imports.updateWrites(programId, record, { ...record, summedBatchId }, { isEdit: false }));
  return false;
};

/** For a run that ends early: the file that names the days of payout may be gone. */
const sumUpAll = async (work: Work, record: StoredImport): Promise<boolean> =>
  record.importKind !== 'sales' ||
  work.phase === 'PLAN' ||
  sumUp(work, record, allImportedBatches(work.program.id, record.summedBatchId));

const fail = async (work: Work, before: StoredImport, message: string): Promise<boolean> => {
  if (!(await sumUpAll(work, before))) return false;
  await finish(work, before, { status: 'FAILED', message, finishedAt: work.tools.now().toISOString() });
  return true;
};

const pace = async ({ phase }: Work, rows: number, since: number): Promise<void> => {
  const left = (rows / maxRowsPerSecond) * 1000 - (performance.now() - since);
  if (phase === 'RUN' && left > 0) await sleep(left);
};

const importWindow = async (
  work: Work,
  { rows, known }: Window,
  importRows: RowHandler['importRows'],
  planned: PlannedItems,
): Promise<RowResult[]> => {
  const context = contextOf(work);
  const sentence = 'The program has as many records as its plan allows. The rest of the file was not imported.';
  const run = () => importRows(context, rows);
  const imported = context.isDryRun
    ? await withDryRun(planned, run)
    : await withinPlan(work.program, { now: context.now, sentence }, run);
  return [...imported, ...known].toSorted((one, other) => one.row - other.row);
};

const countOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const finishRows = async (work: Work, record: StoredImport, paidDays: ReadonlySet<string>): Promise<boolean> => {
  if (work.phase === 'PLAN') {
    await finish(work, record, { status: 'PLANNED', rowCount: countOf(record.planned), position: 0 });
    return true;
  }
  if (!(await sumUp(work, record, batchesOfDays(work.program, paidDays, record.summedBatchId)))) return false;
  await finish(work, record, { status: 'DONE', finishedAt: work.tools.now().toISOString() });
  return true;
};

/** Works through the file from where the import is; true at its end. */
const workThrough = async (work: Work, content: Readable): Promise<boolean> => {
  const { program, phase } = work;
  const handler = rowHandler(work.record.importKind, program.id);
  const planned = new PlannedItems();
  const paidDays = new Set<string>();
  const onPaid = (paidAt: string) => paidDays.add(dayIn(program.timeZone, paidAt));
  let record = work.record;
  let since = performance.now();
  const rows = rowsOfFile(content, record, contextOf(work));
  for await (const window of windowsOf(rows, record, handler, { phase, onPaid })) {
    const results = await importWindow(work, window, handler.importRows, planned);
    record = await keepProgress(work, record, results);
    await pace(work, window.rows.length, since);
    since = performance.now();
    if (work.isTimeOver()) return false;
  }
  return finishRows(work, record, paidDays);
};

const readFile = async (work: Work, etag: string | null): Promise<Readable | undefined> => {
  const file = { kind: 'import-files', programId: work.program.id, id: work.record.id } as const;
  try {
    return (await work.tools.openFile(file, etag ?? undefined))?.content;
  } catch (error) {
    if (error instanceof FileReplaced) return undefined;
    throw error;
  }
};

const workOnRows = async (work: Work): Promise<boolean> => {
  const content = await readFile(work, work.record.etag);
  if (!content)
    return fail(work, work.record, 'The file is no longer there, or was uploaded again. Upload it and begin anew.');
  try {
    return await workThrough(work, content);
  } finally {
    content.destroy();
  }
};

const isCutShort = (record: StoredImport | undefined): boolean =>
  record?.status === 'CANCELLED' && record.rowCount !== null;

const workOn = async (work: Work): Promise<boolean> => {
  const { program, record } = work;
  if (isCutShort(record)) return sumUpAll(work, record);
  if (!isWorking(record.status)) return true;
  try {
    return await workOnRows(work);
  } catch (error) {
    const isOfFile = error instanceof ImportFileError;
    if (!isOfFile && !(error instanceof ConcurrentModificationError)) throw error;
    const since = await imports.get(program.id, record.id);
    if (isOfFile && since && isWorking(since.status)) return fail(work, since, error.message);
    return !isCutShort(since);
  }
};

/**
 * A bounded part of the dry run or the run of an import; sends the message of the rest. May be killed at any point and come
 * several times: rows that were written are found again. docs/behavior.md#imports
 */
export const runImport = async ({ programId, importId }: Message, tools: ImportTools): Promise<void> => {
  const [program, record] = await Promise.all([programs.get(programId, programId), imports.get(programId, importId)]);
  if (!program || !record) return;
  const end = tools.now().getTime() + workMilliseconds;
  const phase = record.status === 'PLANNING' ? 'PLAN' : 'RUN';
  const isTimeOver = () => tools.now().getTime() >= end;
  if (!(await workOn({ record, program, phase, tools, isTimeOver }))) await tools.send({ programId, importId });
};
