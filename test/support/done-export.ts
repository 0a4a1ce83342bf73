import { exports, type StoredExport } from '../../shared/domain/exports/export-record.ts';
import { ended } from '../../shared/domain/exports/manage-exports.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { storeAll, unnoticed } from './sales.ts';

/** Ends what runs, so that another export can be requested. */
export const endExports = async (programId: string): Promise<void> => {
  const running = await exports.find(programId, 'RUNNING', 'RUNNING');
  if (!running) return;
  const after: StoredExport = { ...running, ...ended(new Date()), status: 'FAILED', message: 'Ended by a test' };
  await writeTogether(exports.updateWrites(programId, running, after));
};

/** An export whose worker has gone: it runs since then, and nobody will end it. */
export const makeAbandonedExport = async (programId: string, since: Date): Promise<StoredExport> => {
  const at = since.toISOString();
  const record: StoredExport = {
    id: newRecordId(since),
    createdAt: at,
    updatedAt: at,
    version: 1,
    status: 'RUNNING',
    attempt: 1,
    counts: {},
    bytes: null,
    finishedAt: null,
    expiresAt: null,
    message: null,
  };
  await storeAll(unnoticed(exports.createWrites(programId, record)));
  return record;
};

/** An export of which nothing runs: it says that it is DONE, and its file is not there. */
export const makeDoneExport = async (programId: string, now = new Date(), keptDays = 7): Promise<StoredExport> => {
  const record: StoredExport = {
    id: newRecordId(now),
    createdAt: now.toISOString(),
    version: 1,
    status: 'DONE',
    attempt: 1,
    counts: { groups: 1, sales: 2 },
    bytes: 1000,
    expiresAt: new Date(now.getTime() + keptDays * 86_400_000).toISOString(),
    message: null,
    ...ended(now),
  };
  await writeTogether(exports.createWrites(programId, record));
  return record;
};
