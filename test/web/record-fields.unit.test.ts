import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { codeResponse } from '../../shared/domain/promotional-codes/responses.ts';
import { csvLines } from '../../shared/platform/text/csv.ts';
import { type Entry, Facts } from '../../shared/web/components/blocks.tsx';
import { unfilled } from '../../shared/web/components/controls.tsx';
import { FormControls } from '../../shared/web/forms/form-controls.tsx';
import type { CsvColumn } from '../../shared/web/lists/csv-download.ts';
import { detailEntries } from '../../shared/web/lists/record-fields.ts';
import { affiliateCsvColumns, affiliateDetails } from '../../shared/web/pages/affiliate-fields.tsx';
import { couponCsvColumns, couponDetails } from '../../shared/web/pages/coupon-fields.tsx';
import { linkCsvColumns } from '../../shared/web/pages/link-fields.ts';
import { codeCsvColumns, codeDetails } from '../../shared/web/pages/promotional-code-fields.tsx';
import { referralControls, referralCsvColumns, referralDetails } from '../../shared/web/pages/referral-fields.tsx';
import { saleCsvColumns, saleDetails } from '../../shared/web/pages/sale-fields.tsx';
import { webhookDetails } from '../../shared/web/pages/webhook-fields.tsx';
import { makeStoredSale } from '../support/sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredLink,
  makeStoredReferral,
} from '../support/stored-records.ts';
import { makeStoredWebhook } from '../webhooks/fixtures.ts';
import { linesOf, programShown } from './shown.ts';

// What people read of each field of a record: on its page, and in the file of its list.

const now = new Date('2026-03-31T12:00:00.000Z');
const program = programShown();
const affiliate = makeStoredAffiliate({
  commissionRate: 25,
  externalId: 'crm-1',
  payoutEmail: 'pay@example.com',
  paymentMethod: 'PAYPAL',
  metadata: { tier: 'gold' },
});
const referral = makeStoredReferral({
  affiliateId: affiliate.id,
  plan: 'pro',
  notes: 'Met at the fair',
  referredUserExternalId: 'user-1',
  totalRevenueMinor: 12_345,
  totalCommissionMinor: 2469,
});
const coupon = makeStoredCoupon({ externalId: 'shop-1', maxRedemptions: 50, redeemBy: '2026-12-31T00:00:00.000Z' });
const code = makeStoredCode({ affiliateId: affiliate.id, maxRedemptions: 5, timesRedeemed: 2, firstTimeOrder: true });
const sale = makeStoredSale(affiliate.id, {
  createdAt: '2026-03-01T09:30:00.000Z',
  name: 'Priya Sharma',
  email: 'priya@example.com',
  externalId: 'order-1',
  externalInvoiceId: 'invoice-1',
  customerId: 'customer-1',
  refundedAmountMinor: 2500,
  refundedAt: '2026-03-05T10:00:00.000Z',
  status: 'PARTIALLY_REFUNDED',
  payoutBatchId: '019a0000-0000-7000-8000-0000000000b1',
  paidAt: '2026-03-20T10:00:00.000Z',
  promotionalCodeId: code.id,
  referralId: referral.id,
});
const shownCode = codeResponse(program, { code, coupon, affiliate }, now);

const factsOf = (entries: readonly Entry[]): string[] => linesOf(renderToString(h(Facts, { entries: [...entries] })));
const fileOf = <Row>(columns: readonly CsvColumn<Row>[], row: Row): string[] =>
  columns.map(({ heading, value }) => `${heading}: ${csvLines([[value(row)]]).trim()}`);

