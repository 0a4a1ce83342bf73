import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { importKinds, importPresets, importStatuses, rowOutcomes } from '../../contract/imports.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';

const Counts = z.record(z.enum(rowOutcomes), z.number());
export type Counts = z.infer<typeof Counts>;

export const noCounts: Counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };

export const StoredImport = z.object({
  ...storedFields,
  importKind: z.enum(importKinds),
  preset: z.enum(importPresets).nullable(),
  fileName: z.string(),
  /** Of the content that was planned: a file that is uploaded again is planned again. */
  etag: z.string().nullable(),
  /** The column of each header; null for headers that are not imported. */
  mapping: z.record(z.string(), z.string().nullable()).nullable(),
  makesEvents: z.boolean(),
  status: z.enum(importStatuses),
  /** The last row that the dry run or the run is done with. */
  position: z.number(),
  /** The last payout batch that has its sums: they are made after the rows, newest first. */
  summedBatchId: z.string().nullable().default(null),
  rowCount: z.number().nullable(),
  planned: Counts,
  done: Counts,
  message: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type StoredImport = z.infer<typeof StoredImport>;

const working: readonly unknown[] = ['PLANNING', 'RUNNING'] satisfies StoredImport['status'][];

export const isWorking = (status: unknown): boolean => working.includes(status);

const anotherRuns = () =>
  new ApiError('conflict', 'Another import of this program is running. Wait until it ends, or cancel it.');

/** One at a time of a program, so that no two write the same rows. */
export const imports = recordStore({
  table: 'records',
  kind: 'IMPORT',
  keepsActor: true,
  schema: StoredImport,
  uniques: {
    RUNNING: ({ status }) => (isWorking(status) ? { value: 'RUNNING', refusal: anotherRuns } : undefined),
  },
});
