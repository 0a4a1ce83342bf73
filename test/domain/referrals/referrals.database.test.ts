import { describe, expect, it } from 'vitest';
import { updateReferral as changeOperation, createReferral as operation } from '../../../shared/contract/referrals.ts';
import { updateReferral } from '../../../shared/domain/referrals/change-referral.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import {
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeLink,
  type TestProgram,
} from '../../support/domain.ts';

type Input = Parameters<typeof bodyOf<typeof operation.body>>[1];

const refer = (program: TestProgram, input: Partial<Input>) =>
  createReferral(program, bodyOf(operation, { name: 'Priya', email: 'priya@example.com', ...input }), now);

const setUp = async () => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const link = await storeLink(program, { affiliateId: affiliate.id, link: 'Summer' });
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { affiliateId: affiliate.id });
  return { program, affiliate, link, coupon, code };
};
type Setup = Awaited<ReturnType<typeof setUp>>;

describe('a referral is credited', () => {
  it.each<{ by: string; input: (setup: Setup) => Partial<Input>; medium: string | null; hasLink?: boolean }>([
    { by: 'id', input: ({ affiliate }) => ({ affiliateId: affiliate.id }), medium: null },
    { by: 'email', input: ({ affiliate }) => ({ affiliateEmail: affiliate.email }), medium: null },
    { by: 'slug', input: () => ({ affiliateId: 'sUMMER' }), medium: 'LINK', hasLink: true },
    { by: 'code', input: ({ code }) => ({ promoCode: code.code }), medium: 'COUPON' },
  ])('by the $by of its affiliate', async ({ input, medium, hasLink = false }) => {
    const setup = await setUp();
    const { program, affiliate, link } = setup;
    const referral = await refer(program, input(setup));
    expect(referral).toMatchObject({
      affiliateId: affiliate.id,
      affiliateLinkId: hasLink ? link.id : null,
      referralMedium: medium,
      subscriptionStatus: 'ACTIVE',
      totalRevenueMinor: 0,
      totalCommissionMinor: 0,
    });
    expect(await referrals.get(program.id, referral.id)).toEqual(referral);
  });

  it('to nobody by a code without an affiliate', async () => {
    const { program, coupon } = await setUp();
    const { code } = await storeCode(program, coupon);
    expect(await refer(program, { promoCode: code })).toMatchObject({ affiliateId: null, referralMedium: 'COUPON' });
  });

  it.each<Partial<Input>>([
    { affiliateId: '019a0000-0000-7000-8000-00000000dead' },
    { affiliateId: 'no-such-slug' },
    { affiliateEmail: 'nobody@example.com' },
  ])('not to an affiliate that does not exist: %o', async (input) => {
    const { program } = await setUp();
    expect(await outcomeOf(() => refer(program, input))).toEqual({ status: 404 });
  });

  it('not to one of another program', async () => {
    const { affiliate } = await setUp();
    expect(await outcomeOf(() => refer(newProgram(), { affiliateId: affiliate.id }))).toEqual({ status: 404 });
  });

  it.each(['ACTIVE', 'INACTIVE', 'BANNED'] as const)('only to an active affiliate: %s', async (status) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program, { status });
    const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
    const outcome = (path: string) =>
      status === 'ACTIVE' ? 'accepted' : { status: 400, path, code: 'affiliate_not_active' };
    const inputs: Partial<Input>[] = [
      { affiliateId: affiliate.id },
      { affiliateEmail: affiliate.email },
      { promoCode: code },
    ];
    for (const [number, input] of inputs.entries()) {
      const [path = ''] = Object.keys(input);
      const asked = await outcomeOf(() => refer(program, { ...input, email: `priya-${number}@example.com` }));
      expect(asked).toEqual(outcome(path));
    }
  });
});

describe('the email of a referral', () => {
  it("cannot become its affiliate's own", async () => {
    const { program, affiliate } = await setUp();
    const { id: referralId } = await refer(program, { affiliateId: affiliate.id });
    const change = (email: string) =>
      outcomeOf(() => updateReferral(program.id, bodyOf(changeOperation, { referralId, email }), undefined, now));
    expect(await change(affiliate.email)).toEqual({ status: 400, path: 'email', code: 'self_referral' });
    expect(await change('other@example.com')).toBe('accepted');
  });

  const taken = { status: 400, path: 'email' };

  it('again for the same affiliate is the same referral', async () => {
    const { program, affiliate, code } = await setUp();
    const first = await refer(program, { affiliateId: affiliate.id });
    expect(await refer(program, { affiliateEmail: affiliate.email, name: 'Somebody Else' })).toEqual(first);
    expect(await refer(program, { promoCode: code.code })).toEqual(first);
  });

  it('is refused for another affiliate, and for none', async () => {
    const { program, affiliate, coupon } = await setUp();
    const other = await storeAffiliate(program);
    await refer(program, { affiliateId: affiliate.id });
    const { code } = await storeCode(program, coupon);
    expect(await outcomeOf(() => refer(program, { affiliateId: other.id }))).toEqual(taken);
    expect(await outcomeOf(() => refer(program, { promoCode: code }))).toEqual(taken);
    const elsewhere = await setUp();
    expect(await outcomeOf(() => refer(elsewhere.program, { affiliateId: elsewhere.affiliate.id }))).toBe('accepted');
  });

  it('again by a code takes no second use of its cap', async () => {
    const { program, coupon } = await setUp();
    const { code } = await storeCode(program, coupon, { maxRedemptions: 1 });
    const first = await refer(program, { promoCode: code });
    expect(await refer(program, { promoCode: code })).toEqual(first);
    const other = await outcomeOf(() => refer(program, { promoCode: code, email: 'other@example.com' }));
    expect(other).toEqual({ status: 400, path: 'promoCode', code: 'code_limit_reached' });
  });

  it('race: of two affiliates for one customer one gets the referral', async () => {
    const { program, affiliate } = await setUp();
    const other = await storeAffiliate(program);
    const race = [affiliate, other, affiliate, other].map(({ id }) =>
      outcomeOf(() => refer(program, { affiliateId: id })),
    );
    const outcomes = await Promise.all(race);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual([taken, taken]);
  });
});
