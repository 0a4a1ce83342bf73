import { couponCategories } from '../../contract/coupons.ts';
import { uuid } from '../../contract/fields.ts';
import { coupons, couponsInCategory, originalsInCategory } from '../../domain/coupons/repository.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';

const offered = { limit: 50 };

interface Wanted {
  category?: StoredCoupon['couponCategory'];
  isOffered: (coupon: StoredCoupon) => boolean;
}

/** The newest of all are read as well as the originals, because coupons of earlier versions have no entry as such. */
const newestOffered = async (programId: string, { category, isOffered }: Wanted): Promise<readonly StoredCoupon[]> => {
  const all = category && couponsInCategory(category);
  const categories = category ? [category] : couponCategories;
  const [newest, ...originals] = await Promise.all([
    coupons.page(programId, offered, all, isOffered),
    ...categories.map((one) => coupons.page(programId, offered, originalsInCategory(one), isOffered)),
  ]);
  const found = new Map([...originals, newest].flatMap(({ items }) => items.map((coupon) => [coupon.id, coupon])));
  if (newest.next !== undefined && found.size < offered.limit) {
    // The newest are copies, so the coupons of earlier versions are among the oldest.
    const oldest = await coupons.page(programId, { ...offered, isOldestFirst: true }, all, isOffered);
    for (const coupon of oldest.items) found.set(coupon.id, coupon);
  }
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, offered.limit);
};

/** The newest coupons that a form offers, and the one that the address names or the form had chosen. */
export const couponChoice = async (programId: string, couponId: string | undefined, wanted: Wanted) => {
  const [newest, asked] = await Promise.all([
    newestOffered(programId, wanted),
    uuid.safeParse(couponId).success && couponId ? coupons.get(programId, couponId) : undefined,
  ]);
  const others = newest.filter(({ id }) => id !== asked?.id);
  return { coupons: asked ? [asked, ...others] : others, chosen: asked?.id };
};
