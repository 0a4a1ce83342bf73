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

/** Who is credited for a sale, and by what. */
export interface SaleAttribution extends Attribution {
  referral: StoredReferral | undefined;
}

const attributionByReferral = async (programId: string, referral: StoredReferral): Promise<SaleAttribution> => ({
  affiliate: await affiliateOf(programId, referral.affiliateId),
  referral,
  affiliateLinkId: referral.affiliateLinkId,
  redeemed: undefined,
});

/** Credits by a referral's uuid, an affiliate's uuid or the slug of a link, or by a referral's email; 404 if there is none. */
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

/** 400 where the affiliate or the referral that would be credited is not active. */
export const refuseInactive = (attribution: SaleAttribution, field: string): void => {
  refuseInactiveAffiliate(attribution, field);
  if (attribution.referral && attribution.referral.subscriptionStatus !== 'ACTIVE')
    throw fieldError(field, 'The referral is not active', 'referral_not_active');
};
