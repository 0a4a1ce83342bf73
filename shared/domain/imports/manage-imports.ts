import { ApiError, fieldError } from '../../contract/errors.ts';
import type { ImportKind, ImportPreset } from '../../contract/imports.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { imports, isWorking, noCounts, type StoredImport } from './import-record.ts';
import type { Mapping } from './rows/read-rows.ts';

interface NewImport {
  kind: ImportKind;
  preset: ImportPreset | null;
  fileName: string;
  makesEvents: boolean;
}

/** Makes room for a file; nothing is read before `planImport`. docs/behavior.md#imports */
export const createImport = async (
  programId: string,
  { kind, preset, fileName, makesEvents }: NewImport,
  now: Date,
): Promise<StoredImport> => {
  const at = now.toISOString();
  const record: StoredImport = {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    importKind: kind,
    preset,
    fileName,
    etag: null,
    mapping: null,
    makesEvents,
    status: 'UPLOADING',
    position: 0,
    summedBatchId: null,
    rowCount: null,
    planned: noCounts,
    done: noCounts,
    message: null,
    finishedAt: null,
  };
  await writeTogether(imports.createWrites(programId, record));
  return record;
};

const target = (programId: string, id: string) => ({ programId, id, noun: 'Import' });

const refuseStatus = (): ApiError =>
  new ApiError('conflict', 'The import has moved on. Reload the page to see where it is.');

/** Starts the dry run of the uploaded content, again after another mapping. 404, 409 while it or another one runs. */
export const planImport = (
  programId: string,
  importId: string,
  { etag, mapping }: { etag: string; mapping: Mapping },
  now: Date,
): Promise<StoredImport> =>
  editRecord(imports, target(programId, importId), (record) => {
    if (record.status !== 'UPLOADING' && record.status !== 'PLANNED' && record.status !== 'FAILED')
      throw refuseStatus();
    if (!Object.values(mapping).some(Boolean)) throw fieldError('mapping', 'Choose a column for at least one header');
    return {
      after: {
        ...record,
        etag,
        mapping: { ...mapping },
        status: 'PLANNING',
        position: 0,
        rowCount: null,
        planned: noCounts,
        message: null,
        finishedAt: null,
        updatedAt: now.toISOString(),
      },
    };
  });

/** Starts the run of what was planned. 404, 409 if it is not planned or another import runs. */
export const startImport = (programId: string, importId: string, now: Date): Promise<StoredImport> =>
  editRecord(imports, target(programId, importId), (record) => {
    if (record.status !== 'PLANNED') throw refuseStatus();
    const beginning = { position: 0, summedBatchId: null, done: noCounts } as const;
    return { after: { ...record, ...beginning, status: 'RUNNING', updatedAt: now.toISOString() } };
  });

/** What was imported stays. Nothing happens to an import that has ended. 404. */
export const cancelImport = (programId: string, importId: string, now: Date): Promise<StoredImport> =>
  editRecord(imports, target(programId, importId), async (record) => {
    if (!isWorking(record.status) && record.status !== 'PLANNED' && record.status !== 'UPLOADING') return undefined;
    const at = now.toISOString();
    return { after: { ...record, status: 'CANCELLED', finishedAt: at, updatedAt: at } };
  });
