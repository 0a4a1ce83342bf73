import * as z from 'zod';
import { affiliateStatuses, createAffiliate, deleteAffiliate, updateAffiliate } from '../affiliates.ts';
import { lines, maxCharacters, text, uuid } from '../fields.ts';
import { webPage } from '../page.ts';
import { cursor, filter, period, shownPeriod, sortedBy } from './list-query.ts';
import { formWithout, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/affiliates';
const pathOfOne = `${path}/{affiliateId}` as const;

const pathOfApplication = `${path}/{applicantId}/application` as const;

const filters = {
  search: filter(text(100)),
  status: filter(z.enum(affiliateStatuses)),
  groupId: filter(uuid),
  ...period,
  ...sortedBy('email'),
};
const needsOfList = [
  'AFFILIATE:read',
  'AFFILIATE:list',
  'AFFILIATE:list:GSI1',
  'AFFILIATE:list:GSI2',
  'GROUP:list',
] as const;

export const showAffiliates = webPage({
  ...area,
  id: 'showAffiliates',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

/** Who waits to be approved. */
export const showApplications = webPage({
  ...area,
  id: 'showApplications',
  method: 'GET',
  path: `${path}/applications`,
  query: z.object({ cursor }),
  needs: ['AFFILIATE:read', 'AFFILIATE:list:GSI3', 'mail-from:use'],
});

/** JSON for the script: up to eight that match what was typed so far. */
const suggestAffiliates = webPage({
  ...area,
  id: 'suggestAffiliates',
  method: 'GET',
  path: `${path}/suggestions`,
  query: z.object({ words: text(254) }),
  needs: ['AFFILIATE:read', 'AFFILIATE:list'],
});

const downloadAffiliates = webPage({
  ...area,
  id: 'downloadAffiliates',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

const showNewAffiliate = webPage({
  ...area,
  id: 'showNewAffiliate',
  method: 'GET',
  path: `${path}/new`,
  needs: ['GROUP:list'],
});

/** What other pages enter, or only integrators do. */
const notEntered = ['status', 'affiliateStatus', 'metadata'] as const;

const addAffiliate = webPage({
  ...area,
  id: 'addAffiliate',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: formWithout(createAffiliate.body, notEntered),
  needs: ['AFFILIATE:create', 'LINK:create', 'GROUP:check', 'GROUP:list'],
});

const showAffiliate = webPage({
  ...area,
  id: 'showAffiliate',
  method: 'GET',
  path: pathOfOne,
  query: z.object(shownPeriod),
  needs: [
    'AFFILIATE:read',
    'PROMOTIONAL_CODE:read',
    'PROMOTIONAL_CODE:list:GSI2',
    'REFERRAL:read',
    'REFERRAL:list:GSI1',
    'SALE:read',
    'SALE:list:GSI1',
    'STATISTIC:list',
    'PAYOUT_BATCH:list',
    'PAYOUT:read',
    'GROUP:list',
    'COUPON:read',
    'TOMBSTONE:read',
    'mail-addresses:read',
  ],
});

/** To print. Of the sales of a period, or of one payout batch in it. */
const showStatement = webPage({
  ...area,
  id: 'showStatement',
  method: 'GET',
  path: `${pathOfOne}/statement`,
  query: z.object({ from: filter(text(20)), to: filter(text(20)), batch: filter(uuid) }),
  needs: [
    'AFFILIATE:read',
    'TOMBSTONE:read',
    'SALE:read',
    'SALE:list:GSI1',
    'ADJUSTMENT:read',
    'ADJUSTMENT:list:GSI1',
    'PAYOUT_BATCH:read',
    'PAYOUT:read',
  ],
});

const showAffiliateEdit = webPage({
  ...area,
  id: 'showAffiliateEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['AFFILIATE:read', 'GROUP:list'],
});

const editAffiliate = webPage({
  ...area,
  id: 'editAffiliate',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  form: formWithout(updateAffiliate.body, [...notEntered, 'affiliateId', 'emailAddress', 'affiliateLink']),
  emptyRemoves: true,
  needs: ['AFFILIATE:read', 'AFFILIATE:change', 'AFFILIATE:create', 'AFFILIATE:delete', 'GROUP:check', 'GROUP:list'],
});

const status = updateAffiliate.body.shape.status.unwrap();

const confirmAffiliateStatus = webPage({
  ...area,
  id: 'confirmAffiliateStatus',
  method: 'GET',
  path: `${pathOfOne}/status`,
  query: z.object({ status }),
  needs: ['AFFILIATE:read'],
});

const setAffiliateStatus = webPage({
  ...area,
  id: 'setAffiliateStatus',
  method: 'POST',
  path: `${pathOfOne}/status`,
  form: z.strictObject({ status }),
  needs: ['AFFILIATE:read', 'AFFILIATE:change'],
});

/** To decline, with a text for whoever applied. */
const confirmDecline = webPage({
  ...area,
  id: 'confirmDecline',
  method: 'GET',
  path: pathOfApplication,
  needs: ['AFFILIATE:read', 'mail-from:use'],
});

const decideApplication = webPage({
  ...area,
  id: 'decideApplication',
  method: 'POST',
  path: pathOfApplication,
  form: z.strictObject({
    decision: z.enum(['APPROVE', 'DECLINE']),
    message: lines.min(1).check(maxCharacters(1000)).optional(),
  }),
  needs: ['AFFILIATE:read', 'AFFILIATE:change', 'AFFILIATE:delete'],
});

const confirmAffiliateDeletion = webPage({
  ...area,
  id: 'confirmAffiliateDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['AFFILIATE:read'],
});

const removeAffiliate = webPage({
  ...area,
  id: 'removeAffiliate',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deleteAffiliate.needs,
});

export const affiliatePages = [
  showAffiliates,
  showApplications,
  suggestAffiliates,
  downloadAffiliates,
  showNewAffiliate,
  addAffiliate,
  showAffiliate,
  showStatement,
  showAffiliateEdit,
  editAffiliate,
  confirmAffiliateStatus,
  setAffiliateStatus,
  confirmDecline,
  decideApplication,
  confirmAffiliateDeletion,
  removeAffiliate,
] as const;
