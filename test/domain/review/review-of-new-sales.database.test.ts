import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import { reviewModes, reviewStatuses } from '../../../shared/contract/review.ts';
import { updateSale as updateOperation } from '../../../shared/contract/sales.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { incrementSumsWrite } from '../../../shared/domain/statistics/day-sums.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { addDays } from '../../../shared/platform/time/days.ts';
import { sell } from '../../support/create-sale.ts';
import { at, bodyOf, now, outcomeOf, storeAffiliate, storeCode, storeCoupon, storeSale } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { programWithRules } from '../../support/review.ts';
import { roundTripsOf } from '../../support/round-trips.ts';

// docs/behavior.md#review-of-sales

const held = (...reviewReasons: string[]) => ({ reviewStatus: 'HELD', reviewReasons, commissionEarnedMinor: 1000 });
const taken = { reviewStatus: null, reviewReasons: [], commissionEarnedMinor: 1000 };
const hourMilliseconds = 60 * 60 * 1000;

/** A program with an affiliate of a company. */
const begin = async (rules: Parameters<typeof programWithRules>[0]) => {
  const program = await programWithRules(rules);
  const company = `${randomUUID()}.test`;
  const affiliate = await storeAffiliate(program, { email: `amara@${company}` });
  return { program, company, affiliate, referralId: affiliate.id };
};

describe('a sale to the affiliate', () => {
  it.each(reviewModes)('is taken, held or refused where selfReferral is %s', async (selfReferral) => {
    const { program, company, referralId } = await begin({ selfReferral });
    const own = () => sell(program, { referralId, email: `am.ara+shop@${company}` });
    if (selfReferral === 'BLOCK')
      expect(await outcomeOf(own)).toEqual({ status: 400, path: 'email', code: 'self_referral' });
    else expect(await own()).toMatchObject(selfReferral === 'HOLD' ? held('SELF_REFERRAL') : taken);
    expect(await sell(program, { referralId, email: `amaras@${company}` })).toMatchObject(taken);
  });

  it('is taken with a code that is limited to the affiliate, whatever the rules about emails', async () => {
    const { program, affiliate } = await begin({ selfReferral: 'BLOCK', sameDomain: 'BLOCK' });
    const terms = { affiliateId: affiliate.id, limitToAffiliate: true };
    const { code } = await storeCode(program, await storeCoupon(program), terms);
    expect(await sell(program, { promoCode: code, email: affiliate.email })).toMatchObject(taken);
  });

  it.each(reviewModes)('has a referral before, unless selfReferral is BLOCK: %s', async (selfReferral) => {
    const { program, affiliate } = await begin({ selfReferral });
    const body = bodyOf(referralOperation, { name: 'Amara', email: affiliate.email, affiliateId: affiliate.id });
    const refer = () => createReferral(program, body, now);
    if (selfReferral === 'BLOCK')
      expect(await outcomeOf(refer)).toEqual({ status: 400, path: 'email', code: 'self_referral' });
    else expect(await referrals.get(program.id, (await refer()).id)).toBeDefined();
  });
});

describe('a sale to the company of the affiliate', () => {
  it.each(reviewModes)('is taken, held or refused where sameDomain is %s', async (sameDomain) => {
    const { program, company, referralId } = await begin({ sameDomain });
    const colleague = () => sell(program, { referralId, email: `priya@mail.${company}` });
    if (sameDomain === 'BLOCK')
      expect(await outcomeOf(colleague)).toEqual({ status: 400, path: 'email', code: 'same_domain' });
    else expect(await colleague()).toMatchObject(sameDomain === 'HOLD' ? held('SAME_DOMAIN') : taken);
    expect(await sell(program, { referralId, email: `priya@${randomUUID()}.test` })).toMatchObject(taken);
    expect(await sell(program, { referralId })).toMatchObject(taken);
  });
});

