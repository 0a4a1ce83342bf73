import * as z from 'zod';

/** The kinds of CSV files that can be imported, one record per row. */
export const importKinds = ['affiliates', 'links', 'referrals', 'coupons', 'codes', 'sales'] as const;
export const ImportKind = z.enum(importKinds);
export type ImportKind = z.infer<typeof ImportKind>;

/** The products whose exports can be imported as they are. */
export const importPresets = ['rewardful', 'firstpromoter', 'tolt', 'dub'] as const;
export const ImportPreset = z.enum(importPresets);
export type ImportPreset = z.infer<typeof ImportPreset>;

/** A file is uploaded, planned by a dry run, and then run. */
export const importStatuses = ['UPLOADING', 'PLANNING', 'PLANNED', 'RUNNING', 'DONE', 'CANCELLED', 'FAILED'] as const;
export type ImportStatus = (typeof importStatuses)[number];

export const rowOutcomes = ['created', 'updated', 'unchanged', 'refused'] as const;
export type RowOutcome = (typeof rowOutcomes)[number];
