import { describe, expect, it } from 'vitest';
import type { ReviewMode, ReviewRules } from '../../../shared/contract/review.ts';
import { changedReviewRules, reviewRulesOf, reviewsSales } from '../../../shared/domain/programs/review-rules.ts';
import {
  type Finding,
  findingsOf,
  isRefundedOften,
  isSameEmail,
  type ReviewFacts,
  reasonsToHold,
} from '../../../shared/domain/review/rules.ts';
import { isSameCompany } from '../../../shared/domain/review/same-company.ts';
import { foldedEmail } from '../../../shared/platform/text/folded-email.ts';
import { outcomeOf } from '../../support/domain.ts';

const allOff: ReviewRules = {
  selfReferral: 'OFF',
  sameDomain: 'OFF',
  burst: { mode: 'OFF', sales: 3 },
  refundRate: { mode: 'OFF', percent: 30 },
};
const allHold: ReviewRules = {
  selfReferral: 'HOLD',
  sameDomain: 'HOLD',
  burst: { mode: 'HOLD', sales: 3 },
  refundRate: { mode: 'HOLD', percent: 30 },
};
const honest: ReviewFacts = { isOwnEmail: false, isSameCompany: false, salesInHour: 2, refunds: undefined };
const muchRefunded = { sales: 10, revenueMinor: 70n, refundsMinor: 30n };

describe('a folded email', () => {
  it.each([
    ['amara@example.com', 'amara@example.com'],
    ['Amara+shop@Example.com', 'amara@example.com'],
    ['a.m.a.r.a@example.com', 'amara@example.com'],
    ['a.mara+x+y@sub.example.com', 'amara@sub.example.com'],
    ['+tag@example.com', '@example.com'],
  ])('of %s is %s', (email, folded) => expect(foldedEmail(email)).toBe(folded));

  it.each([
    ['amara@example.com', 'amara@example.org', false],
    ['amara@example.com', 'amarab@example.com', false],
    ['amara@example.com', 'amara@examplecom', false],
    ['am.ara+1@example.com', 'a.mara+2@EXAMPLE.com', true],
  ])('%s and %s are the same: %s', (one, other, isSame) => expect(isSameEmail(one, other)).toBe(isSame));
});

describe('two emails are of one company', () => {
  it.each([
    ['amara@acme.test', 'priya@acme.test', true],
    ['amara@acme.co.uk', 'priya@mail.acme.co.uk', true],
    ['amara@a.co.uk', 'priya@b.co.uk', false],
    ['amara@acme.com', 'priya@acme.net', false],
    ['amara@acme.com', 'priya@other.com', false],
    ['amara@gmail.com', 'priya@gmail.com', false],
    ['amara@yahoo.co.uk', 'priya@yahoo.co.uk', false],
    ['amara@tuta.com', 'priya@tuta.com', false],
    ['amara@xn--bcher-kva.de', 'priya@shop.xn--bcher-kva.de', true],
    ['amara@localhost', 'priya@localhost', false],
    ['amara@com', 'priya@com', false],
  ])('%s and %s: %s', async (one, other, isSame) => {
    expect(await isSameCompany(one, other)).toBe(isSame);
    expect(await isSameCompany(other, one)).toBe(isSame);
  });
});

describe('an affiliate is refunded often', () => {
  it.each([
    [muchRefunded, 30, true],
    [{ ...muchRefunded, sales: 9 }, 30, false],
    [muchRefunded, 31, false],
    [{ sales: 10, revenueMinor: 7001n, refundsMinor: 2999n }, 30, false],
    [{ sales: 10, revenueMinor: 0n, refundsMinor: 1n }, 100, true],
    [{ sales: 10, revenueMinor: 1n, refundsMinor: 0n }, 1, false],
    [{ sales: 10, revenueMinor: 2n ** 60n, refundsMinor: 2n ** 60n }, 50, true],
  ])('with %o at %d percent: %s', (figures, percent, isOften) =>
    expect(isRefundedOften(figures, percent)).toBe(isOften),
  );
});

