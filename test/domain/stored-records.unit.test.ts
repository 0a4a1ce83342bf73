import { describe, expect, it } from 'vitest';
import { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import { bareCodeResponse, StoredPromotionalCode } from '../../shared/domain/promotional-codes/rules.ts';
import { StoredReferral } from '../../shared/domain/referrals/rules.ts';
import { StoredSale } from '../../shared/domain/sales/rules.ts';
import { makeStoredSale } from '../support/sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredReferral,
} from '../support/stored-records.ts';

const metadata = { text: 'a', number: 1.5, flag: false };
const uncounted = { uncappedUses: 0, cappedSince: null, isCapEdited: false, isSettled: false };
const product = { productId: 'p', name: 'Mug', quantity: 2, price: 9.5 };

describe.each([
  { kind: 'affiliate', schema: StoredAffiliate, record: makeStoredAffiliate({ metadata }), added: { searchWords: [] } },
  {
    kind: 'coupon',
    schema: StoredCoupon,
    record: makeStoredCoupon({ metadata }),
    added: { ...uncounted, automaticSince: null, automaticSlot: null },
  },
  { kind: 'code', schema: StoredPromotionalCode, record: makeStoredCode({ metadata }), added: uncounted },
  { kind: 'referral', schema: StoredReferral, record: makeStoredReferral({ metadata }), added: { redemption: null } },
  {
    kind: 'sale',
    schema: StoredSale,
    record: makeStoredSale('a', { metadata, productsBought: [product] }),
    added: { redemption: null, searchWords: [] },
  },
])('a stored $kind', ({ schema, record, added }) => {
  it('is read with all its fields', () => {
    expect(schema.parse(record)).toEqual(record);
  });

  // A field that is added to a schema must be added here too, with its default.
  it('without fields that were added later gets their defaults', () => {
    const older = Object.fromEntries(Object.entries(record).filter(([name]) => !(name in added)));
    expect(schema.parse(older)).toEqual({ ...record, ...added });
  });
});

it.each([
  { minor: null, currency: null, shown: null },
  { minor: 500, currency: 'EUR', shown: 5 },
  { minor: 500, currency: 'JPY', shown: 500 },
  { minor: 500, currency: null, shown: 5 },
])('the minimum amount of a code: $minor in $currency is $shown', ({ minor, currency, shown }) => {
  const code = makeStoredCode({ minimumAmountMinor: minor, minimumAmountCurrency: currency });
  expect(bareCodeResponse(code, undefined).minimumAmount).toBe(shown);
});
