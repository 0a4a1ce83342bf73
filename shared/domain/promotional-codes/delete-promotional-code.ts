import { ApiError } from '../../contract/errors.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { usesRemoval } from '../coupons/uses.ts';
import { promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** Keeps a tombstone: its last redemptions may still become events. */
export const codeRemoval = async (programId: string, code: StoredPromotionalCode, now: Date): Promise<Write[]> => [
  ...promotionalCodes.removal(programId, code),
  promotionalCodes.tombstone(programId, code, now),
  ...(await usesRemoval(programId, 'PROMOTIONAL_CODE', code)),
];

/** 404 if there is none. docs/behavior.md#deleting-a-code */
export const deletePromotionalCode = (
  programId: string,
  codeId: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredPromotionalCode> =>
  retryOnConflict(async () => {
    const code = await promotionalCodes.get(programId, codeId);
    if (!code) throw new ApiError('not_found', 'Promotional code not found');
    expectVersion(code, expectedVersions);
    await writeTogether(await codeRemoval(programId, code, now));
    return code;
  });
