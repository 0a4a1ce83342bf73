import { refundedSaleExample, saleExample } from '../shared/contract/record-examples.ts';
import { Sale } from '../shared/contract/sales.ts';
import { StoredSale, saleResponse } from '../shared/domain/sales/rules.ts';
import { eventFamily } from './family.ts';

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
      example: { before: saleExample, after: refundedSaleExample },
    },
  ],
  example: saleExample,
  editedExample: { ...saleExample, updatedAt: '2026-02-01T12:00:00.000Z', totalEarned: 39.9, commissionEarned: 7.98 },
});
