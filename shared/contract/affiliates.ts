import * as z from 'zod';
import { Application } from './applications.ts';
import {
  anyCase,
  clearable,
  commissionRate,
  email,
  externalId,
  line,
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
import { paymentMethods } from './payment-methods.ts';
import { recordName } from './record-name.ts';

export const affiliateStatuses = ['ACTIVE', 'INACTIVE', 'BANNED'] as const;

const twoStatuses = { path: ['status'], message: 'and affiliateStatus say different things: send one of them' };
const sameStatus = (
  { status, affiliateStatus }: { status?: unknown; affiliateStatus?: unknown },
  context: z.RefinementCtx,
) => {
  if (status != null && affiliateStatus != null && status !== affiliateStatus)
    context.addIssue({ code: 'custom', ...twoStatuses });
};

export const Affiliate = z
  .object({
    ...recordFields,
    programId: z.uuid(),
    firstName: z.string(),
    lastName: z.string(),
    name: z.string(),
    email: z.string(),
    status: z.enum(affiliateStatuses),
    commissionRate: z
      .number()
      .describe('Percent: its own, else that of its group, 0 where the group pays an amount for each sale.'),
    payoutEmail: z.string().nullable(),
    paymentMethod: z.enum(paymentMethods).nullable(),
    externalId: z.string().nullable(),
    groupId: z.uuid(),
    source: z.enum(['API', 'PORTAL', 'IMPORTED']),
    application: Application.nullable().describe('What was entered to apply in the portal; null where nobody applied.'),
    affiliateLinks: z.array(
      z.object({
        id: z.uuid(),
        link: z.string(),
        createdAt: recordFields.createdAt,
        updatedAt: recordFields.updatedAt,
      }),
    ),
    numberOfReferredUsers: z.int(),
    numberOfClicks: z.int(),
    totalRevenue: z.number(),
    totalCommissionEarned: z.number(),
    totalCommissionPaid: z.number(),
    metadata: returnedMetadata,
  })
  .meta({ id: 'Affiliate' });

export const AffiliateSummary = z
  .object({ id: z.uuid(), firstName: z.string(), lastName: z.string(), email: z.string() })
  .meta({ id: 'AffiliateSummary' });

export const listAffiliates = operation({
  id: 'listAffiliates',
  method: 'GET',
  path: '/affiliates',
  auth: 'key',
  tag: 'Affiliates',
  summary: 'List affiliates',
  description:
    'With `id` (a UUID or the slug of one of the affiliate’s links) or `email`: that one affiliate, or 404. Otherwise ' +
    'an array, newest first; with `search` in the order of the matched word.',
  query: z.strictObject({
    id: z.union([uuid, linkSlug], 'must be a UUID or the slug of a link').optional(),
    email: email.optional(),
    status: line
      .toUpperCase()
      .pipe(z.enum(affiliateStatuses))
      .meta({ enum: [...affiliateStatuses] })
      .optional(),
    groupId: uuid.optional(),
    search: text(100)
      .optional()
      .describe(
        'Beginnings of words of the name or email, all of which must match. Letter case and accents do not count.',
      ),
    ...paging,
  }),
  response: Affiliate,
  lists: true,
  selectors: ['id', 'email'],
  connector: true,
  errors: ['not_found'],
  needs: ['AFFILIATE:read', 'AFFILIATE:list', 'AFFILIATE:list:GSI1', 'AFFILIATE:list:GSI2', 'LINK:read', 'GROUP:list'],
  example: { query: { status: 'ACTIVE', limit: '10' } },
});

const readAffiliate = operation({
  id: 'readAffiliate',
  method: 'GET',
  path: '/affiliates/{id}',
  auth: 'key',
  tag: 'Affiliates',
  summary: 'Read an affiliate',
  parameters: z.strictObject({
    id: recordName('Affiliate', uuid, { email: ['email', email], link: ['link', linkSlug] }),
  }),
  query: z.strictObject({}),
  response: Affiliate,
  errors: ['not_found'],
  needs: ['AFFILIATE:read', 'LINK:read', 'GROUP:list'],
  example: { parameters: { id: 'email:amara.okafor@example.com' } },
});

export const createAffiliate = operation({
  id: 'createAffiliate',
  method: 'POST',
  path: '/affiliates',
  auth: 'key',
  tag: 'Affiliates',
  summary: 'Create an affiliate',
  description:
    'The affiliate gets a first link: `affiliateLink`, or one made from the name (else from the email), with a number ' +
    'added until it is free. 400 when the email, or a given `affiliateLink`, is already in use.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      email,
      firstName: text(100),
      lastName: line.check(maxCharacters(100)).nullish(),
      commissionRate: commissionRate.nullish().describe('Percent; that of its group when absent.'),
      affiliateLink: linkSlug.nullish(),
      affiliateStatus: anyCase(['active', 'inactive']).nullish().describe('Active when absent; case-insensitive.'),
      status: anyCase(['active', 'inactive']).nullish().describe('The same as affiliateStatus.'),
      payoutEmail: email.nullish(),
      paymentMethod: z.enum(paymentMethods).nullish(),
      externalId: externalId.nullish(),
      groupId: uuid.nullish().describe('The default group when absent.'),
      metadata: metadata.nullish(),
    })
    .superRefine(sameStatus),
  ids: ['groupId'],
  response: Affiliate,
  connector: true,
  errors: ['already_exists', 'not_found'],
  needs: [
    'AFFILIATE:create',
    'LINK:create',
    'GROUP:check',
    'GROUP:list',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'AFFILIATE:read',
  ],
  example: { body: { email: 'amara.okafor@example.com', firstName: 'Amara', lastName: 'Okafor', commissionRate: 20 } },
});

