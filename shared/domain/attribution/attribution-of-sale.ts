import { ApiError, fieldError } from '../../contract/errors.ts';
import { begin } from '../../platform/concurrency/begin.ts';
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
  referringHost: string | null;
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
  const { affiliateId, affiliateLinkId, referringHost, email: emailOfReferral } = referral;
  if (affiliateId !== null) onFound({ affiliateId, emailOfReferral });
  const affiliate = await affiliateOf(programId, affiliateId);
  return { affiliate, referral, affiliateLinkId, referringHost, via, redeemed: undefined };
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

interface Customer<Referral> {
  byEmail: Promise<Referral | undefined>;
  customerId: string | null | undefined;
}

/**
 * A customer stays with the affiliate who brought them: by their referral, else by their click, else as a code `otherwise` says.
 * 404 without any. docs/behavior.md#why-an-affiliate-is-credited
 */
export const attributionByCustomer = async <Referral extends ReferralOfCustomer>(
  programId: string,
  { byEmail, customerId }: Customer<Referral>,
  { byClick, otherwise }: { byClick: Promise<Attribution> | undefined; otherwise: Attribution | undefined },
  referrals: Referrals<Referral>,
): Promise<AttributionOfSale<Referral>> => {
  const readById = async () => (customerId ? referrals.find(programId, 'EXTERNAL_ID', customerId) : undefined);
  const besideClick = byClick && begin(readById());
  const referral = (await byEmail) ?? (await (besideClick ?? readById()));
  if (referral) return byReferral(programId, referral, 'CUSTOMER', referrals.onFound);
  const found = (await byClick) ?? otherwise;
  if (!found) throw referralNotFound();
  return { ...found, referral: undefined };
};

/** See docs/behavior.md#attribution */
export const refuseInactive = (attribution: AttributionOfSale<ReferralOfCustomer>, field: string): void => {
  refuseInactiveAffiliate(attribution, field);
  if (attribution.referral && attribution.referral.subscriptionStatus !== 'ACTIVE')
    throw fieldError(field, 'The referral is not active', 'referral_not_active');
};
