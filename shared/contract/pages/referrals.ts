import * as z from 'zod';
import { webPage } from '../page.ts';
import { createReferral, deleteReferral, subscriptionStatuses, updateReferral } from '../referrals.ts';
import { namedAffiliate } from './fields.ts';
import { cursor, filter, period, sortedBy, soughtEmail } from './list-query.ts';
import { formWithout, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/referrals';
const pathOfOne = `${path}/{referralId}` as const;

const filters = {
  email: filter(soughtEmail),
  affiliateEmail: filter(soughtEmail),
  status: filter(z.enum(subscriptionStatuses)),
  ...period,
  ...sortedBy('email'),
};
const needsOfList = [
  'REFERRAL:read',
  'REFERRAL:list',
  'REFERRAL:list:GSI1',
  'REFERRAL:list:GSI2',
  'AFFILIATE:read',
  'TOMBSTONE:read',
] as const;

export const showReferrals = webPage({
  ...area,
  id: 'showReferrals',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor }),
  needs: [...needsOfList, 'AFFILIATE:list'],
});

const downloadReferrals = webPage({
  ...area,
  id: 'downloadReferrals',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

const showNewReferral = webPage({ ...area, id: 'showNewReferral', method: 'GET', path: `${path}/new`, needs: [] });

const addReferral = webPage({
  ...area,
  id: 'addReferral',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: formWithout(createReferral.body, ['clickId', 'affiliateId', 'metadata']).extend(namedAffiliate),
  needs: [
    'REFERRAL:read',
    'REFERRAL:create',
    'AFFILIATE:read',
    'AFFILIATE:list',
    'PROMOTIONAL_CODE:read',
    'PROMOTIONAL_CODE:list',
    'PROMOTIONAL_CODE:change',
    'COUPON:read',
    'COUPON:list',
    'COUPON:change',
    'SALE:read',
    'UNCOUNTED:create',
    'UNCOUNTED:list',
  ],
});

const showReferral = webPage({
  ...area,
  id: 'showReferral',
  method: 'GET',
  path: pathOfOne,
  needs: ['REFERRAL:read', 'AFFILIATE:read', 'TOMBSTONE:read', 'SALE:read', 'SALE:list:GSI2'],
});

const showReferralEdit = webPage({
  ...area,
  id: 'showReferralEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['REFERRAL:read'],
});

const editReferral = webPage({
  ...area,
  id: 'editReferral',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  form: formWithout(updateReferral.body, ['referralId', 'metadata']),
  emptyRemoves: true,
  needs: ['REFERRAL:read', 'REFERRAL:change', 'REFERRAL:create', 'REFERRAL:delete', 'AFFILIATE:read'],
});

const confirmReferralDeletion = webPage({
  ...area,
  id: 'confirmReferralDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['REFERRAL:read'],
});

const removeReferral = webPage({
  ...area,
  id: 'removeReferral',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deleteReferral.needs,
});

export const referralPages = [
  showReferrals,
  downloadReferrals,
  showNewReferral,
  addReferral,
  showReferral,
  showReferralEdit,
  editReferral,
  confirmReferralDeletion,
  removeReferral,
] as const;
