import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodeGeneration, generateCode } from '../../shared/domain/promotional-codes/rules.ts';
import { anyCharacter } from '../support/any-character.ts';
import { makeStoredAffiliate, makeStoredCoupon } from '../support/stored-records.ts';

type Affiliate = Parameters<typeof makeStoredAffiliate>[0];
type Coupon = Parameters<typeof makeStoredCoupon>[0];

const first = () => 0;
const generated = (
  codeStructure: CodeGeneration['codeStructure'],
  from: { affiliate?: Affiliate; coupon?: Coupon } & Partial<CodeGeneration> = {},
  randomBelow: (bound: number) => number = first,
) => {
  const { affiliate, coupon, ...generation } = from;
  return generateCode(
    { codeStructure, randomCharsLength: 4, randomCharsCase: 'uppercase', ...generation },
    { affiliate: makeStoredAffiliate(affiliate), coupon: makeStoredCoupon(coupon) },
    randomBelow,
  );
};

describe('a generated code', () => {
  it('has its pieces in the specified order, behind the prefix, without separators', () =>
    expect(
      generated(
        {
          randomChars: true,
          couponName: true,
          discountAmount: true,
          email: true,
          lastName: true,
          firstName: true,
        },
        { prefix: 'vip-', affiliate: { email: 'a.okafor+x@example.com' } },
      ),
    ).toBe('vip-AMARAOKAFORAOKAFORX20SPRINGAAAA'));

  it.each([
    ['Zoë', 'ZOE'],
    ['Zoe\u0308', 'ZOE'],
    ['Łukasz', 'LUKASZ'],
    ['José', 'JOSE'],
    ['Søren', 'SOREN'],
    ['李', '李'],
    ['Ольга', 'ОЛЬГА'],
    ["O'Brien", 'OBRIEN'],
    ['Anna-Maria 2', 'ANNAMARIA2'],
    ['Weiß', 'WEISS'],
  ])('folds %s to %s', (firstName, piece) =>
    expect(generated({ firstName: true }, { affiliate: { firstName } })).toBe(piece),
  );

  it.each<[Coupon, string]>([
    [{ percentOff: 20 }, '20'],
    [{ percentOff: 12.5 }, '125'],
    [{ percentOff: null, amountOffMinor: 1000, currency: 'USD' }, '10'],
    [{ percentOff: null, amountOffMinor: 1250, currency: 'USD' }, '1250'],
    [{ percentOff: null, amountOffMinor: 500, currency: 'JPY' }, '500'],
    [{ percentOff: null, amountOffMinor: 1500, currency: 'KWD' }, '1500'],
  ])('writes the discount %o as %s', (coupon, piece) =>
    expect(generated({ discountAmount: true }, { coupon })).toBe(piece),
  );

  it('leaves out a piece that is empty once it is folded', () =>
    expect(generated({ firstName: true, lastName: true }, { affiliate: { firstName: '---', lastName: 'B' } })).toBe(
      'B',
    ));

  it('leaves out a piece whose flag is false', () =>
    expect(generated({ firstName: false, lastName: true })).toBe('OKAFOR'));

  it('keeps the prefix as it was sent', () =>
    expect(generated({ firstName: true }, { prefix: 'zoë_' })).toBe('zoë_AMARA'));

  it.each([
    ['uppercase', /^[A-Z0-9]+$/],
    ['lowercase', /^[a-z0-9]+$/],
    ['mixed', /^[A-Za-z0-9]+$/],
  ] as const)('draws %s characters from its alphabet, as many as asked', (randomCharsCase, alphabet) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 32 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true })),
        (randomCharsLength, draws) => {
          const code = generated({ randomChars: true }, { randomCharsCase, randomCharsLength }, (bound) =>
            Math.floor((draws.next().value ?? 0) * bound),
          );
          expect(code).toHaveLength(randomCharsLength);
          expect(code).toMatch(alphabet);
        },
      ),
    );
  });

  it('never has white space or control characters, whatever the names are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter }), (firstName, name) => {
        const code = generated({ firstName: true, couponName: true }, { affiliate: { firstName }, coupon: { name } });
        expect(code).toMatch(/^[\p{L}\p{N}]*$/u);
      }),
    );
  });
});
