import * as z from 'zod';
import { couponTypes, createCoupon, deleteCoupon, updateCoupon } from '../coupons.ts';
import { text } from '../fields.ts';
import { webPage } from '../page.ts';
import { enteredDay, listOfLines } from './fields.ts';
import { cursor, filter, period, sortedBy } from './list-query.ts';
import { formWithout, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/coupons';
const pathOfOne = `${path}/{couponId}` as const;

const filters = { name: filter(text(200)), couponType: filter(z.enum(couponTypes)), ...period, ...sortedBy() };
const needsOfList = ['COUPON:read', 'COUPON:list', 'COUPON:list:GSI1', 'COUPON:list:GSI2'] as const;

export const showCoupons = webPage({
  ...area,
  id: 'showCoupons',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

const downloadCoupons = webPage({
  ...area,
  id: 'downloadCoupons',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

const showNewCoupon = webPage({ ...area, id: 'showNewCoupon', method: 'GET', path: `${path}/new`, needs: [] });

/** What follows from other fields of the form, or only integrators enter. */
const notEntered = ['currency', 'limitToProducts', 'collectionIds', 'autoCouponRule', 'metadata'] as const;
const ownFields = { redeemBy: enteredDay, productIds: listOfLines.nullish(), isAutomatic: z.boolean() };

const addCoupon = webPage({
  ...area,
  id: 'addCoupon',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: formWithout(createCoupon.body, [...notEntered, 'couponCategory', 'valid', 'integrationType']).extend(ownFields),
  needs: ['COUPON:create', 'COUPON:list'],
});

export const showCoupon = webPage({
  ...area,
  id: 'showCoupon',
  method: 'GET',
  path: pathOfOne,
  query: z.object({ cursor }),
  needs: ['COUPON:read', 'PROMOTIONAL_CODE:read', 'PROMOTIONAL_CODE:list:GSI1'],
});

const showCouponEdit = webPage({
  ...area,
  id: 'showCouponEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['COUPON:read'],
});

const editCoupon = webPage({
  ...area,
  id: 'editCoupon',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  form: formWithout(updateCoupon.body, [...notEntered, 'couponId']).extend(ownFields),
  emptyRemoves: true,
  needs: ['COUPON:read', 'COUPON:change', 'COUPON:create', 'COUPON:delete', 'COUPON:list'],
});

const confirmCouponDeletion = webPage({
  ...area,
  id: 'confirmCouponDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['COUPON:read'],
});

const removeCoupon = webPage({
  ...area,
  id: 'removeCoupon',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deleteCoupon.needs,
});

export const couponPages = [
  showCoupons,
  downloadCoupons,
  showNewCoupon,
  addCoupon,
  showCoupon,
  showCouponEdit,
  editCoupon,
  confirmCouponDeletion,
  removeCoupon,
] as const;
