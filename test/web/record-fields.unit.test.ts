import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { applied, unstoredDefault } from '../../shared/domain/groups/rules.ts';
import { type Entry, Facts } from '../../shared/web/components/blocks.tsx';
import { unfilled } from '../../shared/web/components/controls.tsx';
import { FormControls } from '../../shared/web/forms/form-controls.tsx';
import { detailEntries } from '../../shared/web/lists/record-fields.ts';
import { affiliateDetails } from '../../shared/web/pages/affiliate-fields.tsx';
import { couponDetails } from '../../shared/web/pages/coupon-fields.tsx';
import { codeDetails } from '../../shared/web/pages/promotional-code-fields.tsx';
import { referralControls, referralDetails } from '../../shared/web/pages/referral-fields.tsx';
import { saleDetails } from '../../shared/web/pages/sale-fields.tsx';
import { webhookDetails } from '../../shared/web/pages/webhook-fields.tsx';
import { makeStoredAffiliate } from '../support/stored-records.ts';
import { makeStoredWebhook } from '../webhooks/fixtures.ts';
import { linesOf } from './shown.ts';
import { affiliate, code, coupon, program, referral, sale, shownCode } from './shown-records.ts';

// What people read of each field of a record: on its page, and in the file of its list.

const byDefault = applied(unstoredDefault({ ...program, commissionRate: 20 }), { ...program, commissionRate: 20 });
const partners = {
  ...byDefault,
  name: 'Partners',
  isDefault: false,
  commissionType: 'FLAT' as const,
  commissionRate: null,
  commissionAmountMinor: 500,
};

const factsOf = (entries: readonly Entry[]): string[] => linesOf(renderToString(h(Facts, { entries: [...entries] })));
describe('the page of a record lists', () => {
  it('of an affiliate what is known, and whose the rate is', () => {
    expect(factsOf(detailEntries(affiliateDetails(affiliate, partners)))).toMatchInlineSnapshot(`
      [
        "Email",
        "amara@example.com",
        "Group",
        "Partners",
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
      const { commissionRate: entry } = affiliateDetails(makeStoredAffiliate({ commissionRate }), byDefault);
      return entry;
    });
    expect(rates).toEqual([
      ['Rate', '20 %', 'The program’s rate'],
      ['Rate', '0 %', false],
      ['Rate', '25 %', false],
    ]);
    const { commissionRate: entry } = affiliateDetails(makeStoredAffiliate({ commissionRate: null }), partners);
    expect(entry).toEqual(['Rate', '$5.00 per sale', 'Of the group']);
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
    const details = saleDetails(program, sale, { affiliate, referral, code, groupName: 'Partners' });
    expect(factsOf(detailEntries(details))).toMatchInlineSnapshot(`
      [
        "Customer",
        "Priya Sharma",
        "Email",
        "priya@example.com",
        "Affiliate",
        "Amara Okafor (/programs/019a0000-0000-7000-8000-0000000000d1/affiliates/019a0000-0000-7000-8000-0000000000a1)",
        "Credited because of",
        "A click on the affiliate’s link",
        "Feb 27, 2026, 08:00 UTC",
        "Why this commission",
        "A tier that the affiliate reached",
        "From $500.00 of revenue in that month; the affiliate had $612.50",
        "Group",
        "Partners (/programs/019a0000-0000-7000-8000-0000000000d1/groups/019a0000-0000-7000-8000-0000000000c9)",
        "Commission payable from",
        "Mar 31, 2026, 09:30 UTC",
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
