import * as z from 'zod';
import { updateAffiliate } from '../affiliates.ts';
import { applicationBounds, entryText, proofFields } from '../applications.ts';
import { email, exactLine, line, maxCharacters, text, uuid } from '../fields.ts';
import { createLink } from '../links.ts';
import { webPage } from '../page.ts';
import { codeText } from '../promotional-code-record.ts';
import { cursor, filter, period } from './list-query.ts';
import { formOf, noFields } from './operation-form.ts';

/** The affiliates' portal. docs/behavior.md#the-portal */

const everybody = { function: 'web-portal', auth: 'none' } as const;
const affiliate = { function: 'web-portal', auth: 'affiliate' } as const;
const path = '/portal/{handle}';
const token = exactLine.min(1).max(2000);

const showPortalSignIn = webPage({ ...everybody, id: 'showPortalSignIn', method: 'GET', path, needs: [] });

/** Neither the response nor its time tells whether there is such an affiliate: a worker looks. */
const requestSignInLink = webPage({
  ...everybody,
  id: 'requestSignInLink',
  method: 'POST',
  path,
  form: z.strictObject({ email }),
  needs: ['forms:change', 'portal-requests:send'],
});

/** Mail scanners open it: only its form uses the link up. */
const confirmPortalSignIn = webPage({
  ...everybody,
  id: 'confirmPortalSignIn',
  method: 'GET',
  path: `${path}/sign-in`,
  query: z.object({ token: token.optional() }),
  needs: ['AFFILIATE:read'],
});

const enterPortal = webPage({
  ...everybody,
  id: 'enterPortal',
  method: 'POST',
  path: `${path}/sign-in`,
  form: z.strictObject({ token }),
  needs: ['AFFILIATE:read', 'PORTAL_SESSION:change'],
});

const leavePortal = webPage({
  ...affiliate,
  id: 'leavePortal',
  method: 'POST',
  path: `${path}/sign-out`,
  isAlwaysAllowed: true,
  form: noFields,
  needs: ['PORTAL_SESSION:change'],
});

const showPortalOverview = webPage({
  ...affiliate,
  id: 'showPortalOverview',
  method: 'GET',
  path: `${path}/overview`,
  needs: ['STATISTIC:list', 'SALE:list:GSI1', 'SALE:read'],
});

export const showPortalLinks = webPage({
  ...affiliate,
  id: 'showPortalLinks',
  method: 'GET',
  path: `${path}/links`,
  query: z.object({ cursor }),
  needs: ['LINK:read'],
});

const showNewPortalLink = webPage({
  ...affiliate,
  id: 'showNewPortalLink',
  method: 'GET',
  path: `${path}/links/new`,
  needs: [],
});

const addPortalLink = webPage({
  ...affiliate,
  id: 'addPortalLink',
  method: 'POST',
  path: `${path}/links/new`,
  creates: true,
  form: formOf(createLink.body, ['link', 'destinationUrl']),
  needs: ['AFFILIATE:change', 'LINK:create', 'LINK:delete'],
});

const downloadPortalQrCode = webPage({
  ...affiliate,
  id: 'downloadPortalQrCode',
  method: 'GET',
  path: `${path}/links/{linkId}/qr-code`,
  needs: [],
});

export const showPortalCodes = webPage({
  ...affiliate,
  id: 'showPortalCodes',
  method: 'GET',
  path: `${path}/codes`,
  query: z.object({ cursor }),
  needs: ['PROMOTIONAL_CODE:list:GSI2', 'PROMOTIONAL_CODE:read', 'COUPON:read', 'COUPON:list:GSI5'],
});

const showNewPortalCode = webPage({
  ...affiliate,
  id: 'showNewPortalCode',
  method: 'GET',
  path: `${path}/codes/new`,
  needs: ['COUPON:list:GSI5', 'COUPON:read'],
});

const addPortalCode = webPage({
  ...affiliate,
  id: 'addPortalCode',
  method: 'POST',
  path: `${path}/codes/new`,
  creates: true,
  form: z.strictObject({ couponId: uuid, code: codeText }),
  needs: ['COUPON:list:GSI5', 'COUPON:read', 'PROMOTIONAL_CODE:list', 'PROMOTIONAL_CODE:create'],
});

export const showPortalSales = webPage({
  ...affiliate,
  id: 'showPortalSales',
  method: 'GET',
  path: `${path}/sales`,
  query: z.object({ cursor }),
  needs: ['SALE:list:GSI1', 'SALE:read'],
});

