import type { Preset } from './preset.ts';

/**
 * Rewardful. The fields are those of developers.rewardful.com/rest-api: affiliates, affiliate links, referrals (a nested `customer`
 * is `customer_email` here) and commissions with their sale; amounts are cents, times ISO 8601, states of a commission pending,
 * due, paid and voided. Columns of affiliates are also those of help.rewardful.com/en/articles/1988486. Not verified: the headers of
 * the files that its dashboard exports, which no public page names; they match where they are the fields in other spelling.
 */
export const rewardful: Preset = {
  wholeAmountsAreMinor: true,
  columns: {
    affiliates: {
      id: 'externalId',
      first_name: 'firstName',
      last_name: 'lastName',
      email: 'email',
      token: 'affiliateLink',
      link_token: 'affiliateLink',
      state: 'status',
      paypal_email: 'payoutEmail',
      wise_email: 'payoutEmail',
      created_at: 'createdAt',
      stripe_customer_id: null,
    },
    links: {
      token: 'link',
      affiliate_email: 'affiliateEmail',
      email: 'affiliateEmail',
      created_at: 'createdAt',
      url: null,
    },
    referrals: {
      customer_id: 'referredUserExternalId',
      stripe_customer_id: 'referredUserExternalId',
      customer_name: 'name',
      customer_email: 'email',
      affiliate_email: 'affiliateEmail',
      created_at: 'createdAt',
      id: null,
      conversion_state: null,
    },
    sales: {
      id: 'externalId',
      amount: 'commissionAmount',
      commission_amount: 'commissionAmount',
      commission_amount_cents: 'commissionAmount',
      sale_amount: 'totalEarned',
      sale_amount_cents: 'totalEarned',
      refund_amount: 'refundedAmount',
      refund_amount_cents: 'refundedAmount',
      currency: 'currency',
      state: 'state',
      paid_at: 'paidAt',
      created_at: 'createdAt',
      affiliate_email: 'affiliateEmail',
      customer_id: 'customerId',
      customer_name: 'name',
      customer_email: 'email',
      stripe_charge_id: 'externalInvoiceId',
      due_at: null,
      voided_at: null,
    },
  },
};
