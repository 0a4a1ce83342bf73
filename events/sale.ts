import type * as z from 'zod';
import { Sale } from '../shared/contract/sales.ts';
import { StoredSale, saleResponse } from '../shared/domain/sales/rules.ts';
import { eventFamily } from './family.ts';

const made: z.output<typeof Sale> = {
  id: 371820736512,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  affiliateId: '019a0000-0000-7000-8000-0000000000a1',
  referralId: null,
  affiliateProgramId: '019a0000-0000-7000-8000-000000000001',
  affiliateLinkId: null,
  promotionalCodeId: '019a0000-0000-7000-8000-0000000000d1',
  externalId: 'order-1042',
  externalInvoiceId: null,
  customerId: null,
  name: null,
  email: 'customer@example.com',
  totalEarned: 49.9,
  commissionRate: 20,
  commissionEarned: 9.98,
  refundedAmount: 0,
  productsBought: [],
  status: 'ACTIVE',
  refundedAt: null,
  payoutBatchId: null,
  paidAt: null,
  source: 'API',
  metadata: {},
};

/** The first half of it is given back. */
const halfRefunded: z.output<typeof Sale> = {
  ...made,
  updatedAt: '2026-02-01T12:00:00.000Z',
  commissionEarned: 4.99,
  refundedAmount: 24.95,
  status: 'PARTIALLY_REFUNDED',
  refundedAt: '2026-02-01T12:00:00.000Z',
};

export const saleEvents = eventFamily({
  name: 'sale',
  kind: 'SALE',
  noun: 'sale',
  stored: StoredSale,
  response: Sale,
  toResponse: async (program, sale) => saleResponse(sale, program),
  notEdited: [],
  also: [
    {
      type: 'sale.refunded',
      description: 'A sale was refunded, in whole or in part. `data` is the sale after it.',
      when: (before, after) => after.refundedAmount > before.refundedAmount,
      example: { before: made, after: halfRefunded },
    },
  ],
  example: made,
  editedExample: { ...made, updatedAt: '2026-02-01T12:00:00.000Z', totalEarned: 39.9, commissionEarned: 7.98 },
});
