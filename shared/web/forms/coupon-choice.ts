import { couponCategories } from '../../contract/coupons.ts';
import { uuid } from '../../contract/fields.ts';
import { coupons, couponsInCategory } from '../../domain/coupons/repository.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';

const offered = { limit: 50 };

interface Wanted {
  category?: StoredCoupon['couponCategory'];
  isOffered: (coupon: StoredCoupon) => boolean;
}

const newestInCategory = async (
  programId: string,
  category: StoredCoupon['couponCategory'],
  isOffered: Wanted['isOffered'],
): Promise<readonly StoredCoupon[]> => {
  const inCategory = couponsInCategory(category);
  const { items, next } = await coupons.page(programId, offered, inCategory, isOffered);
  if (next === undefined || items.length === offered.limit) return items;
  // Copies of an earlier version are newer than the coupons they were made of.
  const oldest = await coupons.page(programId, { ...offered, isOldestFirst: true }, inCategory, isOffered);
  const known = new Set(items.map(({ id }) => id));
  return [...items, ...oldest.items.filter(({ id }) => !known.has(id))];
};

const newestOffered = async (programId: string, { category, isOffered }: Wanted): Promise<readonly StoredCoupon[]> => {
  const categories = category ? [category] : couponCategories;
  const found = await Promise.all(categories.map((one) => newestInCategory(programId, one, isOffered)));
  return found
    .flat()
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, offered.limit);
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
