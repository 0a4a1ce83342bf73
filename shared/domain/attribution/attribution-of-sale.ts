import { ApiError, fieldError } from '../../contract/errors.ts';
import type { OnFound } from '../../platform/concurrency/on-found.ts';
import {
  type Attribution,
  affiliateByIdOrSlug,
  affiliateOf,
  type Expected,
  refuseInactiveAffiliate,
  uuid,
} from './attribution.ts';

/** What a sale takes over from the referral of its customer. */
interface ReferralOfCustomer {
  affiliateId: string | null;
  affiliateLinkId: string | null;
  email: string;
  subscriptionStatus: string;
}

/** Referrals are above attribution, so whoever records the sale passes where they are read. */
interface Referrals<Referral> {
  get: (programId: string, id: string) => Promise<Referral | undefined>;
  find: (programId: string, by: 'EMAIL' | 'EXTERNAL_ID', value: string) => Promise<Referral | undefined>;
  onFound: OnFound<Expected>;
}

export interface AttributionOfSale<Referral extends ReferralOfCustomer> extends Attribution {
  referral: Referral | undefined;
}

const byReferral = async <Referral extends ReferralOfCustomer>(
  programId: string,
  referral: Referral,
  via: 'REFERRAL' | 'CUSTOMER',
  onFound: OnFound<Expected>,
): Promise<AttributionOfSale<Referral>> => {
  const { affiliateId, email: emailOfReferral } = referral;
  if (affiliateId !== null) onFound({ affiliateId, emailOfReferral });
  const affiliate = await affiliateOf(programId, affiliateId);
  return { affiliate, referral, affiliateLinkId: referral.affiliateLinkId, via, redeemed: undefined };
};

const referralNotFound = () => new ApiError('not_found', 'Referral not found');

/** By a referral, an affiliate or a link; 404 if there is none. docs/behavior.md#creating-a-sale */
export const attributionByReference = async <Referral extends ReferralOfCustomer>(
  programId: string,
  referralId: string,
  referrals: Referrals<Referral>,
): Promise<AttributionOfSale<Referral>> => {
  const referral = uuid.test(referralId) ? await referrals.get(programId, referralId) : undefined;
  if (referral) return byReferral(programId, referral, 'REFERRAL', referrals.onFound);
  const { affiliate, affiliateLinkId, via } = await affiliateByIdOrSlug(programId, referralId, referrals.onFound);
  if (!affiliate) throw referralNotFound();
  return { affiliate, referral: undefined, affiliateLinkId, via, redeemed: undefined };
};

interface Customer {
  email?: string | null | undefined;
  customerId?: string | null | undefined;
}

/**
 * A customer stays with the affiliate who brought them: by their referral, else by their click. 404 without either.
 * docs/behavior.md#why-an-affiliate-is-credited
 */
export const attributionByCustomer = async <Referral extends ReferralOfCustomer>(
  programId: string,
  { email, customerId }: Customer,
  byClick: Promise<Attribution> | undefined,
  referrals: Referrals<Referral>,
): Promise<AttributionOfSale<Referral>> => {
  const byEmail = email ? referrals.find(programId, 'EMAIL', email) : undefined;
  // An id of a customer names nobody by itself: it only keeps a click from taking a customer away.
  const byId = byClick && customerId ? referrals.find(programId, 'EXTERNAL_ID', customerId) : undefined;
  const referral = (await byEmail) ?? (await byId);
  if (referral) return byReferral(programId, referral, 'CUSTOMER', referrals.onFound);
  if (!byClick) throw referralNotFound();
  return { ...(await byClick), referral: undefined };
};

/** See docs/behavior.md#attribution */
export const refuseInactive = (attribution: AttributionOfSale<ReferralOfCustomer>, field: string): void => {
  refuseInactiveAffiliate(attribution, field);
  if (attribution.referral && attribution.referral.subscriptionStatus !== 'ACTIVE')
    throw fieldError(field, 'The referral is not active', 'referral_not_active');
};
