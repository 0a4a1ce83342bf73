import type { Preset } from './preset.ts';

/**
 * FirstPromoter. The fields are those of docs.firstpromoter.com (API v2: promoters, referrals, commissions), with the nested ones
 * as `promoter_email` and `referral_email`; times are ISO 8601, a commission is pending, approved or denied, and `is_paid` says
 * whether it is paid. That amounts are cents is what its tracking API says. Not verified: the headers of the files that its
 * dashboard exports (help.firstpromoter.com describes the button alone), and whether these name a time of payment.
 */
export const firstpromoter: Preset = {
  wholeAmountsAreMinor: true,
  columns: {
    affiliates: {
      email: 'email',
      name: 'fullName',
      first_name: 'firstName',
      last_name: 'lastName',
      ref_id: 'affiliateLink',
      ref_token: 'affiliateLink',
      cust_id: 'externalId',
      state: 'status',
      status: 'status',
      paypal_email: 'payoutEmail',
      joined_at: 'createdAt',
      created_at: 'createdAt',
      id: null,
    },
    referrals: {
      email: 'email',
      uid: 'referredUserExternalId',
      name: 'name',
      first_name: 'firstName',
      last_name: 'lastName',
      plan: 'plan',
      promoter_email: 'affiliateEmail',
      created_at: 'createdAt',
      id: null,
      state: null,
      customer_since: null,
    },
    sales: {
      id: 'externalId',
      sale_amount: 'totalEarned',
      amount: 'commissionAmount',
      commission_amount: 'commissionAmount',
      status: 'state',
      is_paid: 'isPaid',
      paid_at: 'paidAt',
      event_id: 'externalInvoiceId',
      created_at: 'createdAt',
      promoter_email: 'affiliateEmail',
      referral_email: 'email',
      referral_uid: 'customerId',
      original_sale_amount: null,
      original_sale_currency: null,
      commission_type: null,
      unit: null,
    },
  },
};