export const showPortalPayouts = webPage({
  ...affiliate,
  id: 'showPortalPayouts',
  method: 'GET',
  path: `${path}/payouts`,
  query: z.object({ cursor }),
  needs: ['PAYOUT_BATCH:list', 'PAYOUT:read'],
});

export const showPortalStatement = webPage({
  ...affiliate,
  id: 'showPortalStatement',
  method: 'GET',
  path: `${path}/payouts/{payoutBatchId}`,
  /** Sales of the payout were made until then. */
  query: z.object({ to: period.to, cursor }),
  needs: ['PAYOUT_BATCH:read', 'PAYOUT:read', 'SALE:list:GSI1', 'SALE:read'],
});

export const showPortalAssets = webPage({
  ...affiliate,
  id: 'showPortalAssets',
  method: 'GET',
  path: `${path}/assets`,
  query: z.object({ cursor, link: filter(uuid) }),
  needs: ['ASSET:list'],
});

const needsOfEdit = ['AFFILIATE:change', 'AFFILIATE:create', 'AFFILIATE:delete'] as const;

const showPayoutDetails = webPage({
  ...affiliate,
  id: 'showPayoutDetails',
  method: 'GET',
  path: `${path}/payout-details`,
  needs: [],
});

const changePayoutDetails = webPage({
  ...affiliate,
  id: 'changePayoutDetails',
  method: 'POST',
  path: `${path}/payout-details`,
  emptyRemoves: true,
  form: formOf(updateAffiliate.body, ['paymentMethod', 'payoutEmail']),
  needs: ['mails:send'],
});

/** Mail scanners open it: only its form changes something. */
const showNewPayoutDetails = webPage({
  ...everybody,
  id: 'showNewPayoutDetails',
  method: 'GET',
  path: `${path}/payout-details/confirm`,
  query: z.object({ token: token.optional() }),
  needs: ['AFFILIATE:read'],
});

const confirmPayoutDetails = webPage({
  ...everybody,
  id: 'confirmPayoutDetails',
  method: 'POST',
  path: `${path}/payout-details/confirm`,
  form: z.strictObject({ token }),
  needs: ['AFFILIATE:read', 'AFFILIATE:change'],
});

const showPortalProfile = webPage({
  ...affiliate,
  id: 'showPortalProfile',
  method: 'GET',
  path: `${path}/profile`,
  needs: [],
});

const changePortalProfile = webPage({
  ...affiliate,
  id: 'changePortalProfile',
  method: 'POST',
  path: `${path}/profile`,
  emptyRemoves: true,
  form: formOf(updateAffiliate.body, ['firstName', 'lastName']),
  needs: needsOfEdit,
});

const entries = Object.fromEntries(
  Array.from({ length: applicationBounds.questions }, (_, at) => [`entries.${at}`, entryText.nullish()] as const),
);

const showApplicationForm = webPage({
  ...everybody,
  id: 'showApplicationForm',
  method: 'GET',
  path: `${path}/apply`,
  needs: ['AFFILIATE:list', 'records:room'],
});

/** Neither the response nor its time tells whether the address is known: a worker looks. */
const sendApplication = webPage({
  ...everybody,
  id: 'sendApplication',
  method: 'POST',
  path: `${path}/apply`,
  form: z.strictObject({
    firstName: text(100),
    lastName: line.check(maxCharacters(100)).nullish(),
    email,
    ...entries,
    acceptsTerms: z.boolean(),
    website: exactLine.max(500).optional(),
    ...proofFields,
  }),
  needs: ['AFFILIATE:list', 'records:room', 'forms:change', 'portal-requests:send'],
});

export const portalPages = [
  showPortalSignIn,
  requestSignInLink,
  confirmPortalSignIn,
  enterPortal,
  leavePortal,
  showPortalOverview,
  showPortalLinks,
  showNewPortalLink,
  addPortalLink,
  downloadPortalQrCode,
  showPortalCodes,
  showNewPortalCode,
  addPortalCode,
  showPortalSales,
  showPortalPayouts,
  showPortalStatement,
  showPortalAssets,
  showPayoutDetails,
  changePayoutDetails,
  showNewPayoutDetails,
  confirmPayoutDetails,
  showPortalProfile,
  changePortalProfile,
  showApplicationForm,
  sendApplication,
] as const;
