import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportKind, ImportPreset } from '../../shared/contract/imports.ts';
import { imports, isWorking, type StoredImport } from '../../shared/domain/imports/import-record.ts';
import { cancelImport, createImport, planImport, startImport } from '../../shared/domain/imports/manage-imports.ts';
import { type Phase, readRowResults } from '../../shared/domain/imports/row-results.ts';
import { guessMapping, headOf } from '../../shared/domain/imports/rows/mapping.ts';
import type { RowProblem } from '../../shared/domain/imports/rows/read-rows.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { fileState, streamFile } from '../../shared/platform/objects/files.ts';

export interface ImportOptions {
  program: string;
  kind: ImportKind;
  file: string;
  preset?: ImportPreset;
  dryRun?: boolean;
  events?: boolean;
}

export interface ImportReport {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  refused: RowProblem[];
}

const pollMilliseconds = 500;

const waitForEnd = async (programId: string, importId: string): Promise<StoredImport> => {
  for (;;) {
    const record = await imports.get(programId, importId);
    if (!record) throw new Error('The import was deleted with its program');
    if (!isWorking(record.status)) return record;
    await sleep(pollMilliseconds);
  }
};

const reportOf = async (record: StoredImport, programId: string, phase: Phase): Promise<ImportReport> => {
  const { created, updated, unchanged, refused } = phase === 'PLAN' ? record.planned : record.done;
  const problems: RowProblem[] = [];
  for await (const result of readRowResults(programId, record.id, phase)) problems.push(...result.problems);
  return { rows: created + updated + unchanged + refused, created, updated, unchanged, refused: problems };
};

/** Uploads a file, and waits for its dry run, or for its run. Ctrl-C leaves the import running. docs/operations.md#import-a-file */
export const importFile = async ({
  program,
  kind,
  file,
  preset,
  dryRun = false,
  events = false,
}: ImportOptions): Promise<ImportReport> => {
  const { id: programId } = await getProgram(program);
  const { headers } = await headOf(createReadStream(file));
  const { mapping, missing } = guessMapping(kind, headers, preset);
  if (missing.length > 0)
    throw new Error(`The file has no column for ${missing.join(', ')}. Its headers are: ${headers.join(', ')}`);
  const given = { kind, preset: preset ?? null, fileName: basename(file), makesEvents: events };
  const { id } = await createImport(programId, given, new Date());
  const uploaded = { kind: 'import-files', programId, id } as const;
  await streamFile(uploaded, createReadStream(file));
  const etag = (await fileState(uploaded))?.etag;
  if (!etag) throw new Error('The file was uploaded and is not there');
  await planImport(programId, id, { etag, mapping }, new Date());
  const planned = await waitForEnd(programId, id);
  if (planned.status !== 'PLANNED') throw new Error(planned.message ?? 'The import was cancelled');
  if (dryRun) {
    await cancelImport(programId, id, new Date());
    return reportOf(planned, programId, 'PLAN');
  }
  await startImport(programId, id, new Date());
  const done = await waitForEnd(programId, id);
  if (done.status !== 'DONE') throw new Error(done.message ?? 'The import was cancelled');
  return reportOf(done, programId, 'RUN');
};
