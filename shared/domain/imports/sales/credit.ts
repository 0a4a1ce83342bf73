import { fieldError } from '../../../contract/errors.ts';
import { affiliateOfSlug } from '../../affiliates/find-affiliate.ts';
import { affiliates } from '../../affiliates/repository.ts';
import type { StoredAffiliate } from '../../affiliates/rules.ts';
import { uuid } from '../../attribution/attribution.ts';
import { coupons } from '../../coupons/repository.ts';
import { isForPayouts } from '../../coupons/rules.ts';
import { promotionalCodes } from '../../promotional-codes/repository.ts';
import { referrals } from '../../referrals/repository.ts';
import type { StoredReferral } from '../../referrals/rules.ts';
import { recordsNamed, recordsWithIds, rememberedReads } from '../remembered-reads.ts';
import type { SaleBody } from './sale-row.ts';

/** Who is credited for sales of a program, each affiliate, link, code and coupon read once. Lives for a step of an import. */
export const creditLookups = (programId: string) => {
  const affiliateById = rememberedReads((ids) => recordsWithIds(affiliates, programId, ids));
  const affiliateByEmail = rememberedReads((emails) => recordsNamed(affiliates, programId, 'EMAIL', emails));
  const codeByText = rememberedReads((texts) => recordsNamed(promotionalCodes, programId, 'CODE', texts));
  const couponById = rememberedReads((ids) => recordsWithIds(coupons, programId, ids));
  return {
    affiliateById,
    affiliateByEmail,
    codeByText,
    couponById,
    linkBySlug: rememberedReads(([slug = '']) => affiliateOfSlug(programId, slug).then((found) => [found]), 1),
    referralById: rememberedReads((ids) => recordsWithIds(referrals, programId, ids)),
    ahead: async (rows: readonly { body: SaleBody }[]): Promise<void> => {
      await Promise.all([
        affiliateByEmail.ahead(rows.map(({ body }) => (body.affiliateId ? null : body.affiliateEmail))),
        codeByText.ahead(rows.map(({ body }) => body.promoCode)),
      ]);
      const codes = await Promise.all(
        rows.map(({ body }) => (body.promoCode ? codeByText(body.promoCode) : undefined)),
      );
      await Promise.all([
        affiliateById.ahead([...rows.map(({ body }) => body.affiliateId), ...codes.map((code) => code?.affiliateId)]),
        couponById.ahead(codes.map((code) => code?.couponId)),
      ]);
    },
  };
};
export type CreditLookups = ReturnType<typeof creditLookups>;

export interface Credit {
  affiliate: StoredAffiliate | undefined;
  affiliateLinkId: string | null;
  referral: StoredReferral | undefined;
  promotionalCodeId: string | null;
}

const notFound = (field: keyof SaleBody, noun: string, value: string) =>
  fieldError(field, `${noun} ${value} does not exist in this program`);

type Found = Pick<Credit, 'affiliate' | 'affiliateLinkId' | 'referral'>;

const none: Found = { affiliate: undefined, affiliateLinkId: null, referral: undefined };

const byReferralId = async (named: string, lookups: CreditLookups): Promise<Found> => {
  if (uuid.test(named)) {
    const referral = await lookups.referralById(named);
    const affiliate = await lookups.affiliateById(referral ? (referral.affiliateId ?? '') : named);
    if (!affiliate) throw notFound('referralId', 'A referral or affiliate', named);
    return { affiliate, affiliateLinkId: referral?.affiliateLinkId ?? null, referral };
  }
  const link = await lookups.linkBySlug(named);
  const affiliate = link && (await lookups.affiliateById(link.affiliateId));
  if (!affiliate) throw notFound('referralId', 'A link', named);
  return { affiliate, affiliateLinkId: link.linkId, referral: undefined };
};

const byAffiliate = async (
  { affiliateId, affiliateEmail }: SaleBody,
  lookups: CreditLookups,
): Promise<Found | undefined> => {
  if (!affiliateId && !affiliateEmail) return undefined;
  const affiliate = affiliateId
    ? await lookups.affiliateById(affiliateId)
    : await lookups.affiliateByEmail(affiliateEmail ?? '');
  if (!affiliate) {
    if (affiliateId) throw notFound('affiliateId', 'An affiliate', affiliateId);
    throw notFound('affiliateEmail', 'An affiliate with the email', affiliateEmail ?? '');
  }
  if (affiliateEmail && affiliate.email !== affiliateEmail)
    throw fieldError('affiliateEmail', 'affiliateId and affiliateEmail name two affiliates');
  return { ...none, affiliate };
};

/** With the link that the row names too, if it is one of that affiliate: exports name both. docs/behavior.md#exports */
const withLink = async (found: Found, { referralId }: SaleBody, lookups: CreditLookups): Promise<Found> => {
  if (!referralId || found.affiliateLinkId !== null || uuid.test(referralId)) return found;
  const link = await lookups.linkBySlug(referralId);
  return link && link.affiliateId === found.affiliate?.id ? { ...found, affiliateLinkId: link.linkId } : found;
};

/**
 * By code, affiliate, `referralId` or the customer's referral, the first that the row has; nobody by a code that pays an
 * affiliate. A code is not redeemed: that has happened. Throws a field error for what does not exist. docs/behavior.md#imports
 */
export const creditOf = async (
  body: SaleBody,
  referral: StoredReferral | undefined,
  lookups: CreditLookups,
): Promise<Credit> => {
  const code = body.promoCode ? await lookups.codeByText(body.promoCode) : undefined;
  if (body.promoCode && !code) throw notFound('promoCode', 'The code', body.promoCode);
  const coupon = code && (await lookups.couponById(code.couponId));
  if (code && coupon && isForPayouts(coupon)) return { ...none, promotionalCodeId: code.id };
  const ofCode = code?.affiliateId ? await lookups.affiliateById(code.affiliateId) : undefined;
  const named =
    (ofCode && { ...none, affiliate: ofCode }) ??
    (await byAffiliate(body, lookups)) ??
    (body.referralId ? await byReferralId(body.referralId, lookups) : undefined);
  const ofReferral = referral?.affiliateId ? await lookups.affiliateById(referral.affiliateId) : undefined;
  const found = (named && (await withLink(named, body, lookups))) ?? {
    ...none,
    affiliate: ofReferral,
    affiliateLinkId: referral?.affiliateLinkId ?? null,
  };
  const isOfSame = found.affiliate !== undefined && referral?.affiliateId === found.affiliate.id;
  return {
    ...found,
    referral: found.referral ?? (isOfSame ? referral : undefined),
    promotionalCodeId: code?.id ?? null,
  };
};
