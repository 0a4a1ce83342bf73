import * as z from 'zod';
import { contradictionsOf, couponTypeOf } from './coupon-terms.ts';
import {
  amount,
  clearable,
  currency,
  externalId,
  instant,
  metadata,
  orDefault,
  paging,
  queryBoolean,
  recordFields,
  returnedInstant,
  returnedMetadata,
  text,
  uuid,
} from './fields.ts';
import { operation } from './operation.ts';
import { BarePromotionalCode, codeGenerationFields, storedGenerationFields } from './promotional-code-record.ts';
import { recordName } from './record-name.ts';

export const couponTypes = ['PERCENTAGE', 'FLAT'] as const;
export const couponDurations = ['once', 'forever', 'repeating'] as const;
export const couponCategories = ['CUSTOMER', 'PAYOUT'] as const;
export const integrationTypes = [
  'NONE',
  'STRIPE',
  'PADDLE',
  'CHARGEBEE',
  'RECURLY',
  'BRAINTREE',
  'LEMON_SQUEEZY',
  'SHOPIFY',
] as const;

const expiresAfterDays = z.int().min(1).max(3650).nullish();

const affiliateCodesText = 'Whether affiliates may create codes of this coupon in the portal.';

export const AutoCouponRule = z
  .strictObject({ enabled: z.boolean(), ...storedGenerationFields, active: z.boolean(), expiresAfterDays })
  .meta({ id: 'AutoCouponRule' });

const SentAutoCouponRule = z
  .strictObject({
    enabled: z.boolean(),
    ...codeGenerationFields,
    active: orDefault(z.boolean(), true),
    expiresAfterDays,
  })
  .meta({ id: 'SentAutoCouponRule' });

export const BareCoupon = z
  .object({
    ...recordFields,
    name: z.string().nullable(),
    externalId: z.string().nullable(),
    couponType: z.enum(couponTypes),
    percentOff: z.number().nullable(),
    amountOff: z.number().nullable(),
    currency: z.string().nullable(),
    duration: z.enum(couponDurations),
    durationInMonths: z.int().nullable(),
    maxRedemptions: z.int().nullable(),
    timesRedeemed: z.int(),
    couponCategory: z.enum(couponCategories),
    limitToProducts: z.boolean(),
    productIds: z.array(z.string()),
    collectionIds: z.array(z.string()),
    valid: z.boolean().describe('Not switched off, not past redeemBy, and redemptions left.'),
    redeemBy: returnedInstant.nullable(),
    integrationType: z.enum(integrationTypes).nullable(),
    affiliateProgramId: z.uuid(),
    autoCouponRule: AutoCouponRule.nullable(),
    allowAffiliateCodes: z.boolean().describe(affiliateCodesText),
    metadata: returnedMetadata,
  })
  .meta({ id: 'CouponOfCode' });

export const Coupon = BareCoupon.extend({
  promotionalCodes: z
    .array(BarePromotionalCode)
    .describe(
      'The newest 100, in a list the newest 10 of each coupon; fewer where they are very large. ' +
        'All: GET /promotional-codes?couponId=',
    ),
}).meta({ id: 'Coupon' });

const restrictionIds = z.array(text(100)).max(100);

export const listCoupons = operation({
  id: 'listCoupons',
  method: 'GET',
  path: '/coupons',
  auth: 'key',
  tag: 'Coupons',
  summary: 'List coupons',
  description: 'With `id` or `externalId`: that one coupon, or 404. Otherwise an array, newest first.',
  query: z.strictObject({
    id: uuid.optional(),
    externalId: externalId.optional(),
    name: text(200).optional().describe('The whole name, case-insensitive.'),
    couponType: z.enum(couponTypes).optional(),
    couponCategory: z.enum(couponCategories).optional(),
    valid: queryBoolean.optional(),
    ...paging,
  }),
  response: Coupon,
  lists: true,
  selectors: ['id', 'externalId'],
  errors: ['not_found'],
  needs: [
    'COUPON:read',
    'COUPON:list',
    'COUPON:list:GSI1',
    'COUPON:list:GSI2',
    'COUPON:list:GSI3',
    'PROMOTIONAL_CODE:list',
    'PROMOTIONAL_CODE:list:GSI1',
    'PROMOTIONAL_CODE:read',
    'AFFILIATE:read',
    'TOMBSTONE:read',
  ],
  example: { query: { couponType: 'PERCENTAGE' } },
});

const readCoupon = operation({
  id: 'readCoupon',
  method: 'GET',
  path: '/coupons/{id}',
  auth: 'key',
  tag: 'Coupons',
  summary: 'Read a coupon',
  parameters: z.strictObject({ id: recordName('Coupon', uuid, { external: ['externalId', externalId] }) }),
  query: z.strictObject({}),
  response: Coupon,
  errors: ['not_found'],
  needs: [
    'COUPON:read',
    'COUPON:list',
    'PROMOTIONAL_CODE:list:GSI1',
    'PROMOTIONAL_CODE:read',
    'AFFILIATE:read',
    'TOMBSTONE:read',
  ],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000c1' } },
});

