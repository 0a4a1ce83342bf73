import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMinor, minorDigits, toMinor } from '../../shared/money/money.ts';
import { saleParts, worthOf } from '../../shared/payouts/parts.ts';
import { commissionMinor, refunded } from '../../shared/sales/rules.ts';
import { makeStoredSale } from '../support/sales.ts';

/** A decimal as JSON carries it, and exactly: `digits` over ten to the power of `scale`. */
interface Decimal {
  number: number;
  digits: bigint;
  scale: bigint;
}

const decimal = (most: number, mostScale: number): fc.Arbitrary<Decimal> =>
  fc.integer({ min: 0, max: mostScale }).chain((scale) =>
    fc.integer({ min: 0, max: most * 10 ** scale }).map((digits) => ({
      number: Number(`${digits}e-${scale}`),
      digits: BigInt(digits),
      scale: BigInt(scale),
    })),
  );

const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD');
const rate = decimal(100, 6);
/** The highest that a sale can have: a billion in a currency of three digits. */
const mostMinor = 1_000_000_000_000;
const totalMinor = fc.integer({ min: 1, max: mostMinor });

const halfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

const exactCommission = (amountMinor: bigint, { digits, scale }: Decimal): bigint =>
  halfUp(amountMinor * digits, 100n * 10n ** scale);

describe('against whole numbers of any size', () => {
  it('an amount is rounded half-up to the minor unit of its currency', () => {
    fc.assert(
      fc.property(currency, decimal(1_000_000, 6), (code, { number, digits, scale }) => {
        const expected = halfUp(digits * 10n ** BigInt(minorDigits(code)), 10n ** scale);
        expect(BigInt(toMinor(number, code))).toBe(expected);
      }),
    );
  });

  it('a commission is rounded half-up, at any rate', () => {
    fc.assert(
      fc.property(totalMinor, rate, (total, percent) => {
        expect(BigInt(commissionMinor(total, 0, percent.number))).toBe(exactCommission(BigInt(total), percent));
      }),
    );
  });

  const refunds = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 });

  it('refunds leave the commission on what is left, and in a payout batch take back the difference, to the last', () => {
    fc.assert(
      fc.property(totalMinor, rate, refunds, fc.boolean(), (total, percent, parts, isInBatch) => {
        const paid = exactCommission(BigInt(total), percent);
        let sale = makeStoredSale('a', {
          totalEarnedMinor: total,
          commissionRate: percent.number,
          commissionEarnedMinor: Number(paid),
          payoutBatchId: isInBatch ? 'b' : null,
        });
        let taken = 0n;
        for (const part of [...parts, 1]) {
          const leftMinor = total - sale.refundedAmountMinor;
          if (leftMinor === 0) break;
          const after = refunded(sale, Math.max(1, Math.floor(leftMinor * part)), new Date());
          sale = after.sale;
          taken += BigInt(after.adjustmentMinor);
          const remaining = exactCommission(BigInt(total - sale.refundedAmountMinor), percent);
          expect(BigInt(sale.commissionEarnedMinor) + taken).toBe(remaining);
          expect(BigInt(sale.commissionEarnedMinor)).toBe(isInBatch ? paid : remaining);
        }
        expect(sale).toMatchObject({ status: 'REFUNDED', refundedAmountMinor: total });
        expect(taken).toBe(isInBatch ? -paid : 0n);
      }),
    );
  });

  it('a sum is exact, however large', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { maxLength: 50 }), (commissions) => {
        const parts = commissions.map((commissionEarnedMinor) => makeStoredSale('a', { commissionEarnedMinor }));
        const expected = commissions.reduce((sum, one) => sum + BigInt(one), 0n);
        expect(worthOf(saleParts, parts)).toBe(expected);
      }),
    );
  });

  it('an amount of any sale is answered as the decimal that it is', () => {
    fc.assert(
      fc.property(currency, totalMinor, (code, minor) => {
        expect(fromMinor(minor, code)).toBe(Number(`${minor}e-${minorDigits(code)}`));
      }),
    );
  });
});

describe('the worked examples of the API guide', () => {
  const guide = readFileSync('docs/api-guide.md', 'utf8');
  const rowsOf = (form: RegExp) => [...guide.matchAll(form)].map(({ groups = {} }) => groups);

  const commissions = rowsOf(
    /^\| (?<count>three sales of )?(?<amount>[\d.]+) (?<code>[A-Z]{3}) +\| (?<rate>[\d.]+) % +\| .*?\| .*?(?<result>[\d.]+) +\|$/gm,
  );

  it('have a sale in each kind of currency, and three that are rounded one by one', () => {
    expect(new Set(commissions.map(({ code }) => code))).toEqual(new Set(['USD', 'JPY', 'KWD']));
    expect(commissions.filter(({ count }) => count)).toMatchObject([
      { amount: '0.10', rate: '33.333', result: '0.09' },
    ]);
  });

  it.each(commissions)('$count$amount $code at $rate % is a commission of $result', (row) => {
    const { code = '', count } = row;
    const one = commissionMinor(toMinor(Number(row.amount), code), 0, Number(row.rate));
    expect(fromMinor(count ? 3 * one : one, code)).toBe(Number(row.result));
  });

  it('refund a sale in parts, and say what adjustments take back of one that was paid', () => {
    const steps = rowsOf(
      /^\| refund .*?\| (?<refunded>[\d.]+) +\| (.* = )?(?<commission>[\d.]+) +\| `?(?<status>\w+)/gm,
    );
    expect(steps).toHaveLength(3);
    const [, sold, percent] = /A sale of ([\d.]+) at ([\d.]+) %/.exec(guide) ?? [];
    const adjusted = [...guide.matchAll(/−([\d.]+\d) for the/g)].map(([, amount]) => -Number(amount));
    const sale = {
      totalEarnedMinor: toMinor(Number(sold), 'USD'),
      commissionRate: Number(percent),
      commissionEarnedMinor: 3333,
    };
    let [unpaid, paid] = [makeStoredSale('a', sale), makeStoredSale('a', { ...sale, payoutBatchId: 'b' })];
    for (const [at, step] of steps.slice(0, 2).entries()) {
      const amountMinor = toMinor(Number(step.refunded), 'USD') - unpaid.refundedAmountMinor;
      unpaid = refunded(unpaid, amountMinor, new Date()).sale;
      expect(unpaid.status).toBe(step.status);
      expect(fromMinor(unpaid.commissionEarnedMinor, 'USD')).toBe(Number(step.commission));
      const afterPayment = refunded(paid, amountMinor, new Date());
      paid = afterPayment.sale;
      expect(fromMinor(afterPayment.adjustmentMinor, 'USD')).toBe(adjusted[at]);
    }
    expect(paid.commissionEarnedMinor).toBe(3333);
  });
});
