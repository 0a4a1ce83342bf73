import type { MailData, MailKind } from '../contract/mails.ts';

type Samples = { readonly [Kind in MailKind]: MailData<Kind> };

/** What a mail of each kind may say, for previews and tests. Its addresses lead to no secret. */
export const sampleMailData = (appUrl: string, currency: string): Samples => {
  const at = (path: string) => new URL(path, appUrl).href;
  return {
    MEMBER_INVITATION: { invitedBy: 'owner@example.com', role: 'MANAGER', url: at('/programs') },
    PORTAL_SIGN_IN: { url: at('/portal/example') },
    PAYOUT_DETAILS_CONFIRM: {
      paymentMethod: 'PAYPAL',
      payoutEmail: 'noor.payouts@example.com',
      url: at('/portal/example/payout-details/confirm'),
    },
    APPLICATION_RECEIVED: {},
    APPLICATION_APPROVED: { url: at('/portal/example') },
    APPLICATION_DECLINED: {
      message: 'We look for affiliates with an audience of gardeners. Write to us again in spring.',
    },
    FIRST_SALE: { commissionMinor: 1250, currency, url: at('/portal/example') },
    PAYOUT_PAID: { amountMinor: '123456', currency, paidOn: '2026-01-31', code: null, url: at('/portal/example') },
    WEEKLY_SUMMARY: {
      firstDay: '2026-01-19',
      lastDay: '2026-01-25',
      currency,
      week: { sales: 42, revenueMinor: '1234500', commissionMinor: '246900', clicks: 1830, referrals: 9 },
      weekBefore: { sales: 35, revenueMinor: '1310000', commissionMinor: '262000', clicks: 1640, referrals: 0 },
      url: at('/programs'),
    },
  };
};
