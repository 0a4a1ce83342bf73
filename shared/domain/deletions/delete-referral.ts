import { deleteRecord } from '../../platform/table/edit.ts';
import { salesStayOutOfPayoutBatches } from '../payouts/unpaid.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';

const findNamed = (programId: string, idOrEmail: string): Promise<StoredReferral | undefined> =>
  idOrEmail.includes('@') ? referrals.find(programId, 'EMAIL', idOrEmail) : referrals.get(programId, idOrEmail);

/** By UUID or email; 404, or 409 while its sales are in an unpaid payout batch. docs/behavior.md#cascades */
export const deleteReferral = (
  programId: string,
  idOrEmail: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredReferral> =>
  deleteRecord(
    referrals,
    { programId, find: () => findNamed(programId, idOrEmail), noun: 'Referral', expectedVersions },
    async (referral) => [
      referrals.deletionWrite(programId, referral.id, now),
      ...(await salesStayOutOfPayoutBatches(programId, referral)),
    ],
  );
