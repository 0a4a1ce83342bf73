import { describe, expect, it } from 'vitest';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { type SaleInput, sell } from '../../support/create-sale.ts';
import {
  expectRefusal,
  newProgram,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeLink,
  storeReferral,
} from '../../support/domain.ts';

describe('commission', () => {
  it.each([
    { ofSale: 30, ofAffiliate: 20, ofProgram: 10, rate: 30 },
    { ofSale: 0, ofAffiliate: 20, ofProgram: 10, rate: 0 },
    { ofSale: 100, ofAffiliate: null, ofProgram: 10, rate: 100 },
    { ofSale: undefined, ofAffiliate: 20, ofProgram: 10, rate: 20 },
    { ofSale: undefined, ofAffiliate: 0, ofProgram: 10, rate: 0 },
    { ofSale: null, ofAffiliate: null, ofProgram: 10, rate: 10 },
    { ofSale: undefined, ofAffiliate: null, ofProgram: 0, rate: 0 },
  ])(
    'of a sale at $ofSale %, its affiliate at $ofAffiliate % and the program at $ofProgram % is $rate %',
    async (rates) => {
      const program = newProgram({ commissionRate: rates.ofProgram });
      const affiliate = await storeAffiliate(program, { commissionRate: rates.ofAffiliate });
      const sale = await sell(program, { referralId: affiliate.id, commissionRate: rates.ofSale });
      expect(sale).toMatchObject({ commissionRate: rates.rate, commissionEarnedMinor: rates.rate * 100 });
    },
  );

  it.each([
    { currency: 'USD', totalEarned: 0.05, rate: 10, totalMinor: 5, minor: 1 },
    { currency: 'USD', totalEarned: 0.04, rate: 10, totalMinor: 4, minor: 0 },
    { currency: 'USD', totalEarned: 0.1, rate: 33.333, totalMinor: 10, minor: 3 },
    { currency: 'USD', totalEarned: 19.99, rate: 15, totalMinor: 1999, minor: 300 },
    { currency: 'JPY', totalEarned: 1050, rate: 12.5, totalMinor: 1050, minor: 131 },
    { currency: 'USD', totalEarned: 10.005, rate: 100, totalMinor: 1001, minor: 1001 },
    { currency: 'JPY', totalEarned: 0.5, rate: 50, totalMinor: 1, minor: 1 },
    { currency: 'KWD', totalEarned: 1.0005, rate: 100, totalMinor: 1001, minor: 1001 },
  ])('and amount of $totalEarned $currency at $rate % are rounded half-up', async (one) => {
    const program = newProgram({ currency: one.currency });
    const affiliate = await storeAffiliate(program, { commissionRate: one.rate });
    const sale = await sell(program, { referralId: affiliate.id, totalEarned: one.totalEarned });
    expect(sale).toMatchObject({ totalEarnedMinor: one.totalMinor, commissionEarnedMinor: one.minor });
  });

  it.each([
    { currency: 'USD', totalEarned: 0.005, outcome: 'accepted' },
    { currency: 'USD', totalEarned: 0.0049, outcome: { status: 400, path: 'totalEarned' } },
    { currency: 'JPY', totalEarned: 0.5, outcome: 'accepted' },
    { currency: 'JPY', totalEarned: 0.49, outcome: { status: 400, path: 'totalEarned' } },
    { currency: 'KWD', totalEarned: 0.0005, outcome: 'accepted' },
    { currency: 'KWD', totalEarned: 0.0004, outcome: { status: 400, path: 'totalEarned' } },
  ])('is of an amount that does not round to 0: $totalEarned $currency', async ({ currency, totalEarned, outcome }) => {
    const program = newProgram({ currency });
    const { id } = await storeAffiliate(program);
    expect(await outcomeOf(() => sell(program, { referralId: id, totalEarned }))).toEqual(outcome);
  });

  it('is 0 at a rate of 0 where nobody is credited, whatever rate the sale asks for', async () => {
    const program = newProgram();
    const { code } = await storeCode(program, await storeCoupon(program));
    const sale = await sell(program, { promoCode: code, commissionRate: 30 });
    expect(sale).toMatchObject({ affiliateId: null, commissionRate: 0, commissionEarnedMinor: 0 });
  });
});