describe('the page of a record lists', () => {
  it('of an affiliate what is known, and whose the rate is', () => {
    expect(factsOf(detailEntries(affiliateDetails(affiliate, 20)))).toMatchInlineSnapshot(`
      [
        "Email",
        "amara@example.com",
        "Rate",
        "25 %",
        "Payment method",
        "PayPal",
        "Payout email",
        "pay@example.com",
        "External ID",
        "crm-1",
        "ID",
        "019a0000-0000-7000-8000-0000000000a1",
        "Joined",
        "Jan 1, 2026",
        "tier",
        "gold",
      ]
    `);
    const rates = [null, 0, 25].map((commissionRate) => {
      const { commissionRate: entry } = affiliateDetails(makeStoredAffiliate({ commissionRate }), 20);
      return entry;
    });
    expect(rates).toEqual([
      ['Rate', '20 %', 'The program’s rate'],
      ['Rate', '0 %', false],
      ['Rate', '25 %', false],
    ]);
  });

  it('of a coupon its discount and limits', () => {
    expect(factsOf(detailEntries(couponDetails(coupon)))).toMatchInlineSnapshot(`
      [
        "Discount",
        "20 % off",
        "Applies",
        "Forever",
        "Redeemed",
        "0 of 50",
        "Redeem by",
        "Dec 31, 2026, 00:00 UTC",
        "External ID",
        "shop-1",
        "ID",
        "019a0000-0000-7000-8000-0000000000c1",
        "Created",
        "Jan 1, 2026, 00:00 UTC",
      ]
    `);
  });

  it('of a code its affiliate, uses and conditions', () => {
    expect(factsOf(detailEntries(codeDetails(program.id, code, shownCode)))).toMatchInlineSnapshot(`
      [
        "Code",
        "SPRING20",
        "Coupon",
        "Spring (/programs/019a0000-0000-7000-8000-0000000000d1/coupons/019a0000-0000-7000-8000-0000000000c1)",
        "Affiliate",
        "Amara Okafor (/programs/019a0000-0000-7000-8000-0000000000d1/affiliates/019a0000-0000-7000-8000-0000000000a1)",
        "Redeemed",
        "2 of 5",
        "Expires",
        "Never",
        "Conditions",
        "Only a customer’s first order",
        "ID",
        "019a0000-0000-7000-8000-0000000000f1",
        "Created",
        "Jan 1, 2026, 00:00 UTC",
      ]
    `);
  });

  it('of a referral who brought it', () => {
    expect(factsOf(detailEntries(referralDetails(program.id, referral, affiliate)))).toMatchInlineSnapshot(`
      [
        "Email",
        "priya@example.com",
        "Affiliate",
        "Amara Okafor (/programs/019a0000-0000-7000-8000-0000000000d1/affiliates/019a0000-0000-7000-8000-0000000000a1)",
        "Plan",
        "pro",
        "External ID",
        "user-1",
        "Notes",
        "Met at the fair",
        "ID",
        "019a0000-0000-7000-8000-0000000000e1",
        "Created",
        "Jan 1, 2026, 00:00 UTC",
      ]
    `);
  });

  it('of a sale what it belongs to, its payout and its refund', () => {
    const details = saleDetails(program.id, sale, { affiliate, referral, code });
    expect(factsOf(detailEntries(details))).toMatchInlineSnapshot(`
      [
        "Customer",
        "Priya Sharma",
        "Email",
        "priya@example.com",
        "Affiliate",
        "Amara Okafor (/programs/019a0000-0000-7000-8000-0000000000d1/affiliates/019a0000-0000-7000-8000-0000000000a1)",
        "Referral",
        "Priya Sharma (/programs/019a0000-0000-7000-8000-0000000000d1/referrals/019a0000-0000-7000-8000-0000000000e1)",
        "Code",
        "SPRING20 (/programs/019a0000-0000-7000-8000-0000000000d1/promotional-codes/019a0000-0000-7000-8000-0000000000f1)",
        "Payout",
        "Paid (/programs/019a0000-0000-7000-8000-0000000000d1/payout-batches/019a0000-0000-7000-8000-0000000000b1)",
        "ID",
        "279716659200001",
        "External ID",
        "order-1",
        "Invoice ID",
        "invoice-1",
        "Customer ID",
        "customer-1",
        "Date",
        "Mar 1, 2026, 09:30 UTC",
        "Refunded",
        "Mar 5, 2026, 10:00 UTC",
      ]
    `);
  });

  it('of a webhook endpoint where it is, and what it receives', () => {
    const webhook = makeStoredWebhook({ description: 'Of the shop', failingSince: '2026-03-30T00:00:00.000Z' });
    expect(factsOf(detailEntries(webhookDetails(webhook)))).toMatchInlineSnapshot(`
      [
        "URL",
        "https://example.com/hooks",
        "Description",
        "Of the shop",
        "Events",
        "All events",
        "State",
        "Failing",
        "Every attempt has failed since",
        "Mar 30, 2026, 00:00 UTC",
        ".",
        "Created",
        "Jan 1, 2026, 00:00 UTC",
      ]
    `);
  });
});

