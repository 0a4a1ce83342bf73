import type { BodyOf } from '../../contract/operation.ts';
import type { updateReferral as operation } from '../../contract/referrals.ts';
import { editRecord, sentFields } from '../../platform/table/edit.ts';
import { affiliates } from '../affiliates/repository.ts';
import { refuseSelfReferral } from '../attribution/attribution.ts';
import { referrals } from './repository.ts';
import type { StoredReferral } from './rules.ts';

/** 404 if there is none. docs/behavior.md#referral-records */
export const updateReferral = (
  programId: string,
  { referralId, ...fields }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredReferral> =>
  editRecord(referrals, { programId, id: referralId, noun: 'Referral', expectedVersions }, async (referral) => {
    const given = sentFields(fields);
    if (fields.email !== undefined && fields.email !== referral.email && referral.affiliateId) {
      const affiliate = await affiliates.get(programId, referral.affiliateId);
      await refuseSelfReferral(programId, affiliate, fields.email, undefined);
    }
    return { after: { ...referral, ...given, updatedAt: now.toISOString() } };
  });
