import type { Preset } from './preset.ts';

/**
 * Tolt. The fields are those of docs.tolt.com (partners, links, customers, commissions), with the nested ones as `partner_email` and
 * `customer_email`; amounts are cents, times ISO 8601, a commission is pending, approved, paid, rejected or refunded, and has no
 * time of payment. Transactions are not imported, because the commissions name their revenue. Not verified: the headers of the
 * files that its dashboard exports, which no public page names.
 */
export const tolt: Preset = {
  wholeAmountsAreMinor: true,
  columns: {
    affiliates: {
      id: 'externalId',
      email: 'email',
      name: 'fullName',
      first_name: 'firstName',
      last_name: 'lastName',
      status: 'status',
      payout_email: 'payoutEmail',
      paypal_email: 'payoutEmail',
      created_at: 'createdAt',
      company_name: null,
      country_code: null,
      updated_at: null,
    },
    links: {
      value: 'link',
      partner_email: 'affiliateEmail',
      created_at: 'createdAt',
      id: null,
      param: null,
    },
    referrals: {
      customer_id: 'referredUserExternalId',
      email: 'email',
      name: 'name',
      partner_email: 'affiliateEmail',
      created_at: 'createdAt',
      id: null,
      status: null,
      updated_at: null,
    },
    sales: {
      id: 'externalId',
      amount: 'commissionAmount',
      revenue: 'totalEarned',
      currency: 'currency',
      charge_id: 'externalInvoiceId',
      status: 'state',
      created_at: 'createdAt',
      customer_email: 'email',
      customer_name: 'name',
      customer_id: 'customerId',
      partner_email: 'affiliateEmail',
      transaction_id: null,
      source: null,
      type: null,
      updated_at: null,
    },
  },
};
