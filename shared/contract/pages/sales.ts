import * as z from 'zod';
import { text } from '../fields.ts';
import { webPage } from '../page.ts';
import { reviewStatuses } from '../review.ts';
import { saleStatuses } from '../sale.ts';
import { previewSale as previewOperation } from '../sale-preview.ts';
import { reviewSale } from '../sale-review.ts';
import { createSale, deleteSale, refundSale, updateSale } from '../sales.ts';
import { chosenRecords, namedAffiliate } from './fields.ts';
import { cursor, filter, period, sortedBy, soughtEmail, totals } from './list-query.ts';
import { formOf, formWithout, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/sales';
/** Sales are numbered; a number that no sale has is a 404. */
const pathOfOne = `${path}/{saleNumber}` as const;

export const payoutFilters = ['unpaid', 'batched', 'paid'] as const;

const filters = {
  reference: filter(text(255)),
  search: filter(text(100)),
  affiliateEmail: filter(soughtEmail),
  status: filter(z.enum(saleStatuses)),
  reviewStatus: filter(z.enum(reviewStatuses)),
  payout: filter(z.enum(payoutFilters)),
  ...period,
  ...sortedBy(),
};
const needsOfList = [
  'SALE:read',
  'SALE:list',
  'SALE:list:GSI1',
  'SALE:list:GSI5',
  'SALE:list:GSI6',
  'AFFILIATE:read',
  'TOMBSTONE:read',
] as const;

export const showSales = webPage({
  ...area,
  id: 'showSales',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor, totals }),
  needs: [...needsOfList, 'AFFILIATE:list'],
});

const downloadSales = webPage({
  ...area,
  id: 'downloadSales',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

export const showHeldSales = webPage({
  ...area,
  id: 'showHeldSales',
  role: 'VIEWER',
  method: 'GET',
  path: `${path}/review`,
  query: z.object({ cursor }),
  needs: ['SALE:read', 'SALE:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

const decideSales = webPage({
  ...area,
  id: 'decideSales',
  method: 'POST',
  path: `${path}/review`,
  form: chosenRecords(['approve', 'reject']),
  writes: ({ action: _, ...chosen }) => Object.keys(chosen).length,
  needs: reviewSale.needs,
});

const showNewSale = webPage({
  ...area,
  id: 'showNewSale',
  method: 'GET',
  path: `${path}/new`,
  query: z.object({ affiliateEmail: filter(soughtEmail) }),
  needs: [],
});

const addSale = webPage({
  ...area,
  id: 'addSale',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: formWithout(createSale.body, ['clickId', 'firstOrder', 'product', 'metadata']).extend(namedAffiliate),
  needs: [
    'SALE:read',
    'SALE:create',
    'SALE:change',
    'REFERRAL:read',
    'AFFILIATE:read',
    'AFFILIATE:list',
    'LINK:read',
    'PROMOTIONAL_CODE:read',
    'PROMOTIONAL_CODE:list',
    'PROMOTIONAL_CODE:change',
    'COUPON:read',
    'COUPON:list',
    'COUPON:change',
    'UNCOUNTED:create',
    'UNCOUNTED:list',
    'GROUP:list',
    'SALE:list:GSI1',
    'STATISTIC:list',
  ],
});

const showSalePreview = webPage({
  ...area,
  id: 'showSalePreview',
  method: 'GET',
  path: `${path}/preview`,
  query: z.object({ affiliateEmail: filter(soughtEmail) }),
  role: 'VIEWER',
  needs: [],
});

const previewSale = webPage({
  ...area,
  id: 'previewSale',
  method: 'POST',
  path: `${path}/preview`,
  form: formOf(previewOperation.body, ['totalEarned', 'email']).extend({
    ...namedAffiliate,
    productId: text(255).nullish(),
  }),
  role: 'VIEWER',
  needs: [...previewOperation.needs, 'AFFILIATE:list'],
});

const showSale = webPage({
  ...area,
  id: 'showSale',
  method: 'GET',
  path: pathOfOne,
  needs: ['SALE:read', 'AFFILIATE:read', 'REFERRAL:read', 'PROMOTIONAL_CODE:read', 'TOMBSTONE:read', 'GROUP:list'],
});

const showSaleEdit = webPage({
  ...area,
  id: 'showSaleEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['SALE:read'],
});

const editSale = webPage({
  ...area,
  id: 'editSale',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  form: formWithout(updateSale.body, ['saleId', 'metadata']),
  emptyRemoves: true,
  needs: [
    'SALE:read',
    'SALE:change',
    'SALE:create',
    'SALE:delete',
    'AFFILIATE:read',
    'PROMOTIONAL_CODE:read',
    'GROUP:list',
    'STATISTIC:list',
  ],
});

const showRefund = webPage({
  ...area,
  id: 'showRefund',
  method: 'GET',
  path: `${pathOfOne}/refund`,
  needs: ['SALE:read'],
});

const refund = webPage({
  ...area,
  id: 'refund',
  method: 'POST',
  path: `${pathOfOne}/refund`,
  form: formOf(refundSale.body, ['amount']).extend({
    /** Nothing is chosen in advance. */
    scope: z.enum(['all', 'part'], 'Choose what to refund'),
    /** The version of the sale that was shown, so that a form that is sent twice refunds once. */
    version: z.int(),
  }),
  needs: ['SALE:read', 'SALE:change', 'ADJUSTMENT:create', 'AFFILIATE:read', 'records:count'],
});

const confirmSaleDeletion = webPage({
  ...area,
  id: 'confirmSaleDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['SALE:read'],
});

const removeSale = webPage({
  ...area,
  id: 'removeSale',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deleteSale.needs,
});

export const salePages = [
  showSales,
  downloadSales,
  showHeldSales,
  decideSales,
  showNewSale,
  addSale,
  showSalePreview,
  previewSale,
  showSale,
  showSaleEdit,
  editSale,
  showRefund,
  refund,
  confirmSaleDeletion,
  removeSale,
] as const;