/** Absent fields stay; null removes a value. */
export const updateAffiliate = operation({
  id: 'updateAffiliate',
  method: 'PUT',
  path: '/affiliates',
  auth: 'key',
  tag: 'Affiliates',
  summary: 'Change an affiliate',
  description:
    '`affiliateId` or `emailAddress` selects the affiliate. Absent fields stay as they are. `affiliateLink` adds a link ' +
    '(up to 100) unless the affiliate has it. `commissionRate: null` makes the rate of its group apply again, `groupId: null` puts it into the default group.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      affiliateId: uuid.optional(),
      emailAddress: email.optional(),
      email: email.optional(),
      firstName: text(100).optional(),
      lastName: line.check(maxCharacters(100)).nullish(),
      commissionRate: commissionRate.nullish(),
      affiliateLink: linkSlug.optional(),
      affiliateStatus: anyCase(['active', 'inactive', 'banned'])
        .optional()
        .describe(
          'Case-insensitive. `ACTIVE` approves an application that waits or was declined, and the applicant gets a mail.',
        ),
      status: anyCase(['active', 'inactive', 'banned']).optional().describe('The same as affiliateStatus.'),
      payoutEmail: email.nullish(),
      paymentMethod: z.enum(paymentMethods).nullish(),
      externalId: externalId.nullish(),
      groupId: uuid.nullish(),
      metadata: clearable(metadata, {}),
    })
    .superRefine((body, context) => {
      if (body.affiliateId === undefined && body.emailAddress === undefined)
        context.addIssue({ code: 'custom', path: ['affiliateId'], message: 'or emailAddress is required' });
      sameStatus(body, context);
    }),
  ids: ['affiliateId', 'emailAddress', 'groupId'],
  response: Affiliate,
  connector: true,
  errors: ['already_exists', 'not_found', 'precondition_failed'],
  needs: [
    'AFFILIATE:read',
    'AFFILIATE:change',
    'AFFILIATE:create',
    'AFFILIATE:delete',
    'LINK:create',
    'GROUP:check',
    'GROUP:list',
  ],
  example: { body: { emailAddress: 'amara.okafor@example.com', commissionRate: 25 } },
});

export const deleteAffiliate = operation({
  id: 'deleteAffiliate',
  method: 'DELETE',
  path: '/affiliates',
  auth: 'key',
  tag: 'Affiliates',
  summary: 'Delete an affiliate',
  description:
    'Its links, referrals and unpaid sales go too, in the background, each with its event, and so does what refunds ' +
    'would have taken from its next payout; its promotional codes stay without an affiliate; paid sales stay as they ' +
    'are. 409 while the affiliate is in an unpaid payout batch.',
  query: z.strictObject({}),
  body: z.strictObject({ affiliateId: z.union([uuid, email], 'must be a UUID or an email address') }),
  ids: ['affiliateId'],
  response: z.object({ message: z.string(), deletedAffiliate: z.object({ id: z.uuid(), email: z.string() }) }),
  connector: true,
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: [
    'AFFILIATE:read',
    'AFFILIATE:delete',
    'TOMBSTONE:create',
    'PAYOUT:read',
    'PAYOUT:check',
    'PAYOUT_BATCH:read',
    'AFFILIATE:change',
  ],
  example: { body: { affiliateId: 'amara.okafor@example.com' } },
});

export const affiliateOperations = [
  listAffiliates,
  readAffiliate,
  createAffiliate,
  updateAffiliate,
  deleteAffiliate,
] as const;