export const createCoupon = operation({
  id: 'createCoupon',
  method: 'POST',
  path: '/coupons',
  auth: 'key',
  tag: 'Coupons',
  summary: 'Create a coupon',
  description:
    'A discount definition. A `PERCENTAGE` coupon has `percentOff`; a `FLAT` one has `amountOff` in `currency`, ' +
    'rounded half-up to its minor unit. 400 when the `externalId` is already in use.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      name: text(200),
      couponType: z.enum(couponTypes).nullish().describe('When absent: FLAT with amountOff alone, else PERCENTAGE.'),
      percentOff: z.number().min(1).max(100).nullish(),
      amountOff: amount.nullish(),
      currency: currency.nullish(),
      duration: orDefault(z.enum(couponDurations), 'forever'),
      durationInMonths: z.int().min(1).max(1200).nullish(),
      maxRedemptions: z.int().min(1).nullish(),
      couponCategory: orDefault(z.enum(couponCategories), 'CUSTOMER'),
      limitToProducts: orDefault(z.boolean(), false),
      productIds: orDefault(restrictionIds, []),
      collectionIds: orDefault(restrictionIds, []),
      valid: orDefault(z.boolean(), true),
      redeemBy: instant.nullish(),
      externalId: externalId.nullish(),
      integrationType: z.enum(integrationTypes).nullish(),
      autoCouponRule: SentAutoCouponRule.nullish(),
      allowAffiliateCodes: orDefault(z.boolean(), false).describe(affiliateCodesText),
      metadata: metadata.nullish(),
    })
    .superRefine((body, context) => {
      for (const [field, message] of contradictionsOf({ ...body, couponType: couponTypeOf(body) }))
        context.addIssue({ code: 'custom', path: [field], message });
    }),
  response: Coupon,
  errors: ['already_exists'],
  needs: [
    'COUPON:create',
    'COUPON:list',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'COUPON:read',
    'PROMOTIONAL_CODE:list:GSI1',
    'PROMOTIONAL_CODE:read',
    'AFFILIATE:read',
    'TOMBSTONE:read',
  ],
  example: { body: { name: 'Spring', couponType: 'PERCENTAGE', percentOff: 20, duration: 'once' } },
});

export const updateCoupon = operation({
  id: 'updateCoupon',
  method: 'PUT',
  path: '/coupons',
  auth: 'key',
  tag: 'Coupons',
  summary: 'Change a coupon',
  description:
    'Absent fields stay as they are. Type, category, externalId and integrationType are fixed. Setting ' +
    '`maxRedemptions` below `timesRedeemed` is allowed: nothing more can be redeemed then. A `duration` other than ' +
    'repeating takes `durationInMonths` away; a `currency` without `amountOff` keeps the number and changes its unit.',
  query: z.strictObject({}),
  body: z.strictObject({
    couponId: uuid,
    name: text(200).optional(),
    percentOff: z.number().min(1).max(100).nullish(),
    amountOff: amount.nullish(),
    currency: currency.nullish(),
    duration: z.enum(couponDurations).optional(),
    durationInMonths: z.int().min(1).max(1200).nullish(),
    maxRedemptions: z.int().min(1).nullish(),
    limitToProducts: z.boolean().optional(),
    productIds: clearable(restrictionIds, []),
    collectionIds: clearable(restrictionIds, []),
    valid: z.boolean().optional(),
    redeemBy: instant.nullish(),
    autoCouponRule: SentAutoCouponRule.nullish(),
    allowAffiliateCodes: z.boolean().optional().describe(affiliateCodesText),
    metadata: clearable(metadata, {}),
  }),
  ids: ['couponId'],
  response: Coupon,
  errors: ['not_found', 'precondition_failed'],
  needs: [
    'COUPON:read',
    'COUPON:list',
    'COUPON:create',
    'COUPON:change',
    'COUPON:delete',
    'PROMOTIONAL_CODE:list:GSI1',
    'PROMOTIONAL_CODE:read',
    'AFFILIATE:read',
    'TOMBSTONE:read',
    'COUPON:list',
  ],
  example: { body: { couponId: '019a0000-0000-7000-8000-0000000000c1', valid: false } },
});

export const deleteCoupon = operation({
  id: 'deleteCoupon',
  method: 'DELETE',
  path: '/coupons',
  auth: 'key',
  tag: 'Coupons',
  summary: 'Delete a coupon and all its codes',
  description: 'Its codes cannot be redeemed from now on and are deleted in the background, each with its event.',
  query: z.strictObject({}),
  body: z.strictObject({ couponId: uuid }),
  ids: ['couponId'],
  response: z.object({
    message: z.string(),
    deletedCoupon: z.object({ id: z.uuid(), name: z.string().nullable() }),
  }),
  errors: ['not_found', 'precondition_failed'],
  needs: ['COUPON:read', 'COUPON:delete', 'TOMBSTONE:create', 'COUPON:list'],
  example: { body: { couponId: '019a0000-0000-7000-8000-0000000000c1' } },
});

export const couponOperations = [listCoupons, readCoupon, createCoupon, updateCoupon, deleteCoupon] as const;
