import { beforeEach, describe, expect, it, vi } from 'vitest';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { useClickSecret } from '../../support/click-secret.ts';
import { type SaleInput, sell } from '../../support/create-sale.ts';
import { now, outcomeOf, storeAffiliate, storeCode, storeCoupon, storeReferral } from '../../support/domain.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { countedProgram } from '../statistics/counted-program.ts';

/** Amara brought Priya and Tom brought Jo. The click is one of Tom's link, and the open code has no affiliate. */
const setUp = async () => {
  const { program, links, clickId } = await countedProgram();
  const [ofAmara, ofTom] = links;
  if (!ofAmara || !ofTom) throw new Error('A link is missing');
  const [amara, tom] = [ofAmara.affiliateId, ofTom.affiliateId];
  const priya = await storeReferral(program, { affiliateId: amara, referredUserExternalId: 'priya' });
  await storeReferral(program, { affiliateId: tom, referredUserExternalId: 'jo' });
  const { code: openCode } = await storeCode(program, await storeCoupon(program));
  const payouts = await storeCoupon(program, { couponCategory: 'PAYOUT' });
  const { code: payoutCode } = await storeCode(program, payouts, { affiliateId: tom });
  return { program, amara, tom, priya, openCode, payoutCode, clickId: await clickId(ofTom, null, now) };
};
type Setup = Awaited<ReturnType<typeof setUp>>;
type Case = [by: string, input: (setup: Setup) => Partial<SaleInput>];

const unknown = 'nobody@example.com';

beforeEach(useClickSecret);

describe('a sale', () => {
  it.each<Case>([
    ['a code of nobody and the email', ({ openCode, priya }) => ({ promoCode: openCode, email: priya.email })],
    ['a code of nobody and the id', ({ openCode }) => ({ promoCode: openCode, customerId: 'priya' })],
    [
      'a code of nobody, an email of nobody and the id',
      ({ openCode }) => ({ promoCode: openCode, email: unknown, customerId: 'priya' }),
    ],
    [
      'a code of nobody, a click and the id',
      ({ openCode, clickId }) => ({ promoCode: openCode, clickId, customerId: 'priya' }),
    ],
    [
      'a code of nobody, a click and the email',
      ({ openCode, clickId, priya }) => ({ promoCode: openCode, clickId, email: priya.email }),
    ],
    ['an email of nobody and the id', () => ({ email: unknown, customerId: 'priya' })],
    ['the email and the id of another customer', ({ priya }) => ({ email: priya.email, customerId: 'jo' })],
    ['a click and the id', ({ clickId }) => ({ clickId, customerId: 'priya' })],
  ])('stays with the affiliate who brought the customer, by %s', async (_, input) => {
    const setup = await setUp();
    const sale = await sell(setup.program, input(setup));
    expect(sale).toMatchObject({
      affiliateId: setup.amara,
      referralId: setup.priya.id,
      commissionEarnedMinor: 1000,
      attribution: { via: 'CUSTOMER', promotionalCodeId: sale.promotionalCodeId },
    });
    expect(sale.redemption === null).toBe(input(setup).promoCode === undefined);
  });

  it('with a code of nobody is credited to the click, else to nobody, where the customer is no referral', async () => {
    const { program, tom, openCode, clickId } = await setUp();
    const stranger = { promoCode: openCode, email: unknown, customerId: 'unknown' };
    expect(await sell(program, { ...stranger, clickId })).toMatchObject({
      affiliateId: tom,
      attribution: { via: 'CLICK' },
    });
    expect(await sell(program, stranger)).toMatchObject({ affiliateId: null, referralId: null, attribution: null });
  });

  it('with a code that pays an affiliate credits nobody, whoever brought the customer', async () => {
    const { program, priya, payoutCode } = await setUp();
    const sale = await sell(program, { promoCode: payoutCode, email: priya.email, customerId: 'priya' });
    expect(sale).toMatchObject({ affiliateId: null, referralId: null, commissionEarnedMinor: 0 });
  });
});

describe('a referral or an affiliate that is not active is refused in the field that named the customer', () => {
  it.each<[...Case, path: string]>([
    ['email', () => ({ email: 'lin@example.com', customerId: 'lin' }), 'email'],
    ['email beside a code', ({ openCode }) => ({ promoCode: openCode, email: 'lin@example.com' }), 'email'],
    ['id beside a click', ({ clickId }) => ({ clickId, customerId: 'lin' }), 'customerId'],
    ['id beside a code', ({ openCode }) => ({ promoCode: openCode, customerId: 'lin' }), 'customerId'],
    ['id beside another email', () => ({ email: unknown, customerId: 'lin' }), 'customerId'],
  ])('%s', async (_, input, path) => {
    const lin = { email: 'lin@example.com', referredUserExternalId: 'lin' };
    const declined = await setUp();
    await storeReferral(declined.program, { ...lin, affiliateId: declined.amara, subscriptionStatus: 'DECLINED' });
    expect(await outcomeOf(() => sell(declined.program, input(declined)))).toEqual({
      status: 400,
      path,
      code: 'referral_not_active',
    });
    const banned = await setUp();
    const { id: affiliateId } = await storeAffiliate(banned.program, { status: 'BANNED' });
    await storeReferral(banned.program, { ...lin, affiliateId });
    expect(await outcomeOf(() => sell(banned.program, input(banned)))).toEqual({
      status: 400,
      path,
      code: 'affiliate_not_active',
    });
  });
});

it.each<[...Case, trips: number, reads: string[]]>([
  ['an email', ({ priya }) => ({ email: priya.email, customerId: 'priya' }), 4, ['EMAIL']],
  [
    'an email and a code of nobody',
    ({ priya, openCode }) => ({ promoCode: openCode, email: priya.email, customerId: 'priya' }),
    4,
    ['EMAIL'],
  ],
  [
    'an email and a click',
    ({ priya, clickId }) => ({ clickId, email: priya.email, customerId: 'jo' }),
    4,
    ['EMAIL', 'EXTERNAL_ID'],
  ],
  [
    'an id and a click',
    ({ clickId }) => ({ clickId, email: unknown, customerId: 'priya' }),
    4,
    ['EMAIL', 'EXTERNAL_ID'],
  ],
])('the referral of a customer is looked for no more than needed, by %s', async (_, input, trips, reads) => {
  const setup = await setUp();
  const find = vi.spyOn(referrals, 'find');
  const measured = await roundTripsOf(() => sell(setup.program, input(setup)));
  expect(find.mock.calls.map(([, by]) => by)).toEqual(reads);
  expect(measured.trips).toHaveLength(trips);
});
