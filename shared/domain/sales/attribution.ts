import { ApiError, fieldError } from '../../contract/errors.ts';
import type { RedemptionReason } from '../../contract/promotional-codes.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { coupons } from '../coupons/repository.ts';
import { links } from '../links/repository.ts';
import { type ReadForRedemption, redemptionSentences } from '../promotional-codes/redemption.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { usesForRedemption, withUsesOf } from '../promotional-codes/uses.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';

/** Who is credited for a sale or a referral, and by what. */
export interface Attribution {
  affiliate: StoredAffiliate | undefined;
  referral: StoredReferral | undefined;
  affiliateLinkId: string | null;
  redeemed: ReadForRedemption | undefined;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The 400 of a code that cannot be redeemed, with its stable reason. Decisions, "/sales". */
export const redemptionRefusal = (reason: RedemptionReason): ApiError =>
  fieldError('promoCode', redemptionSentences[reason], reason);

const affiliateOf = async (programId: string, id: string | null): Promise<StoredAffiliate | undefined> =>
  id === null ? undefined : affiliates.get(programId, id);

/** The affiliate of a uuid or of the slug of one of its links; the link only in the second case. */
export const affiliateByIdOrSlug = async (
  programId: string,
  idOrSlug: string,
): Promise<{ affiliate: StoredAffiliate | undefined; affiliateLinkId: string | null }> => {
  if (uuid.test(idOrSlug)) return { affiliate: await affiliates.get(programId, idOrSlug), affiliateLinkId: null };
  const link = await links.find(programId, 'SLUG', idOrSlug.toLowerCase());
  return { affiliate: link && (await affiliates.get(programId, link.affiliateId)), affiliateLinkId: link?.id ?? null };
};

/** Credits by a code: its affiliate, where it has one. `code_not_found` when there is no such code. */
export const attributionByCode = async (
  programId: string,
  promoCode: string,
  isExact: boolean,
): Promise<Attribution> => {
  const code = await promotionalCodes.find(programId, 'CODE', promoCode);
  if (!code) throw redemptionRefusal('code_not_found');
  const readCoupon = async () => {
    const coupon = await coupons.get(programId, code.couponId);
    if (!coupon) throw redemptionRefusal('coupon_invalid');
    return { coupon, couponUses: await usesForRedemption(programId, 'COUPON', coupon, isExact) };
  };
  const [{ coupon, couponUses }, codeUses, affiliate] = await Promise.all([
    readCoupon(),
    usesForRedemption(programId, 'PROMOTIONAL_CODE', code, isExact),
    affiliateOf(programId, code.affiliateId),
  ]);
  const counted = { code: withUsesOf(code, codeUses), coupon: withUsesOf(coupon, couponUses) };
  return {
    affiliate,
    referral: undefined,
    affiliateLinkId: null,
    redeemed: { ...counted, codeUses, couponUses },
  };
};

const attributionByReferral = async (programId: string, referral: StoredReferral): Promise<Attribution> => ({
  affiliate: await affiliateOf(programId, referral.affiliateId),
  referral,
  affiliateLinkId: referral.affiliateLinkId,
  redeemed: undefined,
});

/** Credits by a referral's uuid, an affiliate's uuid or the slug of a link, or by a referral's email; 404 if there is none. */
export const attributionByReference = async (
  programId: string,
  { referralId, email }: { referralId?: string | null | undefined; email?: string | null | undefined },
): Promise<Attribution> => {
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

/** 400 where the affiliate or the referral that would be credited is not active. Decisions, "/sales". */
export const refuseInactive = ({ affiliate, referral }: Pick<Attribution, 'affiliate' | 'referral'>, field: string) => {
  if (affiliate && affiliate.status !== 'ACTIVE')
    throw fieldError(field, 'The affiliate is not active', 'affiliate_not_active');
  if (referral && referral.subscriptionStatus !== 'ACTIVE')
    throw fieldError(field, 'The referral is not active', 'referral_not_active');
};
