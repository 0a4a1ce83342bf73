import * as z from 'zod';
import { text, uuid } from '../fields.ts';
import { webPage } from '../page.ts';
import { createPromotionalCode, deletePromotionalCode, updatePromotionalCode } from '../promotional-codes.ts';
import { chosenRecords, enteredDay, listOfLines, namedAffiliate } from './fields.ts';
import { cursor, filter, period, sortedBy, soughtEmail } from './list-query.ts';
import { formOf, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/promotional-codes';
const pathOfOne = `${path}/{promotionalCodeId}` as const;

const filters = {
  code: filter(text(100)),
  affiliateEmail: filter(soughtEmail),
  state: filter(z.enum(['active', 'inactive'])),
  ...period,
  ...sortedBy('code'),
};
const needsOfList = [
  'PROMOTIONAL_CODE:read',
  'PROMOTIONAL_CODE:list',
  'PROMOTIONAL_CODE:list:GSI2',
  'PROMOTIONAL_CODE:list:GSI3',
  'COUPON:read',
  'AFFILIATE:read',
  'TOMBSTONE:read',
] as const;

export const showPromotionalCodes = webPage({
  ...area,
  id: 'showPromotionalCodes',
  role: 'VIEWER',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor }),
  needs: [...needsOfList, 'COUPON:list', 'AFFILIATE:list'],
});

const downloadPromotionalCodes = webPage({
  ...area,
  id: 'downloadPromotionalCodes',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

const setCodesActive = webPage({
  ...area,
  id: 'setCodesActive',
  method: 'POST',
  path,
  form: chosenRecords(['activate', 'deactivate']),
  writes: ({ action: _, ...chosen }) => Object.keys(chosen).length,
  needs: ['PROMOTIONAL_CODE:read', 'PROMOTIONAL_CODE:change'],
});

/** The forms offer the newest coupons, and the one that the query names. */
const coupon = { query: z.object({ couponId: filter(uuid), affiliateEmail: filter(soughtEmail) }) };

const showNewPromotionalCode = webPage({
  ...area,
  ...coupon,
  id: 'showNewPromotionalCode',
  method: 'GET',
  path: `${path}/new`,
  needs: ['COUPON:read', 'COUPON:list'],
});

const terms = ['maxRedemptions', 'firstTimeOrder', 'minimumAmount', 'limitToAffiliate', 'customerId'] as const;

const addPromotionalCode = webPage({
  ...area,
  ...coupon,
  id: 'addPromotionalCode',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: formOf(createPromotionalCode.body, [...terms, 'couponId', 'code', 'externalId']).extend({
    ...namedAffiliate,
    expiresAt: enteredDay,
  }),
  needs: ['COUPON:read', 'COUPON:list', 'AFFILIATE:read', 'AFFILIATE:list', 'PROMOTIONAL_CODE:create'],
});

const showBulkCodes = webPage({
  ...area,
  ...coupon,
  id: 'showBulkCodes',
  method: 'GET',
  path: `${path}/bulk`,
  needs: ['COUPON:read', 'COUPON:list'],
});

/** A line is a code, or a code and its affiliate’s email. */
const addCodesInBulk = webPage({
  ...area,
  ...coupon,
  id: 'addCodesInBulk',
  creates: true,
  method: 'POST',
  path: `${path}/bulk`,
  form: formOf(createPromotionalCode.body, ['couponId', 'maxRedemptions']).extend({
    expiresAt: enteredDay,
    codes: listOfLines.pipe(z.array(z.string()).min(1).max(100)),
  }),
  writes: ({ codes }) => (Array.isArray(codes) ? codes.length : 1),
  needs: ['COUPON:read', 'COUPON:list', 'AFFILIATE:read', 'PROMOTIONAL_CODE:create'],
});

const showPromotionalCode = webPage({
  ...area,
  id: 'showPromotionalCode',
  method: 'GET',
  path: pathOfOne,
  needs: ['PROMOTIONAL_CODE:read', 'COUPON:read', 'AFFILIATE:read', 'TOMBSTONE:read', 'SALE:read', 'SALE:list:GSI3'],
});

const showPromotionalCodeEdit = webPage({
  ...area,
  id: 'showPromotionalCodeEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['PROMOTIONAL_CODE:read'],
});

const editPromotionalCode = webPage({
  ...area,
  id: 'editPromotionalCode',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  form: formOf(updatePromotionalCode.body, [...terms, 'code', 'active', 'externalId']).extend({
    expiresAt: enteredDay,
  }),
  emptyRemoves: true,
  needs: ['PROMOTIONAL_CODE:read', 'PROMOTIONAL_CODE:change', 'PROMOTIONAL_CODE:create', 'PROMOTIONAL_CODE:delete'],
});

const confirmPromotionalCodeDeletion = webPage({
  ...area,
  id: 'confirmPromotionalCodeDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['PROMOTIONAL_CODE:read'],
});

const removePromotionalCode = webPage({
  ...area,
  id: 'removePromotionalCode',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deletePromotionalCode.needs,
});

export const promotionalCodePages = [
  showPromotionalCodes,
  downloadPromotionalCodes,
  setCodesActive,
  showNewPromotionalCode,
  addPromotionalCode,
  showBulkCodes,
  addCodesInBulk,
  showPromotionalCode,
  showPromotionalCodeEdit,
  editPromotionalCode,
  confirmPromotionalCodeDeletion,
  removePromotionalCode,
] as const;
