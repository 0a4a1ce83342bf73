import { createHmac } from 'node:crypto';
import type * as z from 'zod';
import { type Erasure, remainsAfterErasure } from '../../contract/erasures.ts';
import { requireRecord } from '../../contract/errors.ts';
import { encrypt } from '../../platform/secrets/encryption.ts';
import { currentVersion } from '../../platform/secrets/secret-value.ts';
import { type IdempotencyContext, notIdempotent } from '../../platform/table/idempotency-context.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { ErasureRunning, erasures, type StoredErasure } from './erasure-record.ts';
import { encryptionContext } from './found.ts';
import { personalRecords } from './personal-fields.ts';

const hashOf = async (programId: string, email: string): Promise<string> => {
  const { value } = await currentVersion('click-ids');
  return createHmac('sha256', value)
    .update(JSON.stringify(['erasure', programId, email]))
    .digest('base64url');
};

/**
 * Begins to erase the person with that email, which is in its canonical form; `requestedBy` works in the background. Returns the erasure that
 * is running where there is one. docs/behavior.md#erasing-a-person
 */
export const startErasure = async (
  programId: string,
  email: string,
  now: Date,
  { existingRecordId, recordCreated }: Pick<IdempotencyContext, 'existingRecordId' | 'recordCreated'> = notIdempotent,
): Promise<StoredErasure> => {
  const existing = await existingRecordId();
  if (existing !== undefined) return readErasure(programId, existing);
  const id = newRecordId(now);
  const at = now.toISOString();
  const erasure: StoredErasure = {
    id,
    createdAt: at,
    updatedAt: at,
    version: 1,
    emailHash: await hashOf(programId, email),
    encryptedEmail: await encrypt('click-ids', email, encryptionContext(programId, id)),
    status: 'RUNNING',
    endedAt: null,
    erased: {},
    pass: 'FIND',
    step: 0,
    after: null,
    sweepAt: null,
  };
  try {
    await writeTogether([...erasures.createWrites(programId, erasure), ...recordCreated(id)]);
    return erasure;
  } catch (error) {
    if (!(error instanceof ErasureRunning)) throw error;
    const running = await erasures.find(programId, 'EMAIL', erasure.emailHash);
    // It has ended since, so that this one begins.
    return running ?? startErasure(programId, email, now, { existingRecordId, recordCreated });
  }
};

export const readErasure = async (programId: string, id: string): Promise<StoredErasure> =>
  requireRecord(await erasures.get(programId, id), 'Erasure');

/** An erasure as the API shows it: how many items were erased, without the email. */
export const erasureResponse = ({ erased, ...erasure }: StoredErasure): z.input<typeof Erasure> => {
  const of = (kind: string): number => erased[kind] ?? 0;
  const kinds = [...Object.keys(personalRecords), 'TOMBSTONE'];
  return {
    ...erasure,
    records: kinds.reduce((sum, kind) => sum + of(kind), 0),
    erased: {
      affiliates: of('AFFILIATE'),
      links: of('LINK'),
      promotionalCodes: of('PROMOTIONAL_CODE'),
      referrals: of('REFERRAL'),
      sales: of('SALE'),
      deletedRecords: of('TOMBSTONE'),
      events: of('EVENT'),
      deliveries: of('DELIVERY'),
      auditEntries: of('AUDIT'),
    },
    remains: [...remainsAfterErasure],
  };
};
