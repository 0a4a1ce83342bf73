import { requireRecord } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { salesStayOutOfPayoutBatches } from '../payouts/unpaid.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';

/**
 * Deletes a referral, by uuid or email; its unpaid sales follow in the background. 404 when there is none, 409 while
 * some of them are in a payout batch that is not paid.
 */
export const deleteReferral = (
  programId: string,
  idOrEmail: string,
  expectedVersions: readonly number[] | undefined,
): Promise<StoredReferral> =>
  whileChanging(async () => {
    const found = idOrEmail.includes('@')
      ? await referrals.find(programId, 'EMAIL', idOrEmail)
      : await referrals.get(programId, idOrEmail);
    const referral = requireRecord(found, 'Referral');
    expectVersion(referral, expectedVersions);
    await writeTogether([
      ...referrals.removal(programId, referral),
      ...(await salesStayOutOfPayoutBatches(programId, referral)),
    ]);
    return referral;
  });
