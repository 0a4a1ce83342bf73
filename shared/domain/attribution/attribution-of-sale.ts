import { ApiError, fieldError } from '../../contract/errors.ts';
import { type Attribution, affiliateByIdOrSlug, affiliateOf, refuseInactiveAffiliate, uuid } from './attribution.ts';

/** What a sale takes over from the referral of its customer. */
interface ReferralOfCustomer {
  affiliateId: string | null;
  affiliateLinkId: string | null;
  subscriptionStatus: string;
}

/** Referrals are above attribution, so whoever records the sale passes where they are read. */
interface Referrals<Referral> {
  get: (programId: string, id: string) => Promise<Referral | undefined>;
  find: (programId: string, by: 'EMAIL', email: string) => Promise<Referral | undefined>;
}

export interface AttributionOfSale<Referral extends ReferralOfCustomer> extends Attribution {
  referral: Referral | undefined;
}

/** By a referral, an affiliate, a link or a referral's email; 404 if there is none. docs/behavior.md#creating-a-sale */
export const attributionByReference = async <Referral extends ReferralOfCustomer>(
  programId: string,
  { referralId, email }: { referralId?: string | null | undefined; email?: string | null | undefined },
  referrals: Referrals<Referral>,
): Promise<AttributionOfSale<Referral>> => {
  const referral = referralId
    ? uuid.test(referralId)
      ? await referrals.get(programId, referralId)
      : undefined
    : await referrals.find(programId, 'EMAIL', email ?? '');
  if (referral) {
    const affiliate = await affiliateOf(programId, referral.affiliateId);
    return { affiliate, referral, affiliateLinkId: referral.affiliateLinkId, redeemed: undefined };
  }
  const { affiliate, affiliateLinkId } = referralId
    ? await affiliateByIdOrSlug(programId, referralId)
    : { affiliate: undefined, affiliateLinkId: null };
  if (!affiliate) throw new ApiError('not_found', 'Referral not found');
  return { affiliate, referral: undefined, affiliateLinkId, redeemed: undefined };
};

/** See docs/behavior.md#attribution */
export const refuseInactive = (attribution: AttributionOfSale<ReferralOfCustomer>, field: string): void => {
  refuseInactiveAffiliate(attribution, field);
  if (attribution.referral && attribution.referral.subscriptionStatus !== 'ACTIVE')
    throw fieldError(field, 'The referral is not active', 'referral_not_active');
};