describe('many sales of one affiliate', () => {
  it('are held from the one on that makes a burst within an hour', async () => {
    const { program, referralId } = await begin({ burst: { mode: 'HOLD', sales: 3 } });
    await storeSale(program, referralId, { createdAt: at(-hourMilliseconds - 1) });
    await storeSale(program, referralId, { createdAt: at(-hourMilliseconds + 60_000) });
    await storeSale(program, randomUUID(), { createdAt: at(-1) });
    expect(await sell(program, { referralId })).toMatchObject(taken);
    expect(await sell(program, { referralId })).toMatchObject(held('BURST'));
    expect(await sell(program, { referralId }, new Date(at(hourMilliseconds)))).toMatchObject(held('BURST'));
    expect(await sell(program, { referralId }, new Date(at(3 * hourMilliseconds)))).toMatchObject(taken);
  });

  it('are refused where the rule blocks, by what named the affiliate', async () => {
    const { program, affiliate, referralId } = await begin({ burst: { mode: 'BLOCK', sales: 2 } });
    const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
    await sell(program, { referralId });
    expect(await outcomeOf(() => sell(program, { promoCode: code }))).toEqual({
      status: 400,
      path: 'promoCode',
      code: 'burst',
    });
  });
});

describe('an affiliate much of whose sales is refunded', () => {
  const counted = (programId: string, id: string, day: string, refundsMinor: bigint) =>
    writeTogether([
      incrementSumsWrite(
        programId,
        { name: 'ONE_AFFILIATE', day, id },
        {
          sales: 10n,
          revenueMinor: 1000n - refundsMinor,
          refundsMinor,
        },
      ),
    ]);
  const today = now.toISOString().slice(0, 10);

  it.each([
    { days: 29, refundsMinor: 300n, outcome: held('REFUND_RATE') },
    { days: 30, refundsMinor: 300n, outcome: taken },
    { days: 0, refundsMinor: 299n, outcome: taken },
  ])('$days days ago by $refundsMinor of 1000', async ({ days, refundsMinor, outcome }) => {
    const { program, referralId } = await begin({ refundRate: { mode: 'HOLD', percent: 30 } });
    await counted(program.id, referralId, addDays(today, -days), refundsMinor);
    expect(await sell(program, { referralId })).toMatchObject(outcome);
  });

  it('by days of the program’s time zone', async () => {
    const { program, referralId } = await begin({ refundRate: { mode: 'HOLD', percent: 30 } });
    await counted(program.id, referralId, addDays(today, 1), 300n);
    const ahead = { ...program, timeZone: 'Pacific/Kiritimati' };
    expect(await sell(ahead, { referralId })).toMatchObject(held('REFUND_RATE'));
  });

  it('sells nothing any more where the rule blocks', async () => {
    const { program, referralId } = await begin({ refundRate: { mode: 'BLOCK', percent: 30 } });
    await counted(program.id, referralId, today, 900n);
    const refusal = { status: 400, path: 'referralId', code: 'refund_rate' };
    expect(await outcomeOf(() => sell(program, { referralId }))).toEqual(refusal);
  });
});

it('a sale that breaks several rules has all of them as reasons', async () => {
  const { program, company, referralId } = await begin({ sameDomain: 'HOLD', burst: { mode: 'HOLD', sales: 2 } });
  await sell(program, { referralId });
  expect(await sell(program, { referralId, email: `priya@${company}` })).toMatchObject(held('SAME_DOMAIN', 'BURST'));
});

it('a sale that nobody is credited for is taken', async () => {
  const program = await programWithRules({ burst: { mode: 'BLOCK', sales: 2 }, sameDomain: 'BLOCK' });
  const { code } = await storeCode(program, await storeCoupon(program), { affiliateId: null });
  for (const _ of [1, 2, 3]) expect(await sell(program, { promoCode: code })).toMatchObject({ reviewStatus: null });
});

