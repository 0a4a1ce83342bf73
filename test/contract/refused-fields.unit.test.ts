import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { createAffiliate } from '../../shared/contract/affiliates.ts';
import { createCoupon } from '../../shared/contract/coupons.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { createPromotionalCode } from '../../shared/contract/promotional-codes.ts';
import { parseBody } from '../../shared/http/parsing.ts';

/** The status and the sentence with which a body is refused. */
const refusal = (schema: z.ZodObject, body: object): [number, string] => {
  try {
    parseBody(schema, body);
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.message];
    throw error;
  }
  throw new Error('The body is not refused');
};

type Case = [fields: Record<string, unknown>, error: string];

describe('a new affiliate', () => {
  const person = { email: 'amara@example.com', firstName: 'Amara' };
  it.each<Case>([
    [{ email: undefined }, 'email is required'],
    [{ firstName: undefined }, 'firstName is required'],
    [{ email: 'nobody' }, 'email must be an email address'],
    [{ email: '' }, 'email must be an email address'],
    [{ firstName: '' }, 'firstName must not be empty'],
    [{ firstName: '   ' }, 'firstName must not be empty'],
    [{ firstName: 7 }, 'firstName must be a string'],
    [{ commissionRate: -0.1 }, 'commissionRate must be at least 0'],
    [{ commissionRate: 100.1 }, 'commissionRate must be at most 100'],
    [{ commissionRate: '20' }, 'commissionRate must be a number'],
    [{ affiliateLink: 'a b' }, 'affiliateLink may have letters, digits and hyphens only'],
    [{ affiliateLink: 'zoë' }, 'affiliateLink may have letters, digits and hyphens only'],
    [{ affiliateLink: '' }, 'affiliateLink must not be empty'],
    [{ affiliateStatus: 'banned' }, 'affiliateStatus must be one of active, inactive'],
    [{ affiliateStatus: 'BANNED' }, 'affiliateStatus must be one of active, inactive'],
    [{ payoutEmail: 'x' }, 'payoutEmail must be an email address'],
    [{ paymentMethod: 'CASH' }, 'paymentMethod must be one of WISE, PAYPAL, BANK, CREDITS, COUPON, OTHER'],
    [{ externalId: '' }, 'externalId must not be empty'],
    [{ programId: randomUUID() }, 'programId is not a known field'],
    [{ id: randomUUID() }, 'id is not a known field'],
    [{ state: 'ACTIVE' }, 'state is not a known field'],
    [{ status: 'PENDING' }, 'status must be one of active, inactive'],
    [{ totalCommissionPaid: 5 }, 'totalCommissionPaid is not a known field'],
  ])('is refused with %j', (fields, error) =>
    expect(refusal(createAffiliate.body, { ...person, ...fields })).toEqual([400, error]),
  );
});

describe('a new coupon', () => {
  const spring = { name: 'Spring', percentOff: 20 };
  const flat = { couponType: 'FLAT', percentOff: undefined, amountOff: 10, currency: 'USD' };
  it.each<Case>([
    [{ name: undefined }, 'name is required'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ percentOff: undefined }, 'percentOff is required for a PERCENTAGE coupon'],
    [{ percentOff: 0.99 }, 'percentOff must be at least 1'],
    [{ percentOff: 100.01 }, 'percentOff must be at most 100'],
    [{ amountOff: 5 }, 'amountOff belongs to a FLAT coupon'],
    [{ currency: 'USD' }, 'currency belongs to a FLAT coupon'],
    [{ ...flat, amountOff: undefined }, 'amountOff is required for a FLAT coupon'],
    [{ ...flat, currency: undefined }, 'currency is required for a FLAT coupon'],
    [{ ...flat, percentOff: 5 }, 'percentOff belongs to a PERCENTAGE coupon'],
    [{ ...flat, amountOff: 0 }, 'amountOff must be above 0'],
    [{ ...flat, amountOff: -1 }, 'amountOff must be above 0'],
    [{ ...flat, currency: 'EURO' }, 'currency must be an ISO 4217 currency code such as USD'],
    [{ couponType: 'percentage' }, 'couponType must be one of PERCENTAGE, FLAT'],
    [{ duration: 'FOREVER' }, 'duration must be one of once, forever, repeating'],
    [{ duration: 'repeating' }, 'durationInMonths is required when duration is repeating'],
    [{ durationInMonths: 3 }, 'durationInMonths is allowed only when duration is repeating'],
    [{ duration: 'repeating', durationInMonths: 0 }, 'durationInMonths must be at least 1'],
    [{ duration: 'repeating', durationInMonths: 1.5 }, 'durationInMonths must be a whole number'],
    [{ maxRedemptions: 0 }, 'maxRedemptions must be at least 1'],
    [{ couponCategory: 'STAFF' }, 'couponCategory must be one of CUSTOMER, PAYOUT'],
    [{ limitToProducts: true }, 'productIds is required when limitToProducts is true'],
    [{ productIds: [''] }, 'productIds.0 must not be empty'],
    [{ redeemBy: 'soon' }, 'redeemBy must be a date-time such as 2026-01-31T12:00:00Z'],
    [{ autoCouponRule: { enabled: true } }, 'autoCouponRule.codeStructure is required'],
    [
      { autoCouponRule: { enabled: true, codeStructure: {} } },
      'autoCouponRule.codeStructure needs at least one flag that is true',
    ],
    [{ timesRedeemed: 5 }, 'timesRedeemed is not a known field'],
    [{ affiliateProgramId: randomUUID() }, 'affiliateProgramId is not a known field'],
  ])('is refused with %j', (fields, error) =>
    expect(refusal(createCoupon.body, { ...spring, ...fields })).toEqual([400, error]),
  );
});