describe('the rules of a program', () => {
  it.each<[Partial<ReviewFacts>, readonly string[]]>([
    [{}, []],
    [{ isOwnEmail: true }, ['SELF_REFERRAL']],
    [{ isSameCompany: true }, ['SAME_DOMAIN']],
    [{ isOwnEmail: true, isSameCompany: true }, ['SELF_REFERRAL']],
    [{ salesInHour: 3 }, ['BURST']],
    [{ refunds: muchRefunded }, ['REFUND_RATE']],
    [{ isOwnEmail: true, salesInHour: 4, refunds: muchRefunded }, ['SELF_REFERRAL', 'BURST', 'REFUND_RATE']],
  ])('find in %o: %o', (facts, reasons) => {
    const found = findingsOf(allHold, { ...honest, ...facts });
    expect(found).toEqual(reasons.map((reason) => [reason, 'HOLD']));
    expect(reasonsToHold(found)).toEqual(reasons);
    expect(findingsOf(allOff, { ...honest, ...facts })).toEqual([]);
  });

  it.each<[readonly Finding[], object]>([
    [[['SELF_REFERRAL', 'BLOCK']], { status: 400, path: 'email', code: 'self_referral' }],
    [[['SAME_DOMAIN', 'BLOCK']], { status: 400, path: 'email', code: 'same_domain' }],
    [[['BURST', 'BLOCK']], { status: 400, path: 'promoCode', code: 'burst' }],
    [[['REFUND_RATE', 'BLOCK']], { status: 400, path: 'promoCode', code: 'refund_rate' }],
    [
      [
        ['SELF_REFERRAL', 'HOLD'],
        ['BURST', 'BLOCK'],
        ['REFUND_RATE', 'BLOCK'],
      ],
      { status: 400, path: 'promoCode', code: 'burst' },
    ],
  ])('that block %o refuse the sale', async (findings, refusal) =>
    expect(await outcomeOf(() => reasonsToHold(findings, 'promoCode'))).toEqual(refusal),
  );

  it('of an earlier version follow its setting of self-referral', () => {
    const rules = (allowSelfReferral: boolean) => reviewRulesOf({ reviewRules: undefined, allowSelfReferral });
    expect(rules(false)).toMatchObject({ selfReferral: 'BLOCK', sameDomain: 'OFF' });
    expect(rules(true)).toMatchObject({ selfReferral: 'OFF', burst: { mode: 'OFF' }, refundRate: { mode: 'OFF' } });
  });

  it.each<[Partial<ReviewRules>, boolean]>([
    [{}, false],
    [{ selfReferral: 'HOLD' }, false],
    [{ sameDomain: 'HOLD' }, true],
    [{ burst: { mode: 'BLOCK', sales: 3 } }, true],
    [{ refundRate: { mode: 'HOLD', percent: 3 } }, true],
  ])('with %o are asked about every sale: %s', (rules, isOn) =>
    expect(reviewsSales({ reviewRules: { ...allOff, ...rules }, allowSelfReferral: true })).toBe(isOn),
  );

  it.each<[ReviewMode, boolean | undefined, ReviewMode, boolean]>([
    ['BLOCK', undefined, 'BLOCK', false],
    ['BLOCK', false, 'BLOCK', false],
    ['BLOCK', true, 'OFF', true],
    ['HOLD', false, 'HOLD', false],
    ['HOLD', true, 'OFF', true],
    ['OFF', true, 'OFF', true],
    ['OFF', false, 'BLOCK', false],
  ])('that say %s are %s beside the former setting %s', (selfReferral, allowSelfReferral, then, isAllowed) => {
    const program = { reviewRules: { ...allHold, selfReferral }, allowSelfReferral: selfReferral === 'OFF' };
    expect(changedReviewRules(program, { allowSelfReferral })).toEqual({
      reviewRules: { ...allHold, selfReferral: then },
      allowSelfReferral: isAllowed,
    });
  });

  it.each([true, false])('that were never chosen are not stored by an edit of the former setting to %s', (allowed) =>
    expect(
      changedReviewRules({ reviewRules: undefined, allowSelfReferral: !allowed }, { allowSelfReferral: allowed }),
    ).toEqual({ allowSelfReferral: allowed }),
  );

  it('go before the former setting where both are given', () => {
    const edit = { allowSelfReferral: false, reviewRules: allOff };
    expect(changedReviewRules({ reviewRules: undefined, allowSelfReferral: false }, edit)).toEqual({
      reviewRules: allOff,
      allowSelfReferral: true,
    });
  });
});
