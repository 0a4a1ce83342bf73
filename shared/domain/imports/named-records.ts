import { ApiError, fieldError } from '../../contract/errors.ts';
import { links } from '../affiliates/link-repository.ts';
import { affiliates, findAffiliate } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { uuid } from '../attribution/attribution.ts';
import { coupons, couponsNamed } from '../coupons/repository.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { recordsNamed, recordsWithIds, rememberedReads } from './remembered-reads.ts';

export interface AffiliateNames {
  affiliateId?: string | null | undefined;
  affiliateEmail?: string | null | undefined;
}

export interface CouponNames {
  couponId?: string | null | undefined;
  couponName?: string | null | undefined;
  couponExternalId?: string | null | undefined;
}

/** The one that was imported by this name, if there is one. Several others are refused. */
export const findCouponNamed = async (programId: string, name: string): Promise<StoredCoupon | undefined> => {
  const imported = await coupons.find(programId, 'IMPORT_NAME', name.toLowerCase());
  if (imported) return imported;
  const { items } = await coupons.page(programId, { limit: 2 }, couponsNamed(name));
  if (items.length > 1)
    throw fieldError('name', `Several coupons are called ${name}. Name the coupon by its external id.`);
  return items[0];
};

interface CodeName {
  promoCode?: string | null | undefined;
}

/** The affiliates, coupons and codes that rows of a window name, each read once, and in a few calls if they are read `ahead`. */
export const namedRecords = (programId: string) => {
  const affiliateById = rememberedReads((ids) => recordsWithIds(affiliates, programId, ids));
  const linkBySlug = rememberedReads((slugs) => recordsNamed(links, programId, 'SLUG', slugs));
  const byId = async (idOrSlug: string): Promise<StoredAffiliate | undefined> => {
    if (uuid.test(idOrSlug)) return affiliateById(idOrSlug);
    const link = await linkBySlug(idOrSlug.toLowerCase());
    return link && affiliateById(link.affiliateId);
  };
  const byEmail = rememberedReads((emails) => recordsNamed(affiliates, programId, 'EMAIL', emails));
  const couponById = rememberedReads((ids) => recordsWithIds(coupons, programId, ids));
  const couponByExternalId = rememberedReads((ids) => recordsNamed(coupons, programId, 'EXTERNAL_ID', ids));
  // An index finds one name at a time.
  const couponByName = rememberedReads(([name = '']) => findCouponNamed(programId, name).then((found) => [found]), 1);
  const codeByText = rememberedReads(async (texts) => {
    const codes = await recordsNamed(promotionalCodes, programId, 'CODE', texts);
    const ofCodes = await coupons.getMany(
      programId,
      codes.flatMap((code) => code?.couponId ?? []),
    );
    return codes.map((code) => code && { code, coupon: ofCodes.get(code.couponId) });
  });
  return {
    ahead: async (bodies: readonly (AffiliateNames & CouponNames & CodeName)[]): Promise<void> => {
      await Promise.all([
        affiliateById.ahead(
          bodies.map(({ affiliateId }) => (affiliateId && uuid.test(affiliateId) ? affiliateId : null)),
        ),
        byEmail.ahead(bodies.map(({ affiliateId, affiliateEmail }) => (affiliateId ? null : affiliateEmail))),
        couponById.ahead(bodies.map(({ couponId }) => couponId)),
        couponByExternalId.ahead(bodies.map(({ couponId, couponExternalId }) => (couponId ? null : couponExternalId))),
        codeByText.ahead(bodies.map(({ promoCode }) => promoCode)),
      ]);
    },
    /** 404 if there is none, or id and email name two. */
    affiliate: (names: AffiliateNames): Promise<StoredAffiliate> => findAffiliate(programId, names, { byId, byEmail }),
    coupon: async ({ couponId, couponName, couponExternalId }: CouponNames): Promise<StoredCoupon> => {
      const found = couponId
        ? await couponById(couponId)
        : couponExternalId
          ? await couponByExternalId(couponExternalId)
          : couponName && (await couponByName(couponName));
      if (!found) throw new ApiError('not_found', 'Coupon not found');
      return found;
    },
    codeWithCoupon: codeByText,
  };
};
export type NamedRecords = ReturnType<typeof namedRecords>;
