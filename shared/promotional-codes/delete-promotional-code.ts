import { ApiError } from '../contract/errors.ts';
import { whileChanging } from '../table/record-store.ts';
import { writeTogether } from '../table/transaction.ts';
import { promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** Deletes a code for good and answers what it was; 404 when there is none. Specification, "DELETE /promotional-codes". */
export const deletePromotionalCode = (programId: string, codeId: string): Promise<StoredPromotionalCode> =>
  whileChanging(async () => {
    const code = await promotionalCodes.get(programId, codeId);
    if (!code) throw new ApiError('not_found', 'Promotional code not found');
    await writeTogether(promotionalCodes.removal(programId, code));
    return code;
  });