describe('a new promotional code', () => {
  const code = { couponId: randomUUID(), code: 'SPRING20' };
  it.each<Case>([
    [{ couponId: undefined }, 'couponId is required'],
    [{ couponId: 'spring' }, 'couponId must be a UUID'],
    [{ code: undefined }, 'code is required unless isAutoGenerated is true'],
    [{ code: null }, 'code is required unless isAutoGenerated is true'],
    [{ code: '' }, 'code must not be empty'],
    [{ code: 'A B' }, 'code may not have white space or control characters'],
    [{ code: 'A\u00a0B' }, 'code may not have white space or control characters'],
    [{ code: 'A\tB' }, 'code may not have white space or control characters'],
    [{ code: 'A\u200bB' }, 'code may not have white space or control characters'],
    [{ code: 'A\u202eB' }, 'code may not have white space or control characters'],
    [{ code: 'x'.repeat(101) }, 'code must have at most 100 characters'],
    [{ affiliateId: 'amara' }, 'affiliateId must be a UUID'],
    [{ affiliateEmail: 'amara' }, 'affiliateEmail must be an email address'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt must be a date-time such as 2026-01-31T12:00:00Z'],
    [{ maxRedemptions: 0 }, 'maxRedemptions must be at least 1'],
    [{ maxRedemptions: 1.5 }, 'maxRedemptions must be a whole number'],
    [{ minimumAmount: -1 }, 'minimumAmount must be at least 0'],
    [
      { minimumAmount: 5, minimumAmountCurrency: 'DOLLAR' },
      'minimumAmountCurrency must be an ISO 4217 currency code such as USD',
    ],
    [{ active: 'true' }, 'active must be a boolean'],
    [{ randomCharsLength: 0 }, 'randomCharsLength must be at least 1'],
    [{ randomCharsLength: 33 }, 'randomCharsLength must be at most 32'],
    [{ randomCharsCase: 'UPPERCASE' }, 'randomCharsCase must be one of uppercase, lowercase, mixed'],
    [{ timesRedeemed: 1 }, 'timesRedeemed is not a known field'],
    [{ isAffiliateGenerated: true }, 'isAffiliateGenerated is not a known field'],
  ])('is refused with %j', (fields, error) =>
    expect(refusal(createPromotionalCode.body, { ...code, ...fields })).toEqual([400, error]),
  );
});

describe('a code that is generated', () => {
  const generated = { couponId: randomUUID(), isAutoGenerated: true, affiliateId: randomUUID() };
  it.each<Case>([
    [{ affiliateId: undefined }, 'affiliateId or affiliateEmail is required when isAutoGenerated is true'],
    [{ codeStructure: undefined }, 'codeStructure is required when isAutoGenerated is true'],
    [{ codeStructure: null }, 'codeStructure is required when isAutoGenerated is true'],
    [{ codeStructure: {} }, 'codeStructure needs at least one flag that is true'],
    [{ codeStructure: { firstName: false } }, 'codeStructure needs at least one flag that is true'],
    [{ codeStructure: { firstName: 'true' } }, 'codeStructure.firstName must be a boolean'],
    [{ codeStructure: { nickname: true } }, 'codeStructure.nickname is not a known field'],
    [{ code: 'MINE' }, 'code cannot be given together with isAutoGenerated'],
    [{ prefix: 'A B' }, 'prefix may not have white space or control characters'],
    [{ prefix: 'x'.repeat(51) }, 'prefix must have at most 50 characters'],
  ])('is refused with %j', (fields, error) =>
    expect(
      refusal(createPromotionalCode.body, { ...generated, codeStructure: { firstName: true }, ...fields }),
    ).toEqual([400, error]),
  );
});
