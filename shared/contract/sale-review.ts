import * as z from 'zod';
import { operation } from './operation.ts';
import { Sale, saleId } from './sale.ts';

export const reviewSale = operation({
  id: 'reviewSale',
  method: 'POST',
  path: '/sales/review',
  auth: 'key',
  tag: 'Sales',
  summary: 'Approve or reject a held sale',
  description:
    '`APPROVE` lets the next payout batch whose period includes `payableAt` of the sale pay its commission. `REJECT` sets the ' +
    'commission to 0, for good. The same decision again returns the sale. 409 for another decision, and for a sale that no rule held.',
  query: z.strictObject({}),
  body: z.strictObject({ saleId, decision: z.enum(['APPROVE', 'REJECT']) }),
  ids: ['saleId'],
  response: Sale,
  connector: true,
  errors: ['not_found', 'conflict'],
  needs: ['SALE:read', 'SALE:change', 'SALE:create', 'SALE:delete'],
  example: { body: { saleId: 371820736512, decision: 'APPROVE' } },
});

export const saleReviewOperations = [reviewSale] as const;