describe('the rules cost', () => {
  it('nothing where none is on but selfReferral', async () => {
    const { program, referralId } = await begin({ selfReferral: 'BLOCK' });
    const email = 'priya@example.com';
    expect((await roundTripsOf(() => sell(program, { referralId, email }))).trips.map((trip) => trip.length)).toEqual([
      2, 1, 1,
    ]);
  });

  it('one more round trip for the figures of the affiliate, read together', async () => {
    const figures = { burst: { mode: 'HOLD', sales: 3 }, refundRate: { mode: 'HOLD', percent: 30 } } as const;
    const { program, referralId } = await begin(figures);
    const { trips } = await roundTripsOf(() => sell(program, { referralId, email: 'priya@example.com' }));
    expect(trips.map((trip) => trip.length)).toEqual([3, 1, 2, 1]);
  });
});

describe('an email that a sale gets later', () => {
  const change = (program: Parameters<typeof updateSale>[0], id: string, email: string | null) =>
    updateSale(program, bodyOf(updateOperation, { saleId: Number(id), email }), undefined, now);

  it.each([
    { rules: { selfReferral: 'HOLD' }, name: 'amara', reasons: ['SELF_REFERRAL'] },
    { rules: { sameDomain: 'HOLD' }, name: 'priya', reasons: ['SAME_DOMAIN'] },
    { rules: { selfReferral: 'HOLD' }, name: 'priya', reasons: [] },
  ] as const)('holds the sale by $rules of $name: $reasons', async ({ rules, name, reasons }) => {
    const { program, company, referralId } = await begin(rules);
    const { id } = await storeSale(program, referralId);
    expect(await change(program, id, `${name}@${company}`)).toMatchObject(
      reasons.length > 0 ? held(...reasons) : taken,
    );
  });

  it('holds no sale that enters a payout batch at this moment', async () => {
    const { program, affiliate, referralId } = await begin({ selfReferral: 'HOLD' });
    const sale = await storeSale(program, referralId);
    const inBatch = { ...sale, payoutBatchId: '019a0000-0000-7000-8000-0000000000b1' };
    const changed = await interrupted(
      () => change(program, sale.id, affiliate.email),
      () => writeTogether(sales.updateWrites(program.id, sale, inBatch)),
    );
    expect(changed).toMatchObject({ ...taken, email: affiliate.email, payoutBatchId: inBatch.payoutBatchId });
  });

  it('adds to the reasons of a held sale, and none goes', async () => {
    const { program, company, referralId } = await begin({ sameDomain: 'HOLD' });
    const { id } = await storeSale(program, referralId, { reviewStatus: 'HELD', reviewReasons: ['BURST'] });
    expect(await change(program, id, `priya@${company}`)).toMatchObject(held('BURST', 'SAME_DOMAIN'));
    expect(await change(program, id, 'priya@example.com')).toMatchObject(held('BURST', 'SAME_DOMAIN'));
  });

  const decided = reviewStatuses.filter((status) => status !== 'HELD');
  it.each<{ is: string; state: Partial<StoredSale> }>([
    ...decided.map((reviewStatus) => ({ is: reviewStatus, state: { reviewStatus } })),
    { is: 'in a payout batch', state: { payoutBatchId: '019a0000-0000-7000-8000-0000000000b1' } },
  ])('holds no sale that is $is, but is refused where the rule blocks', async ({ state }) => {
    const { program, affiliate, referralId } = await begin({ selfReferral: 'HOLD' });
    const { id } = await storeSale(program, referralId, state);
    expect(await change(program, id, affiliate.email)).toMatchObject({ reviewStatus: null, ...state });
    const strict = await begin({ sameDomain: 'BLOCK' });
    const sale = await storeSale(strict.program, strict.referralId, state);
    expect(await outcomeOf(() => change(strict.program, sale.id, `priya@${strict.company}`))).toEqual({
      status: 400,
      path: 'email',
      code: 'same_domain',
    });
  });
});