describe('the file of a list has', () => {
  it('affiliates', () => {
    const totals = {
      numberOfReferredUsers: 4,
      numberOfClicks: 0,
      totalRevenueMinor: 100_000,
      totalCommissionEarnedMinor: 25_000,
      totalCommissionPaidMinor: 5000,
    };
    expect(fileOf(affiliateCsvColumns(program), { ...affiliate, ...totals })).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000a1"",
        "firstName: "Amara"",
        "lastName: "Okafor"",
        "email: "amara@example.com"",
        "status: "ACTIVE"",
        "commissionRate: "25"",
        "payoutEmail: "pay@example.com"",
        "paymentMethod: "PAYPAL"",
        "externalId: "crm-1"",
        "links: """,
        "currency: "USD"",
        "numberOfReferredUsers: "4"",
        "totalRevenue: "1000.00"",
        "totalCommissionEarned: "250.00"",
        "totalCommissionPaid: "50.00"",
        "createdAt: "2026-01-01T00:00:00.000Z"",
      ]
    `);
  });

  it('links', () => {
    const link = makeStoredLink({ referrals: 2, sales: 3, totalRevenueMinor: 4567 });
    expect(fileOf(linkCsvColumns(program), { link, affiliate })).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000d1"",
        "link: "amara"",
        "affiliateId: "019a0000-0000-7000-8000-0000000000a1"",
        "affiliateEmail: "amara@example.com"",
        "referrals: "2"",
        "sales: "3"",
        "currency: "USD"",
        "totalRevenue: "45.67"",
        "createdAt: "2026-01-01T00:00:00.000Z"",
      ]
    `);
  });

  it('coupons', () => {
    expect(fileOf(couponCsvColumns(now), coupon)).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000c1"",
        "name: "Spring"",
        "couponType: "PERCENTAGE"",
        "percentOff: "20"",
        "amountOff: """,
        "currency: """,
        "duration: "forever"",
        "durationInMonths: """,
        "valid: "true"",
        "timesRedeemed: "0"",
        "maxRedemptions: "50"",
        "redeemBy: "2026-12-31T00:00:00.000Z"",
        "externalId: "shop-1"",
        "createdAt: "2026-01-01T00:00:00.000Z"",
      ]
    `);
  });

  it('codes', () => {
    expect(fileOf(codeCsvColumns, shownCode)).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000f1"",
        "code: "SPRING20"",
        "couponId: "019a0000-0000-7000-8000-0000000000c1"",
        "coupon: "Spring"",
        "affiliateId: "019a0000-0000-7000-8000-0000000000a1"",
        "affiliateEmail: "amara@example.com"",
        "active: "true"",
        "timesRedeemed: "2"",
        "maxRedemptions: "5"",
        "expiresAt: """,
        "externalId: """,
        "createdAt: "2026-01-01T00:00:00.000Z"",
      ]
    `);
  });

  it('referrals', () => {
    expect(fileOf(referralCsvColumns(program), { referral, affiliate })).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000e1"",
        "name: "Priya Sharma"",
        "email: "priya@example.com"",
        "affiliateId: "019a0000-0000-7000-8000-0000000000a1"",
        "affiliateEmail: "amara@example.com"",
        "subscriptionStatus: "ACTIVE"",
        "plan: "pro"",
        "currency: "USD"",
        "totalRevenue: "123.45"",
        "totalCommission: "24.69"",
        "referredUserExternalId: "user-1"",
        "notes: "Met at the fair"",
        "createdAt: "2026-01-01T00:00:00.000Z"",
      ]
    `);
  });

  it('sales', () => {
    expect(fileOf(saleCsvColumns(program), { sale, affiliate })).toMatchInlineSnapshot(`
      [
        "id: "279716659200001"",
        "createdAt: "2026-03-01T09:30:00.000Z"",
        "name: "Priya Sharma"",
        "email: "priya@example.com"",
        "affiliateId: "019a0000-0000-7000-8000-0000000000a1"",
        "affiliate: "Amara Okafor"",
        "affiliateEmail: "amara@example.com"",
        "currency: "USD"",
        "totalEarned: "100.00"",
        "refundedAmount: "25.00"",
        "commissionRate: "10"",
        "commissionEarned: "10.00"",
        "status: "PARTIALLY_REFUNDED"",
        "paidAt: "2026-03-20T10:00:00.000Z"",
        "payoutBatchId: "019a0000-0000-7000-8000-0000000000b1"",
        "promotionalCodeId: "019a0000-0000-7000-8000-0000000000f1"",
        "referralId: "019a0000-0000-7000-8000-0000000000e1"",
        "externalId: "order-1"",
        "externalInvoiceId: "invoice-1"",
      ]
    `);
  });
});

it('a form folds away what is rarely used, and begins with what is stored', () => {
  const html = renderToString(h(FormControls, { controls: referralControls(referral, unfilled), filled: unfilled }));
  expect(html).toMatch(/<textarea[^>]*name="notes"[^>]*>Met at the fair<\/textarea>/);
  const folded = html.slice(html.indexOf('<details'));
  expect([...folded.matchAll(/name="(\w+)"/g)].map(([, name]) => name)).toMatchInlineSnapshot(`
    [
      "plan",
      "referredUserExternalId",
    ]
  `);
});
