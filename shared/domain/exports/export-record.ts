import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { type Export, ExportedName, exportedNames, exportLinkSeconds, exportStatuses } from '../../contract/exports.ts';
import type { ProgramFile } from '../../platform/objects/files.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';

/** A map of the table has no order, and two responses of one record must be equal. */
const inOrder = (counts: Partial<Record<ExportedName, number>>): Partial<Record<ExportedName, number>> =>
  Object.fromEntries(exportedNames.flatMap((name) => (counts[name] === undefined ? [] : [[name, counts[name]]])));

export const StoredExport = z.object({
  ...storedFields,
  status: z.enum(exportStatuses),
  /** How often it was begun: who began it last writes its file. */
  attempt: z.number(),
  counts: z.partialRecord(ExportedName, z.number()).transform(inOrder),
  bytes: z.number().nullable(),
  finishedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  message: z.string().nullable(),
  /** Set when it ends. A running export does not expire, because a unique value points to it. */
  ttl: z.number().optional(),
});
export type StoredExport = z.infer<typeof StoredExport>;

export const isRunning = ({ status }: { status: unknown }): boolean => status === 'REQUESTED' || status === 'RUNNING';

export class ExportRuns extends ApiError {
  constructor() {
    super('conflict', 'Another export of this program is running. Wait until it ends.');
  }
}

/** One at a time of a program, so that exports do not add up to more reads than one makes. */
export const exports = recordStore({
  table: 'records',
  kind: 'EXPORT',
  keepsActor: true,
  schema: StoredExport,
  uniques: {
    RUNNING: (record) => (isRunning(record) ? { value: 'RUNNING', refusal: () => new ExportRuns() } : undefined),
  },
});

export const exportFile = (programId: string, id: string): ProgramFile => ({ kind: 'export-files', programId, id });

export const hasFile = ({ status, expiresAt }: StoredExport, now: Date): boolean =>
  status === 'DONE' && expiresAt !== null && expiresAt > now.toISOString();

/** Signs links to files: given by the functions that may. */
export type SignLink = (file: ProgramFile, link: { fileName: string; seconds: number }) => Promise<string>;

/** A link to its file for 5 minutes; null without a file. docs/behavior.md#exports */
export const exportLink = async (
  programId: string,
  record: StoredExport,
  sign: SignLink,
  now: Date,
): Promise<string | null> => {
  if (!hasFile(record, now)) return null;
  const fileName = `export-${record.createdAt.slice(0, 10)}.zip`;
  return sign(exportFile(programId, record.id), { fileName, seconds: exportLinkSeconds });
};

/** What the API returns of an export, with its version, which is the ETag. */
export const exportResponse = async (
  programId: string,
  record: StoredExport,
  sign: SignLink,
  now: Date,
): Promise<z.input<typeof Export> & { version: number }> => ({
  ...record,
  downloadUrl: await exportLink(programId, record, sign, now),
});
