import { ApiError } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { usesRemoval } from '../coupons/uses.ts';
import { promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** Deletes a code as it was read. Its last redemptions may still be on their way to become events: its state stays. */
export const codeRemoval = async (programId: string, code: StoredPromotionalCode, now: Date): Promise<Write[]> => [
  ...promotionalCodes.removal(programId, code),
  promotionalCodes.tombstone(programId, code, now),
  ...(await usesRemoval(programId, 'PROMOTIONAL_CODE', code)),
];

/** Deletes a code for good and answers what it was; 404 when there is none. Specification, "DELETE /promotional-codes". */
export const deletePromotionalCode = (
  programId: string,
  codeId: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredPromotionalCode> =>
  whileChanging(async () => {
    const code = await promotionalCodes.get(programId, codeId);
    if (!code) throw new ApiError('not_found', 'Promotional code not found');
    expectVersion(code, expectedVersions);
    await writeTogether(await codeRemoval(programId, code, now));
    return code;
  });
