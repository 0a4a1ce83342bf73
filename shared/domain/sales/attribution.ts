import { ApiError, fieldError } from '../../contract/errors.ts';
import {
  type Attribution,
  affiliateByIdOrSlug,
  affiliateOf,
  refuseInactiveAffiliate,
  uuid,
} from '../attribution/attribution.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';

export interface SaleAttribution extends Attribution {
  referral: StoredReferral | undefined;
}

const attributionByReferral = async (programId: string, referral: StoredReferral): Promise<SaleAttribution> => ({
  affiliate: await affiliateOf(programId, referral.affiliateId),
  referral,
  affiliateLinkId: referral.affiliateLinkId,
  redeemed: undefined,
});

/** By a referral, an affiliate, a link or a referral's email; 404 if there is none. docs/behavior.md#creating-a-sale */
export const attributionByReference = async (
  programId: string,
  { referralId, email }: { referralId?: string | null | undefined; email?: string | null | undefined },
): Promise<SaleAttribution> => {
  const referral = referralId
    ? uuid.test(referralId) && (await referrals.get(programId, referralId))
    : await referrals.find(programId, 'EMAIL', email ?? '');
  if (referral) return attributionByReferral(programId, referral);
  const { affiliate, affiliateLinkId } = referralId
    ? await affiliateByIdOrSlug(programId, referralId)
    : { affiliate: undefined, affiliateLinkId: null };
  if (!affiliate) throw new ApiError('not_found', 'Referral not found');
  return { affiliate, referral: undefined, affiliateLinkId, redeemed: undefined };
};

/** See docs/behavior.md#attribution */
export const refuseInactive = (attribution: SaleAttribution, field: string): void => {
  refuseInactiveAffiliate(attribution, field);
  if (attribution.referral && attribution.referral.subscriptionStatus !== 'ACTIVE')
    throw fieldError(field, 'The referral is not active', 'referral_not_active');
};
