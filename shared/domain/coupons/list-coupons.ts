import type { listCoupons as operation } from '../../contract/coupons.ts';
import type { QueryOf } from '../../contract/operation.ts';
import { joinPages, type Page, type PageRequest } from '../../platform/table/page.ts';
import { allInCategory, coupons, couponsNamed, couponsOfType } from './repository.ts';
import { isRedeemable, type StoredCoupon } from './rules.ts';

type Filters = Pick<QueryOf<typeof operation>, 'name' | 'couponType' | 'couponCategory' | 'valid'>;

const indexesOf = ({ name, couponType, couponCategory }: Filters) => {
  if (name) return [couponsNamed(name)];
  if (couponType) return [couponsOfType(couponType)];
  return couponCategory ? allInCategory(couponCategory) : [undefined];
};

/** The narrowest filter is the index; the others are applied while reading. */
export const listCoupons = async (
  programId: string,
  filters: Filters,
  request: PageRequest,
  now: Date,
): Promise<Page<StoredCoupon>> => {
  const { couponType, couponCategory, valid } = filters;
  const keep = (coupon: StoredCoupon) =>
    (!couponType || coupon.couponType === couponType) &&
    (!couponCategory || coupon.couponCategory === couponCategory) &&
    (valid === undefined || isRedeemable(coupon, now) === valid);
  const read = indexesOf(filters).map((index) => coupons.page(programId, request, index, keep));
  return joinPages(await Promise.all(read), request);
};
