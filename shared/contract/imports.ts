/** What an import reads, a file each. docs/behavior.md#imports */
export const importKinds = ['affiliates', 'links', 'referrals', 'coupons', 'codes', 'sales'] as const;
export type ImportKind = (typeof importKinds)[number];

export const importPresets = ['rewardful', 'firstpromoter', 'tolt', 'dub'] as const;
export type ImportPreset = (typeof importPresets)[number];

/** A file is uploaded, planned by a dry run, and then run. */
export const importStatuses = ['UPLOADING', 'PLANNING', 'PLANNED', 'RUNNING', 'DONE', 'CANCELLED', 'FAILED'] as const;
export type ImportStatus = (typeof importStatuses)[number];

export const rowOutcomes = ['created', 'updated', 'unchanged', 'refused'] as const;
export type RowOutcome = (typeof rowOutcomes)[number];
