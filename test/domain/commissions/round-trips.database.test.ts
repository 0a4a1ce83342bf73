import { describe, expect, it } from 'vitest';
import type { SaleInput } from '../../support/create-sale.ts';
import { sell } from '../../support/create-sale.ts';
import { newProgram, storeAffiliate, storeCode, storeCoupon, storeLink, storeReferral } from '../../support/domain.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { storeGroup } from './stored-group.ts';

const rate = { type: 'PERCENTAGE' as const, rate: 30, amountMinor: null };
const tier = { minimumRevenueMinor: null, minimumSales: 1, ...rate };

/** Its groups have months, and tiers of all sales and of a month, so that all of a history is read. */
const setUp = async () => {
  const program = newProgram();
  const { id: groupId } = await storeGroup(program, {
    commissionMonths: 12,
    tiers: [
      { ...tier, period: 'ALL_TIME' },
      { ...tier, period: 'MONTH' },
    ],
  });
  const affiliate = await storeAffiliate(program, { groupId });
  const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
  const referral = await storeReferral(program, { affiliateId: affiliate.id });
  const link = await storeLink(program, { affiliateId: affiliate.id, link: 'amara' });
  return { program, affiliate, code, referral, link: link.link };
};
type Setup = Awaited<ReturnType<typeof setUp>>;

describe('a sale whose commission needs the customer, the totals and the month of the affiliate', () => {
  it.each<{ by: string; input: (setup: Setup) => Partial<SaleInput>; trips: number }>([
    { by: 'code', input: ({ code }) => ({ promoCode: code, email: 'priya@example.com' }), trips: 3 },
    { by: 'code and customerId', input: ({ code }) => ({ promoCode: code, customerId: 'c' }), trips: 3 },
    {
      by: 'code and referral',
      input: ({ code, referral }) => ({ promoCode: code, referralId: referral.id }),
      trips: 3,
    },
    {
      by: 'code of a known customer',
      input: ({ code, referral }) => ({ promoCode: code, email: referral.email }),
      trips: 3,
    },
    { by: 'referral', input: ({ referral }) => ({ referralId: referral.id }), trips: 3 },
    { by: 'affiliate', input: ({ affiliate }) => ({ referralId: affiliate.id, customerId: 'c' }), trips: 3 },
    { by: 'link', input: ({ link }) => ({ referralId: link, customerId: 'c' }), trips: 3 },
    { by: 'email', input: ({ referral }) => ({ email: referral.email }), trips: 4 },
  ])('takes as many round trips as without, by $by: $trips', async ({ input, trips }) => {
    const setup = await setUp();
    const measured = await roundTripsOf(() => sell(setup.program, input(setup)));
    expect(measured.trips).toHaveLength(trips);
  });

  it('reads none of them in a program whose groups have no months and no tiers', async () => {
    const program = newProgram();
    const { id: groupId } = await storeGroup(program, { holdDays: 30 });
    const affiliate = await storeAffiliate(program, { groupId });
    const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
    const measured = await roundTripsOf(() => sell(program, { promoCode: code, email: 'priya@example.com' }));
    expect(measured.trips).toHaveLength(3);
    expect(measured.trips.flat().filter((call) => call === 'QueryCommand')).toHaveLength(1);
  });
});
