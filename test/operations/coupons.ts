import { randomUUID } from 'node:crypto';
import type { couponOperations } from '../../shared/contract/coupons.ts';
import { byId, newCoupon, unused } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const couponSamples = {
  listCoupons: {
    request: () => ({}),
    foreign: {
      id: ({ coupon }) => [coupon.id],
      externalId: ({ coupon }) => [coupon.externalId],
      name: ({ coupon }) => [coupon.name],
      cursor: async (world) => [await cursorOf(world, '/coupons')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [4, 3.5, 1] },
      'by type': { request: () => ({ query: { couponType: 'PERCENTAGE', limit: '1' } }), cost: [5, 5, 1] },
    },
  },
  readCoupon: {
    request: ({ coupon }) => ({ parameters: { id: coupon.id } }),
    foreign: { id: ({ coupon }) => [coupon.id, `external:${coupon.externalId}`] },
    measured: {
      'by id, with a code of an affiliate': { request: ({ coupon }) => byId(coupon), cost: [3, 3.5, 1] },
      'by id, without codes': { request: async (world) => byId(await newCoupon(world)), cost: [1, 1.5, 1] },
      'by external id': { request: ({ coupon }) => byId({ id: `external:${coupon.externalId}` }), cost: [4, 4.5, 1] },
    },
  },
  createCoupon: {
    request: () => ({ body: { name: 'Spring', percentOff: 20 } }),
    foreign: {
      name: ({ coupon }) => [coupon.name],
      externalId: ({ coupon }) => [coupon.externalId],
      productIds: ({ coupon }) => [[coupon.id]],
      collectionIds: ({ coupon }) => [[coupon.id]],
    },
    measured: {
      uncapped: { request: () => ({ body: { name: 'Spring', percentOff: 20 } }), cost: [2, 0, 6] },
    },
  },
  updateCoupon: {
    request: () => ({ body: { couponId: randomUUID(), name: 'Autumn' } }),
    foreign: {
      couponId: ({ coupon }) => [coupon.id],
      name: ({ coupon }) => [coupon.name],
      productIds: ({ coupon }) => [[coupon.id]],
      collectionIds: ({ coupon }) => [[coupon.id]],
    },
    measured: {
      'without codes': {
        request: async (world) => ({ body: { couponId: (await newCoupon(world)).id, name: 'Autumn' } }),
        cost: [2, 1.5, 5],
      },
      'with a code of an affiliate': {
        request: ({ coupon }) => ({ body: { couponId: coupon.id, name: unused() } }),
        cost: [3, 3.5, 5],
      },
    },
  },
  deleteCoupon: {
    request: () => ({ body: { couponId: randomUUID() } }),
    foreign: { couponId: ({ coupon }) => [coupon.id] },
    measured: {
      uncapped: { request: async (world) => ({ body: { couponId: (await newCoupon(world)).id } }), cost: [2, 1, 8] },
    },
  },
} satisfies SamplesOf<typeof couponOperations>;
