import { describe, expect, it } from 'vitest';
import { noGroups } from '../../shared/domain/groups/rules.ts';
import { csvLines } from '../../shared/platform/text/csv.ts';
import type { CsvColumn } from '../../shared/web/lists/csv-download.ts';
import { affiliateCsvColumns } from '../../shared/web/pages/affiliate-fields.tsx';
import { couponCsvColumns } from '../../shared/web/pages/coupon-fields.tsx';
import { linkCsvColumns } from '../../shared/web/pages/link-fields.ts';
import { codeCsvColumns } from '../../shared/web/pages/promotional-code-fields.tsx';
import { referralCsvColumns } from '../../shared/web/pages/referral-fields.tsx';
import { saleCsvColumns } from '../../shared/web/pages/sale-fields.tsx';
import { makeStoredLink, waitingApplication } from '../support/stored-records.ts';
import { affiliate, coupon, now, program, referral, sale, shownCode } from './shown-records.ts';

const fileOf = <Row>(columns: readonly CsvColumn<Row>[], row: Row): string[] =>
  columns.map(({ heading, value }) => `${heading}: ${csvLines([[value(row)]]).trim()}`);

describe('the file of a list has', () => {
  const totals = {
    numberOfReferredUsers: 4,
    numberOfClicks: 0,
    numberOfSales: 0,
    totalRevenueMinor: 100_000,
    totalCommissionEarnedMinor: 25_000,
    totalCommissionPaidMinor: 5000,
  };

  it('affiliates', () => {
    expect(fileOf(affiliateCsvColumns(program, noGroups), { ...affiliate, ...totals })).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000a1"",
        "firstName: "Amara"",
        "lastName: "Okafor"",
        "email: "amara@example.com"",
        "status: "ACTIVE"",
        "commissionRate: "25"",
        "groupId: "019a0000-0000-7d53-914f-4b864a330c28"",
        "group: "Default"",
        "payoutEmail: "pay@example.com"",
        "paymentMethod: "PAYPAL"",
        "externalId: "crm-1"",
        "links: """,
        "currency: "USD"",
        "numberOfReferredUsers: "4"",
        "numberOfClicks: "0"",
        "totalRevenue: "1000.00"",
        "totalCommissionEarned: "250.00"",
        "totalCommissionPaid: "50.00"",
        "createdAt: "2026-01-01T00:00:00.000Z"",
        "application: """,
        "appliedAt: """,
      ]
    `);
  });

  it('affiliates who have applied', () => {
    const applicant = { ...affiliate, ...totals, application: waitingApplication() };
    expect(fileOf(affiliateCsvColumns(program, noGroups), applicant).slice(-2)).toEqual([
      'application: "WAITING"',
      'appliedAt: "2026-01-01T00:00:00.000Z"',
    ]);
  });

  it('links', () => {
    const link = makeStoredLink({ referrals: 2, sales: 3, totalRevenueMinor: 4567 });
    expect(fileOf(linkCsvColumns(program), { link, affiliate })).toMatchInlineSnapshot(`
      [
        "id: "019a0000-0000-7000-8000-0000000000d1"",
        "link: "amara"",
        "affiliateId: "019a0000-0000-7000-8000-0000000000a1"",
        "affiliateEmail: "amara@example.com"",
        "destinationUrl: """,
        "clicks: "0"",
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
        "allowAffiliateCodes: "false"",
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
        "attribution: """,
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
        "commissionRule: "TIER"",
        "commissionAmount: """,
        "payableAt: "2026-03-31T09:30:00.000Z"",
        "status: "PARTIALLY_REFUNDED"",
        "reviewStatus: """,
        "reviewReasons: """,
        "attribution: "CLICK"",
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
