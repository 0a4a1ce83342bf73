import * as z from 'zod';
import {
  attribution,
  clearable,
  clickId,
  codeReference,
  email,
  externalId,
  lines,
  linkSlug,
  maxCharacters,
  metadata,
  paging,
  recordFields,
  returnedMetadata,
  text,
  uuid,
} from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

export const subscriptionStatuses = ['ACTIVE', 'SUBMITTED', 'DECLINED'] as const;

export const Referral = z
  .object({
    ...recordFields,
    affiliateId: z.uuid().nullable(),
    affiliateProgramId: z.uuid(),
    affiliateLinkId: z.uuid().nullable(),
    name: z.string(),
    email: z.string(),
    referredUserExternalId: z.string().nullable(),
    plan: z.string().nullable(),
    subscriptionStatus: z.enum(subscriptionStatuses),
    referralMedium: z.enum(['LINK', 'COUPON']).nullable(),
    source: z.enum(['API', 'PORTAL', 'IMPORTED']),
    attribution,
    totalRevenue: z.number(),
    totalCommission: z.number(),
    notes: z.string().nullable(),
    metadata: returnedMetadata,
  })
  .meta({ id: 'Referral' });

export const listReferrals = operation({
  id: 'listReferrals',
  method: 'GET',
  path: '/referrals',
  auth: 'key',
  tag: 'Referrals',
  summary: 'List referrals',
  description:
    'With `id` or `externalId` (the referredUserExternalId): that one referral, or 404. Otherwise an array, newest first.',
  query: z.strictObject({
    id: uuid.optional(),
    externalId: externalId.optional(),
    affiliateId: uuid.optional(),
    affiliateEmail: email.optional(),
    email: email.optional(),
    status: z.enum(subscriptionStatuses).optional(),
    ...paging,
  }),
  response: Referral,
  lists: true,
  selectors: ['id', 'externalId'],
  connector: true,
  errors: ['not_found'],
  needs: ['REFERRAL:read', 'REFERRAL:list', 'REFERRAL:list:GSI1', 'REFERRAL:list:GSI2', 'AFFILIATE:read'],
  example: { query: { status: 'ACTIVE' } },
});

const readReferral = operation({
  id: 'readReferral',
  method: 'GET',
  path: '/referrals/{id}',
  auth: 'key',
  tag: 'Referrals',
  summary: 'Read a referral',
  parameters: z.strictObject({
    id: recordName('Referral', uuid, { email: ['email', email], external: ['externalId', externalId] }),
  }),
  query: z.strictObject({}),
  response: Referral,
  errors: ['not_found'],
  needs: ['REFERRAL:read'],
  example: { parameters: { id: 'email:priya.sharma@example.net' } },
});

export const createReferral = operation({
  id: 'createReferral',
  method: 'POST',
  path: '/referrals',
  auth: 'key',
  tag: 'Referrals',
  summary: 'Create a referral',
  description:
    'A person that an affiliate brought, credited by exactly one of `affiliateId` (a UUID or the slug of a link), ' +
    '`affiliateEmail`, `promoCode` and `clickId`. A `promoCode` is checked and redeemed as in POST /sales. The email is unique in ' +
    'the program: sent again for the same affiliate the existing referral comes back, for another one it is a 400. An ' +
    'affiliate cannot be their own referral (`self_referral`) unless the program allows it or the code is limited to them.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      name: text(200),
      email,
      referredUserExternalId: externalId.nullish(),
      affiliateId: z.union([uuid, linkSlug], 'must be a UUID or the slug of a link').nullish(),
      affiliateEmail: email.nullish(),
      promoCode: codeReference.nullish(),
      clickId: clickId.nullish(),
      plan: text(200).nullish(),
      metadata: metadata.nullish(),
    })
    .superRefine((body, context) => {
      const given = [body.affiliateId, body.affiliateEmail, body.promoCode, body.clickId].filter(
        (value) => value != null,
      );
      if (given.length === 0)
        context.addIssue({
          code: 'custom',
          path: ['affiliateId'],
          message: 'or affiliateEmail, promoCode or clickId is required',
        });
      if (given.length > 1)
        context.addIssue({
          code: 'custom',
          path: ['affiliateId'],
          message: ', affiliateEmail, promoCode and clickId exclude each other: give one of them',
        });
    }),
  ids: ['affiliateId'],
  response: Referral,
  connector: true,
  errors: ['already_exists', 'not_found'],
  needs: [
    'REFERRAL:read',
    'REFERRAL:create',
    'AFFILIATE:read',
    'LINK:read',
    'PROMOTIONAL_CODE:read',
    'UNCOUNTED:create',
    'UNCOUNTED:list',
    'PROMOTIONAL_CODE:change',
    'COUPON:read',
    'COUPON:change',
    'SALE:read',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'PROMOTIONAL_CODE:list',
    'COUPON:list',
    'PROGRAM:read',
    'click-ids:use',
  ],
  example: {
    body: {
      name: 'Priya Sharma',
      email: 'priya.sharma@example.net',
      affiliateEmail: 'amara.okafor@example.com',
      plan: 'starter',
    },
  },
});

export const updateReferral = operation({
  id: 'updateReferral',
  method: 'PUT',
  path: '/referrals',
  auth: 'key',
  tag: 'Referrals',
  summary: 'Change a referral',
  query: z.strictObject({}),
  body: z.strictObject({
    referralId: uuid,
    name: text(200).optional(),
    email: email.optional(),
    referredUserExternalId: externalId.nullish(),
    plan: text(200).nullish(),
    subscriptionStatus: z.enum(subscriptionStatuses).optional(),
    notes: lines.check(maxCharacters(5000)).nullish(),
    metadata: clearable(metadata, {}),
  }),
  ids: ['referralId'],
  response: Referral,
  connector: true,
  errors: ['already_exists', 'not_found', 'precondition_failed'],
  needs: ['REFERRAL:read', 'REFERRAL:change', 'REFERRAL:create', 'REFERRAL:delete', 'AFFILIATE:read', 'PROGRAM:read'],
  example: { body: { referralId: '019a0000-0000-7000-8000-0000000000b2', plan: 'pro' } },
});

export const deleteReferral = operation({
  id: 'deleteReferral',
  method: 'DELETE',
  path: '/referrals',
  auth: 'key',
  tag: 'Referrals',
  summary: 'Delete a referral',
  description:
    'Its unpaid sales go too, in the background, each with its event. 409 while some of them are in a payout batch that ' +
    'is not paid yet.',
  query: z.strictObject({}),
  body: z.strictObject({ referralId: z.union([uuid, email], 'must be a UUID or an email address') }),
  ids: ['referralId'],
  response: z.object({ message: z.string(), deletedReferral: z.object({ id: z.uuid(), email: z.string() }) }),
  connector: true,
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: [
    'REFERRAL:read',
    'REFERRAL:delete',
    'TOMBSTONE:create',
    'SALE:read',
    'SALE:list:GSI2',
    'PAYOUT:read',
    'PAYOUT:check',
    'PAYOUT_BATCH:read',
  ],
  example: { body: { referralId: 'priya.sharma@example.net' } },
});

export const referralOperations = [
  listReferrals,
  readReferral,
  createReferral,
  updateReferral,
  deleteReferral,
] as const;
