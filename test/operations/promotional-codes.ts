import { randomUUID } from 'node:crypto';
import type {
  bulkCodeOperations,
  codeValidationOperations,
  promotionalCodeOperations,
} from '../../shared/contract/promotional-codes.ts';
import { byId, generation, idempotent, newCode, unused } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const promotionalCodeSamples = {
  listPromotionalCodes: {
    request: () => ({}),
    foreign: {
      id: ({ code }) => [code.id],
      code: ({ code }) => [code.code],
      externalId: ({ code }) => [code.externalId],
      couponId: ({ coupon }) => [coupon.id],
      affiliateId: ({ affiliate }) => [affiliate.id],
      affiliateEmail: ({ affiliate }) => [affiliate.email],
      cursor: async (world) => [await cursorOf(world, '/promotional-codes')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [2, 3, 1] },
      'by coupon': { request: ({ coupon }) => ({ query: { couponId: coupon.id, limit: '1' } }), cost: [3, 3.5, 1] },
    },
  },
  readPromotionalCode: {
    request: ({ code }) => ({ parameters: { id: code.id } }),
    foreign: { id: ({ code }) => [code.id, `code:${code.code}`, `external:${code.externalId}`] },
    measured: {
      'by id': { request: ({ code }) => byId(code), cost: [2, 3, 1] },
      'by its text': { request: ({ code }) => byId({ id: `code:${code.code}` }), cost: [2, 4, 1] },
      'by id, capped': { request: async (world) => byId(await newCode(world, { maxRedemptions: 5 })), cost: [3, 4, 1] },
    },
  },
  createPromotionalCode: {
    request: ({ coupon }) => ({ body: { couponId: coupon.id, code: randomUUID() } }),
    foreign: {
      couponId: ({ coupon }) => [coupon.id],
      code: ({ code }) => [code.code],
      affiliateId: ({ affiliate }) => [affiliate.id],
      affiliateEmail: ({ affiliate }) => [affiliate.email],
      externalId: ({ code }) => [code.externalId],
      customerId: ({ affiliate }) => [affiliate.id],
    },
    measured: {
      supplied: {
        request: ({ coupon, affiliate }) => ({
          body: { couponId: coupon.id, affiliateId: affiliate.id, code: unused() },
        }),
        cost: [2, 2, 8],
      },
      generated: {
        request: ({ coupon, affiliate }) => ({
          body: { couponId: coupon.id, affiliateId: affiliate.id, ...generation },
        }),
        cost: [2, 2, 8],
      },
      'with the email of the affiliate': {
        request: ({ coupon, affiliate }) => ({
          body: { couponId: coupon.id, affiliateEmail: affiliate.email, code: unused() },
        }),
        cost: [3, 3, 8],
      },
      'with an Idempotency-Key': {
        request: ({ coupon, affiliate }) =>
          idempotent({ body: { couponId: coupon.id, affiliateId: affiliate.id, code: unused() } }),
        cost: [4, 2, 13],
      },
    },
  },
  updatePromotionalCode: {
    request: () => ({ body: { promotionalCodeId: randomUUID(), active: false } }),
    foreign: {
      promotionalCodeId: ({ code }) => [code.id],
      code: ({ code }) => [code.code],
      customerId: ({ affiliate }) => [affiliate.id],
      externalId: ({ code }) => [code.externalId],
    },
    measured: {
      'of an affiliate': {
        request: ({ code }) => ({ body: { promotionalCodeId: code.id, metadata: { mark: unused() } } }),
        cost: [2, 3, 5],
      },
    },
  },
  deletePromotionalCode: {
    request: () => ({ body: { promotionalCodeId: randomUUID() } }),
    foreign: { promotionalCodeId: ({ code }) => [code.id] },
    measured: {
      uncapped: {
        request: async (world) => ({ body: { promotionalCodeId: (await newCode(world)).id } }),
        cost: [2, 1, 10],
      },
    },
  },
  validatePromotionalCode: {
    request: () => ({ body: { code: randomUUID() } }),
    foreign: {
      code: ({ code }) => [code.code],
      email: ({ referral }) => [referral.email],
      customerId: ({ affiliate }) => [affiliate.id],
      productIds: ({ coupon }) => [[coupon.id]],
    },
    measured: {
      uncapped: { request: ({ code }) => ({ body: { code: code.code, amount: 10 } }), cost: [2, 4, 1] },
      capped: {
        request: async (world) => ({ body: { code: (await newCode(world, { maxRedemptions: 5 })).code, amount: 10 } }),
        cost: [3, 5, 1],
      },
    },
  },
  createPromotionalCodesInBulk: {
    request: ({ coupon }) => ({
      body: { promotionalCodes: [{ couponId: coupon.id, code: randomUUID() }] },
    }),
    foreign: {
      promotionalCodes: ({ coupon, affiliate }) => [
        [{ couponId: coupon.id, code: 'FOREIGN-COUPON' }],
        [{ couponId: randomUUID(), code: 'FOREIGN', affiliateId: affiliate.id }],
      ],
    },
    measured: {
      'of ten': {
        request: ({ coupon, affiliate }) => ({
          body: {
            promotionalCodes: Array.from({ length: 10 }, () => ({
              couponId: coupon.id,
              affiliateId: affiliate.id,
              code: unused(),
            })),
          },
        }),
        cost: [2, 2, 71],
      },
    },
  },
} satisfies SamplesOf<typeof promotionalCodeOperations | typeof codeValidationOperations | typeof bulkCodeOperations>;
