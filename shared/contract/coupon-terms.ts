interface CouponTerms {
  couponType?: 'PERCENTAGE' | 'FLAT';
  percentOff?: number | null | undefined;
  amountOff?: number | null | undefined;
  currency?: string | null | undefined;
  duration?: string | undefined;
  durationInMonths?: number | null | undefined;
  limitToProducts?: boolean | undefined;
  productIds?: string[] | undefined;
}

/** Without a type, an `amountOff` alone makes a coupon flat. */
export const couponTypeOf = ({
  couponType,
  percentOff,
  amountOff,
}: Pick<CouponTerms, 'percentOff' | 'amountOff'> & { couponType?: 'PERCENTAGE' | 'FLAT' | null | undefined }) =>
  couponType ?? (amountOff != null && percentOff == null ? 'FLAT' : 'PERCENTAGE');

/** The contradictions of a coupon's terms, as field and predicate. docs/behavior.md#coupon-terms */
export const contradictionsOf = (terms: CouponTerms): [field: string, message: string][] => {
  const found: [string, string][] = [];
  if (terms.couponType === 'PERCENTAGE') {
    if (terms.percentOff == null) found.push(['percentOff', 'is required for a PERCENTAGE coupon']);
    if (terms.amountOff != null) found.push(['amountOff', 'belongs to a FLAT coupon']);
    if (terms.currency != null) found.push(['currency', 'belongs to a FLAT coupon']);
  } else {
    if (terms.amountOff == null) found.push(['amountOff', 'is required for a FLAT coupon']);
    if (terms.currency == null) found.push(['currency', 'is required for a FLAT coupon']);
    if (terms.percentOff != null) found.push(['percentOff', 'belongs to a PERCENTAGE coupon']);
  }
  const repeats = terms.duration === 'repeating';
  if (repeats && terms.durationInMonths == null)
    found.push(['durationInMonths', 'is required when duration is repeating']);
  if (!repeats && terms.durationInMonths != null)
    found.push(['durationInMonths', 'is allowed only when duration is repeating']);
  if (terms.limitToProducts && !terms.productIds?.length)
    found.push(['productIds', 'is required when limitToProducts is true']);
  return found;
};