/** Two affiliates, one with a code, the other with a link and a referral. */
const twoAffiliates = async () => {
  const program = newProgram();
  const ofCode = await storeAffiliate(program);
  const other = await storeAffiliate(program);
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { affiliateId: ofCode.id });
  const openCode = await storeCode(program, coupon);
  const link = await storeLink(program, { affiliateId: other.id, link: 'Summer-Sale' });
  const referral = await storeReferral(program, { affiliateId: other.id, affiliateLinkId: link.id });
  const ownReferral = await storeReferral(program, { affiliateId: ofCode.id });
  const orphan = await storeReferral(program, { affiliateId: null });
  return { program, ofCode, other, code, openCode, link, referral, ownReferral, orphan };
};

const uncredited = { affiliateId: null, referralId: null, affiliateLinkId: null, promotionalCodeId: null };

describe('attribution', () => {
  type Setup = Awaited<ReturnType<typeof twoAffiliates>>;
  const cases: { by: string; input: (setup: Setup) => Partial<SaleInput>; credits: (setup: Setup) => object }[] = [
    {
      by: 'the affiliate of the code before a referral and an email',
      input: ({ code, referral }) => ({ promoCode: code.code, referralId: referral.id, email: referral.email }),
      credits: ({ ofCode, code }) => ({ affiliateId: ofCode.id, promotionalCodeId: code.id }),
    },
    {
      by: 'a code with the referral of its affiliate whose email the customer has',
      input: ({ code, ownReferral }) => ({ promoCode: code.code, email: ownReferral.email }),
      credits: ({ ofCode, code, ownReferral }) => ({
        affiliateId: ofCode.id,
        promotionalCodeId: code.id,
        referralId: ownReferral.id,
      }),
    },
    {
      by: 'a code with the referral of its affiliate that is named',
      input: ({ code, ownReferral }) => ({ promoCode: code.code, referralId: ownReferral.id }),
      credits: ({ ofCode, code, ownReferral }) => ({
        affiliateId: ofCode.id,
        promotionalCodeId: code.id,
        referralId: ownReferral.id,
      }),
    },
    {
      by: 'a code with the referral of the email, where a link is named',
      input: ({ code, ownReferral }) => ({
        promoCode: code.code,
        referralId: 'summer-sale',
        email: ownReferral.email,
      }),
      credits: ({ ofCode, code, ownReferral }) => ({
        affiliateId: ofCode.id,
        promotionalCodeId: code.id,
        referralId: ownReferral.id,
      }),
    },
    {
      by: 'nobody where nobody has the referral',
      input: ({ orphan }) => ({ referralId: orphan.id }),
      credits: ({ orphan }) => ({ referralId: orphan.id }),
    },
    {
      by: 'the referral where the code has no affiliate',
      input: ({ openCode, referral }) => ({ promoCode: openCode.code, referralId: referral.id }),
      credits: ({ other, openCode, referral, link }) => ({
        affiliateId: other.id,
        promotionalCodeId: openCode.id,
        referralId: referral.id,
        affiliateLinkId: link.id,
      }),
    },
    {
      by: 'nobody where the code has no affiliate and the customer is no referral',
      input: ({ openCode }) => ({ promoCode: openCode.code, email: 'nobody@example.com', customerId: 'nobody' }),
      credits: ({ openCode }) => ({ promotionalCodeId: openCode.id }),
    },
    {
      by: 'the referral of the customer where the code has no affiliate',
      input: ({ openCode, referral }) => ({ promoCode: openCode.code, email: referral.email }),
      credits: ({ other, openCode, referral, link }) => ({
        affiliateId: other.id,
        promotionalCodeId: openCode.id,
        referralId: referral.id,
        affiliateLinkId: link.id,
      }),
    },
    {
      by: 'a referral, with its link',
      input: ({ referral, ownReferral }) => ({ referralId: referral.id, email: ownReferral.email }),
      credits: ({ other, referral, link }) => ({
        affiliateId: other.id,
        referralId: referral.id,
        affiliateLinkId: link.id,
      }),
    },
    {
      by: 'the id of an affiliate',
      input: ({ other }) => ({ referralId: other.id }),
      credits: ({ other }) => ({ affiliateId: other.id }),
    },
    {
      by: 'the slug of a link, case-insensitively',
      input: () => ({ referralId: 'sUMMER-sALE' }),
      credits: ({ other, link }) => ({ affiliateId: other.id, affiliateLinkId: link.id }),
    },
    {
      by: 'the email of a referral',
      input: ({ referral }) => ({ email: referral.email }),
      credits: ({ other, referral, link }) => ({
        affiliateId: other.id,
        referralId: referral.id,
        affiliateLinkId: link.id,
      }),
    },
  ];
  it.each(cases)('is by $by', async ({ input, credits }) => {
    const setup = await twoAffiliates();
    const sale = await sell(setup.program, input(setup));
    expect(sale).toMatchObject({ ...uncredited, ...credits(setup) });
    expect(await sales.get(setup.program.id, sale.id)).toEqual(sale);
  });

  it.each<Partial<SaleInput>>([
    { referralId: '019a0000-0000-7000-8000-00000000dead' },
    { referralId: 'no-such-slug' },
    { email: 'nobody@example.com' },
    { email: 'nobody@example.com', customerId: 'nobody' },
  ])('by what does not exist is refused: %o', async (input) => {
    const { program } = await twoAffiliates();
    await expectRefusal(() => sell(program, input), { status: 404 });
  });

  it('takes name and email from the referral, unless the sale has its own', async () => {
    const { program, referral } = await twoAffiliates();
    expect(await sell(program, { referralId: referral.id })).toMatchObject({
      name: referral.name,
      email: referral.email,
    });
    const own = { name: 'Somebody Else', email: 'else@example.com' };
    expect(await sell(program, { referralId: referral.id, ...own })).toMatchObject(own);
  });

  it.each([
    {
      product: { productId: 'p1', name: 'Pro plan', quantity: 3, price: 12.5 },
      bought: [{ productId: 'p1', name: 'Pro plan', quantity: 3, price: 12.5 }],
    },
    { product: { productId: 'p1' }, bought: [{ productId: 'p1', name: null, quantity: null, price: null }] },
    { product: undefined, bought: [] },
  ])('comes with what was bought: $product', async ({ product, bought }) => {
    const { program, other } = await twoAffiliates();
    const sale = await sell(program, { referralId: other.id, product });
    expect((await sales.get(program.id, sale.id))?.productsBought).toEqual(bought);
  });

  it('takes an affiliate or a code of another program for one that does not exist', async () => {
    const { ofCode, code } = await twoAffiliates();
    const stranger = newProgram();
    await expectRefusal(() => sell(stranger, { referralId: ofCode.id }), { status: 404 });
    await expectRefusal(() => sell(stranger, { promoCode: code.code }), {
      status: 400,
      path: 'promoCode',
      code: 'code_not_found',
    });
  });
});

