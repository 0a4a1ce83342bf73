import { ApiError } from '../../contract/errors.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { deleteUsesWrites } from '../uses/counters.ts';
import { promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** Keeps a tombstone: its last redemptions may still become events. */
export const deleteCodeWrites = async (programId: string, code: StoredPromotionalCode, now: Date): Promise<Write[]> => [
  ...promotionalCodes.deleteWrites(programId, code),
  promotionalCodes.tombstoneWrite(programId, code, now),
  ...(await deleteUsesWrites(programId, 'PROMOTIONAL_CODE', code)),
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
    await writeTogether(await deleteCodeWrites(programId, code, now));
    return code;
  });
