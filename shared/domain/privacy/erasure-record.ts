import * as z from 'zod';
import { erasureStatuses } from '../../contract/erasures.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';

/** All records twice, because the first pass finds ids that lead to more; later what requests in flight have written; then its own traces. */
const passes = ['FIND', 'ERASE', 'SWEEP', 'FORGET'] as const;

export const StoredErasure = z.object({
  ...storedFields,
  /** Keyed, so that no guess can be checked without the secret. */
  emailHash: z.string(),
  encryptedEmail: z.string().nullable(),
  status: z.enum(erasureStatuses),
  endedAt: z.string().nullable(),
  /** Items by their kind; those of deleted records as TOMBSTONE. */
  erased: z.record(z.string(), z.number()),
  pass: z.enum(passes),
  step: z.number(),
  after: z.string().nullable(),
  sweepAt: z.string().nullable(),
});
export type StoredErasure = z.infer<typeof StoredErasure>;

export class ErasureRunning extends Error {
  override name = 'ErasureRunning';
}

export const erasures = recordStore({
  table: 'records',
  kind: 'ERASURE',
  keepsActor: true,
  schema: StoredErasure,
  uniques: {
    EMAIL: ({ emailHash, status }) =>
      status === 'RUNNING' ? { value: emailHash, refusal: () => new ErasureRunning() } : undefined,
  },
});
