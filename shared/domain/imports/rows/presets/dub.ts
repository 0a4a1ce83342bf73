import type { Preset } from './preset.ts';

/**
 * Dub. The columns are those that its repository (github.com/dubinc/dub, `exportPartnerColumns` and `COMMISSION_EXPORT_COLUMNS`)
 * writes into exports of partners and commissions; dub.co/help/article/managing-program-partners and partner-commissions describe
 * the exports and the statuses pending, processed, paid, refunded, fraud, canceled and duplicate. Times are ISO 8601. Amounts have a
 * currency sign (`$49.90`) today, and were cents without one before. A commission for a lead or a click has no amount, so that its
 * row is refused. Choose the columns `Partner email`, `Customer email` and `Paid at` when exporting commissions. Not verified: the
 * headers of exported customers.
 */
export const dub: Preset = {
  wholeAmountsAreMinor: true,
  columns: {
    affiliates: {
      id: null,
      name: 'fullName',
      email: 'email',
      status: 'status',
      'Enrolled at': 'createdAt',
      createdAt: 'createdAt',
      tenantId: 'externalId',
    },
    referrals: {
      externalId: 'referredUserExternalId',
      name: 'name',
      email: 'email',
      partnerEmail: 'affiliateEmail',
      createdAt: 'createdAt',
      id: null,
      link: null,
    },
    sales: {
      id: 'externalId',
      amount: 'totalEarned',
      earnings: 'commissionAmount',
      currency: 'currency',
      status: 'state',
      invoiceId: 'externalInvoiceId',
      createdAt: 'createdAt',
      paidAt: 'paidAt',
      partnerEmail: 'affiliateEmail',
      customerName: 'name',
      customerEmail: 'email',
      customerExternalId: 'customerId',
      type: null,
      description: null,
      quantity: null,
      updatedAt: null,
      partnerId: null,
      partnerName: null,
      partnerTenantId: null,
      customerId: null,
      stripeCustomerId: null,
    },
  },
};
