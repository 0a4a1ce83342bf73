import { requireRecord } from '../../contract/errors.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { ExportRuns, exports, isRunning, type StoredExport } from './export-record.ts';

/** Longer than its function may run: one that has not moved since is presumed dead. docs/behavior.md#exports */
const abandonedAfterMilliseconds = 20 * 60_000;
const keptAfterEndSeconds = 30 * 24 * 60 * 60;

export const ended = (now: Date): Pick<StoredExport, 'finishedAt' | 'updatedAt' | 'ttl'> => ({
  finishedAt: now.toISOString(),
  updatedAt: now.toISOString(),
  ttl: Math.ceil(now.getTime() / 1000) + keptAfterEndSeconds,
});

/** Ends the running export if it is presumed dead; whether another one may begin. */
const giveUpAbandoned = async (programId: string, now: Date): Promise<boolean> => {
  const record = await exports.find(programId, 'RUNNING', 'RUNNING');
  // It ended meanwhile.
  if (!record || !isRunning(record)) return true;
  if (now.getTime() - Date.parse(record.updatedAt) < abandonedAfterMilliseconds) return false;
  const message = 'The export did not end in time, and another one was requested.';
  try {
    await writeTogether(
      exports.updateWrites(programId, record, { ...record, ...ended(now), status: 'FAILED', message }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConcurrentModificationError) return false;
    throw error;
  }
};

/** Asks for an export; the stream starts it. 409 while another one of the program runs. docs/behavior.md#exports */
export const createExport = async (
  programId: string,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<StoredExport> => {
  const at = now.toISOString();
  const record: StoredExport = {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    status: 'REQUESTED',
    attempt: 0,
    counts: {},
    bytes: null,
    finishedAt: null,
    expiresAt: null,
    message: null,
  };
  const write = () => writeTogether([...exports.createWrites(programId, record), ...recordCreated(record.id)]);
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ExportRuns) || !(await giveUpAbandoned(programId, now))) throw error;
    await write();
  }
  return record;
};

export const findExport = async (programId: string, id: string): Promise<StoredExport> =>
  requireRecord(await exports.get(programId, id), 'Export');
