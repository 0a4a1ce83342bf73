import * as z from 'zod';
import { CommissionRule } from './commission-rule.ts';
import { amount, email, returnedInstant, text, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { Product } from './sale.ts';

export const previewSale = operation({
  id: 'previewSale',
  method: 'POST',
  path: '/sales/preview',
  auth: 'key',
  tag: 'Sales',
  summary: 'Ask what a sale would earn',
  description:
    'What POST /sales would decide now for a sale of that affiliate, and why. Records nothing. With `email` or ' +
    '`customerId` it knows whether the months of the group are over for that customer.',
  query: z.strictObject({}),
  body: z.strictObject({
    affiliateId: uuid,
    totalEarned: amount,
    product: Product.nullish(),
    email: email.nullish(),
    customerId: text(255).nullish(),
  }),
  ids: ['affiliateId'],
  response: z.object({ commissionEarned: z.number(), commissionRule: CommissionRule, payableAt: returnedInstant }),
  errors: ['not_found'],
  needs: ['AFFILIATE:read', 'SALE:read', 'GROUP:list', 'STATISTIC:list'],
  example: {
    body: { affiliateId: '019a0000-0000-7000-8000-0000000000a1', totalEarned: 49.9, product: { productId: 'starter' } },
  },
});

export const salePreviewOperations = [previewSale] as const;
