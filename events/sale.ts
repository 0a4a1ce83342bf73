import {
  approvedSaleExample,
  heldSaleExample,
  refundedSaleExample,
  rejectedSaleExample,
  saleExample,
} from '../shared/contract/record-examples.ts';
import { Sale } from '../shared/contract/sale.ts';
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
    {
      type: 'sale.held',
      description:
        'A sale is held for review, by the reasons in it: a new one, beside its `sale.created`, or one whose email was edited. ' +
        '`previousAttributes` of a new sale is empty.',
      when: (before, after) => before.reviewStatus !== 'HELD' && after.reviewStatus === 'HELD',
      whenCreated: ({ reviewStatus }) => reviewStatus === 'HELD',
      example: { before: saleExample, after: heldSaleExample },
    },
    {
      type: 'sale.approved',
      description: 'A held sale was approved: the next payout batch may pay its commission.',
      when: (before, after) => before.reviewStatus === 'HELD' && after.reviewStatus === 'APPROVED',
      example: { before: heldSaleExample, after: approvedSaleExample },
    },
    {
      type: 'sale.rejected',
      description: 'A held sale was rejected: its commission is 0.',
      when: (before, after) => before.reviewStatus === 'HELD' && after.reviewStatus === 'REJECTED',
      example: { before: heldSaleExample, after: rejectedSaleExample },
    },
  ],
  example: saleExample,
  editedExample: { ...saleExample, updatedAt: '2026-02-01T12:00:00.000Z', totalEarned: 39.9, commissionEarned: 7.98 },
});