describe('an affiliate or referral that is not active', () => {
  const inactive = (path: string) => ({ status: 400, path, code: 'affiliate_not_active' });
  it.each([
    { status: 'ACTIVE', outcome: () => 'accepted' },
    { status: 'INACTIVE', outcome: inactive },
    { status: 'BANNED', outcome: inactive },
  ] as const)('is told in the field that named it: an affiliate that is $status', async ({ status, outcome }) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program, { status });
    const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
    const { email } = await storeReferral(program, { affiliateId: affiliate.id });
    expect(await outcomeOf(() => sell(program, { promoCode: code }))).toEqual(outcome('promoCode'));
    expect(await outcomeOf(() => sell(program, { referralId: affiliate.id, email }))).toEqual(outcome('referralId'));
    expect(await outcomeOf(() => sell(program, { email }))).toEqual(outcome('email'));
  });

  it.each(['DECLINED', 'SUBMITTED', 'ACTIVE'] as const)(
    'is told: a referral that is %s',
    async (subscriptionStatus) => {
      const program = newProgram();
      const { id: affiliateId } = await storeAffiliate(program);
      const { id, email } = await storeReferral(program, { affiliateId, subscriptionStatus });
      const outcome = (path: string) =>
        subscriptionStatus === 'ACTIVE' ? 'accepted' : { status: 400, path, code: 'referral_not_active' };
      expect(await outcomeOf(() => sell(program, { referralId: id }))).toEqual(outcome('referralId'));
      expect(await outcomeOf(() => sell(program, { email }))).toEqual(outcome('email'));
    },
  );
});

it('150 sales at the same millisecond, of which some draw the same id, are all recorded with ids of their own', async () => {
  const program = newProgram();
  const { id: referralId } = await storeAffiliate(program);
  const made = await Promise.all(
    Array.from({ length: 150 }, (_, at) => sell(program, { referralId, externalId: `order-${at}` })),
  );
  expect(new Set(made.map(({ createdAt }) => createdAt)).size).toBe(1);
  expect(new Set(made.map(({ id }) => id)).size).toBe(150);
  const stored = await sales.getMany(
    program.id,
    made.map(({ id }) => id),
  );
  expect(made.filter(({ id, externalId }) => stored.get(id)?.externalId !== externalId)).toEqual([]);
});
