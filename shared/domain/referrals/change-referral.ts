import { ApiError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updateReferral as operation } from '../../contract/referrals.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { salesStayOutOfPayoutBatches } from '../payouts/unpaid.ts';
import { referrals } from './repository.ts';
import type { StoredReferral } from './rules.ts';

const requireReferral = (referral: StoredReferral | undefined): StoredReferral => {
  if (!referral) throw new ApiError('not_found', 'Referral not found');
  return referral;
};

/** Changes the given fields of a referral; 404 when there is none. Decisions, "/referrals". */
export const updateReferral = (
  programId: string,
  { referralId, ...fields }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredReferral> =>
  whileChanging(async () => {
    const referral = requireReferral(await referrals.get(programId, referralId));
    expectVersion(referral, expectedVersions);
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const changed: StoredReferral = { ...referral, ...given, updatedAt: now.toISOString() };
    await writeTogether(referrals.change(programId, referral, changed));
    return { ...changed, version: referral.version + 1 };
  });

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
    const referral = requireReferral(found);
    expectVersion(referral, expectedVersions);
    await writeTogether([
      ...referrals.removal(programId, referral),
      ...(await salesStayOutOfPayoutBatches(programId, referral)),
    ]);
    return referral;
  });
