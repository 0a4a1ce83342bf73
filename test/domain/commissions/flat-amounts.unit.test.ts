import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commissionRuleResponse, earnedMinor } from '../../../shared/domain/commissions/rules.ts';
import { flat, roundedHalfUp } from './terms.ts';

const total = fc.integer({ min: 1, max: 1_000_000_000_000 });
const amount = fc.integer({ min: 0, max: 1_000_000_000 });

describe('a flat amount', () => {
  it('is the whole amount of a sale without refunds, however small the sale', () => {
    fc.assert(
      fc.property(total, amount, (ofSale, flatMinor) => {
        expect(earnedMinor(flat(flatMinor), ofSale, 0)).toBe(flatMinor);
      }),
    );
  });

  it('falls in proportion to what was refunded, half-up', () => {
    fc.assert(
      fc.property(total, amount, fc.double({ min: 0, max: 1, noNaN: true }), (ofSale, flatMinor, part) => {
        const refundedMinor = Math.floor(ofSale * part);
        const left = roundedHalfUp(BigInt(flatMinor) * BigInt(ofSale - refundedMinor), BigInt(ofSale));
        expect(BigInt(earnedMinor(flat(flatMinor), ofSale, refundedMinor))).toBe(left);
      }),
    );
  });

  it('is taken back exactly by refunds of any parts, and never more', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(parts, amount, (refunds, flatMinor) => {
        const ofSale = refunds.reduce((sum, part) => sum + part, 0);
        let refunded = 0;
        const taken = refunds.map((part) => {
          const before = earnedMinor(flat(flatMinor), ofSale, refunded);
          refunded += part;
          return before - earnedMinor(flat(flatMinor), ofSale, refunded);
        });
        expect(taken.every((one) => one >= 0)).toBe(true);
        expect(taken.reduce((sum, one) => sum + one, 0)).toBe(flatMinor);
      }),
    );
  });

  it.each([
    [1250, 'USD', 12.5],
    [1250, 'JPY', 1250],
    [1250, 'KWD', 1.25],
  ])('of %i minor units in %s is shown as %d', (amountMinor, currency, shown) =>
    expect(
      commissionRuleResponse(
        { ...flat(amountMinor), source: 'GROUP', groupId: 'group', tier: null, overSince: null },
        currency,
      ),
    ).toEqual({ source: 'GROUP', type: 'FLAT', rate: null, amount: shown, groupId: 'group' }),
  );
});
