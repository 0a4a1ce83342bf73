import type * as z from 'zod';
import { type ApiError, fieldError } from '../../contract/errors.ts';
import { attribution as attributionField } from '../../contract/fields.ts';
import type { RedemptionReason } from '../../contract/promotional-code-record.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { affiliateOfSlug } from '../affiliates/find-affiliate.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { isForPayouts } from '../coupons/rules.ts';
import { readReviewRules } from '../programs/review-rules.ts';
import { findCodeWithOwners } from '../promotional-codes/find-code.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { isSameEmail, reasonsToHold } from '../review/rules.ts';
import { usesForRedemption, withUsesOf } from '../uses/counters.ts';
import { type ReadForRedemption, redemptionSentences } from './redemption.ts';

export const StoredAttribution = attributionField;
export type StoredAttribution = z.infer<typeof StoredAttribution>;
export type Via = NonNullable<StoredAttribution>['via'];

export interface Attribution {
  affiliate: StoredAffiliate | undefined;
  affiliateLinkId: string | null;
  via: Via;
  clickedAt?: string | undefined;
  referringHost?: string | null | undefined;
  redeemed: ReadForRedemption | undefined;
}

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The 400 with its stable reason. docs/behavior.md#reasons */
export const redemptionRefusal = (reason: RedemptionReason): ApiError =>
  fieldError('promoCode', redemptionSentences[reason], reason);

export const affiliateOf = async (programId: string, id: string | null): Promise<StoredAffiliate | undefined> =>
  id === null ? undefined : affiliates.get(programId, id);

/** Who will be credited, known before the affiliate is read, and the email of the referral that names the affiliate. */
export interface Expected {
  affiliateId: string;
  emailOfReferral?: string | undefined;
}

/** By UUID or link slug; `link` is set only for a slug. */
export const affiliateByIdOrSlug = async (
  programId: string,
  idOrSlug: string,
  onFound: OnFound<Expected> = readNothingBeside,
): Promise<Pick<Attribution, 'affiliate' | 'affiliateLinkId' | 'via'>> => {
  const read = (affiliateId: string) => {
    onFound({ affiliateId });
    return affiliates.get(programId, affiliateId);
  };
  if (uuid.test(idOrSlug)) return { affiliate: await read(idOrSlug), affiliateLinkId: null, via: 'MANUAL' };
  const found = await affiliateOfSlug(programId, idOrSlug);
  return {
    affiliate: found && (await read(found.affiliateId)),
    affiliateLinkId: found?.linkId ?? null,
    via: 'LINK',
  };
};

/** Credits the code's affiliate, if it has one and is not paid by the code; throws `code_not_found`. docs/behavior.md#attribution */
export const attributionByCode = async (
  programId: string,
  promoCode: string,
  isExact: boolean,
  onFound: OnFound<Expected> = readNothingBeside,
): Promise<Attribution> => {
  const readAt = performance.now();
  const found = await findCodeWithOwners(programId, promoCode, ({ affiliateId }) => {
    if (affiliateId !== null) onFound({ affiliateId });
  });
  if (!found) throw redemptionRefusal('code_not_found');
  const { code } = found;
  const readCoupon = async () => {
    const coupon = await found.coupon;
    if (!coupon) throw redemptionRefusal('coupon_invalid');
    return { coupon, couponUses: await usesForRedemption(programId, 'COUPON', coupon, isExact) };
  };
  const [{ coupon, couponUses }, codeUses, affiliate] = await Promise.all([
    readCoupon(),
    usesForRedemption(programId, 'PROMOTIONAL_CODE', code, isExact),
    found.affiliate,
  ]);
  const counted = { code: withUsesOf(code, codeUses), coupon: withUsesOf(coupon, couponUses) };
  return {
    affiliate: isForPayouts(coupon) ? undefined : affiliate,
    affiliateLinkId: null,
    via: 'CODE',
    redeemed: { ...counted, affiliateEmail: affiliate?.email, codeUses, couponUses, readAt },
  };
};

/** What the record keeps of it. Null where nobody is credited. docs/behavior.md#why-an-affiliate-is-credited */
export const storedAttribution = ({
  affiliate,
  affiliateLinkId,
  via,
  clickedAt,
  redeemed,
}: Attribution): StoredAttribution =>
  affiliate
    ? { via, affiliateLinkId, promotionalCodeId: redeemed?.code.id ?? null, clickedAt: clickedAt ?? null }
    : null;

/** See docs/behavior.md#attribution */
export const refuseInactiveAffiliate = ({ affiliate }: Pick<Attribution, 'affiliate'>, field: string): void => {
  if (affiliate && affiliate.status !== 'ACTIVE')
    throw fieldError(field, 'The affiliate is not active', 'affiliate_not_active');
};

/** Whether the code is limited to that affiliate, who then may be the customer. */
export const isForAffiliateAlone = (code: StoredPromotionalCode | undefined, { id }: { id: string }): boolean =>
  code?.limitToAffiliate === true && code.affiliateId === id;

/** Whether the customer is the affiliate, and no code allows that. docs/behavior.md#self-referral */
export const isOwnCustomer = (
  affiliate: StoredAffiliate | undefined,
  customerEmail: string | null | undefined,
  code: StoredPromotionalCode | undefined,
): boolean =>
  affiliate !== undefined &&
  customerEmail != null &&
  isSameEmail(affiliate.email, customerEmail) &&
  !isForAffiliateAlone(code, affiliate);

/** Whether the program refuses self-referral here. Reads the program only if the customer is the affiliate. docs/behavior.md#self-referral */
export const isSelfReferral = async (
  programId: string,
  ...customer: Parameters<typeof isOwnCustomer>
): Promise<boolean> => isOwnCustomer(...customer) && (await readReviewRules(programId)).selfReferral === 'BLOCK';

/** 400 with `self_referral`. docs/behavior.md#self-referral */
export const refuseSelfReferral = async (...customer: Parameters<typeof isSelfReferral>): Promise<void> => {
  if (await isSelfReferral(...customer)) reasonsToHold([['SELF_REFERRAL', 'BLOCK']]);
};
