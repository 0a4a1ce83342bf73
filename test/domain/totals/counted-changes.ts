import type { DynamoDBRecord } from 'aws-lambda';
import type * as z from 'zod';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { hasUncounted } from '../../../shared/domain/uses/uncounted.ts';
import { lastDaysIn } from '../../../shared/platform/time/days.ts';
import {
  bodyOf,
  newProgram,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeLink,
  storeReferral,
  type TestProgram,
} from '../../support/domain.ts';
import { makeStoredSale } from '../../support/sales.ts';

export const count = async (...records: DynamoDBRecord[]) => updateTotals(await countableChangesOf(records), now);

export const setUp = async () => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const link = await storeLink(program, { affiliateId: affiliate.id });
  const referral = await storeReferral(program, { affiliateId: affiliate.id, affiliateLinkId: link.id });
  const credited = { referralId: referral.id, affiliateLinkId: link.id, createdAt: now.toISOString() };
  const sale = (overrides: Partial<StoredSale> = {}) => makeStoredSale(affiliate.id, { ...credited, ...overrides });
  const totals = async () => {
    const [found] = await withTotals(program.id, [affiliate]);
    const { totalRevenueMinor, totalCommissionEarnedMinor, totalCommissionPaidMinor, numberOfReferredUsers } =
      found ?? {};
    return { totalRevenueMinor, totalCommissionEarnedMinor, totalCommissionPaidMinor, numberOfReferredUsers };
  };
  const today = async () => (await salesByDay(program.id, lastDaysIn('UTC', 1, now)))[0];
  return { program, affiliate, link, referral, sale, totals, today };
};

/** A sale by a code of which neither the code nor its coupon has a cap. */
export const redeem = async (program: TestProgram, overrides: Partial<z.input<typeof saleOperation.body>> = {}) => {
  const affiliate = await storeAffiliate(program);
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { affiliateId: affiliate.id });
  const sale = await createSale(
    program,
    bodyOf(saleOperation, { totalEarned: 100, promoCode: code.code, ...overrides }),
    now,
  );
  const redeemed = async () => ({
    code: (await promotionalCodes.get(program.id, code.id))?.timesRedeemed,
    coupon: (await coupons.get(program.id, coupon.id))?.timesRedeemed,
    isUncounted: await hasUncounted(program.id, coupon.id),
  });
  return { sale, redeemed };
};
