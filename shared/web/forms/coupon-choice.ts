import { uuid } from '../../contract/fields.ts';
import { coupons } from '../../domain/coupons/repository.ts';

const offered = { limit: 50 };

type Page = typeof coupons.page;

/** The newest coupons that a form offers, and the one that the address names or the form had chosen. */
export const couponChoice = async (
  programId: string,
  couponId: string | undefined,
  index: Parameters<Page>[2],
  isOffered: Parameters<Page>[3],
) => {
  const [newest, asked] = await Promise.all([
    coupons.page(programId, offered, index, isOffered),
    uuid.safeParse(couponId).success && couponId ? coupons.get(programId, couponId) : undefined,
  ]);
  const others = newest.items.filter(({ id }) => id !== asked?.id);
  return { coupons: asked ? [asked, ...others] : others, chosen: asked?.id };
};
