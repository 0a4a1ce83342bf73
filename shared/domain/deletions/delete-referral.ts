import { requireRecord } from '../../contract/errors.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { salesStayOutOfPayoutBatches } from '../payouts/unpaid.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';

/** By UUID or email; 404, or 409 while its sales are in an unpaid payout batch. docs/behavior.md#cascades */
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
