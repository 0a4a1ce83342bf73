import { describe, expect, it } from 'vitest';
import { linkEntry, StoredLink, unusedLink } from '../../shared/domain/affiliates/link-rules.ts';
import { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import { StoredPayoutBatch } from '../../shared/domain/payouts/rules.ts';
import { bareCodeResponse, StoredPromotionalCode } from '../../shared/domain/promotional-codes/rules.ts';
import { StoredReferral } from '../../shared/domain/referrals/rules.ts';
import { StoredSale } from '../../shared/domain/sales/rules.ts';
import { makeStoredSale } from '../support/sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredLink,
  makeStoredReferral,
} from '../support/stored-records.ts';

const metadata = { text: 'a', number: 1.5, flag: false };
const moment = '2026-01-01T00:00:00.000Z';
const batch: StoredPayoutBatch = {
  id: 'b',
  createdAt: moment,
  updatedAt: moment,
  version: 1,
  name: null,
  status: 'READY',
  step: 'DONE',
  periodStart: null,
  periodEnd: moment,
  affiliateIds: ['a'],
  paymentMethod: null,
  couponId: null,
  minimumAmountMinor: 500,
  currency: 'USD',
  payoutCount: 1,
  saleCount: 1,
  totalAmountMinor: '1000',
  paidAt: null,
  source: 'API',
};
const uncounted = { uncappedUses: 0, cappedSince: null, isCapEdited: false, isSettled: false };
const product = { productId: 'p', name: 'Mug', quantity: 2, price: 9.5 };

describe.each([
  {
    kind: 'affiliate',
    schema: StoredAffiliate,
    record: makeStoredAffiliate({ metadata, links: { l1: linkEntry(makeStoredLink()) } }),
    added: { searchWords: [] },
  },
  { kind: 'link', schema: StoredLink, record: makeStoredLink(unusedLink), added: {} },
  { kind: 'payout batch', schema: StoredPayoutBatch, record: batch, added: { couponId: null } },
  {
    kind: 'coupon',
    schema: StoredCoupon,
    record: makeStoredCoupon({ metadata }),
    added: { ...uncounted, automaticSince: null, automaticSlot: null, payoutBatchId: null },
  },
  { kind: 'code', schema: StoredPromotionalCode, record: makeStoredCode({ metadata }), added: uncounted },
  {
    kind: 'referral',
    schema: StoredReferral,
    record: makeStoredReferral({ metadata }),
    added: { redemption: null, referringHost: null, inStatistics: true },
  },
  {
    kind: 'sale',
    schema: StoredSale,
    record: makeStoredSale('a', { metadata, productsBought: [product] }),
    added: {
      redemption: null,
      referringHost: null,
      inStatistics: true,
      searchWords: [],
      commissionRule: null,
      reviewStatus: null,
      reviewReasons: [],
    },
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
