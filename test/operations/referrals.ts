import { randomUUID } from 'node:crypto';
import type { referralOperations } from '../../shared/contract/referrals.ts';
import { byId, email, newReferral, unused } from './measured-records.ts';
import { clickOf, cursorOf, type SamplesOf } from './sample.ts';

export const referralSamples = {
  listReferrals: {
    request: () => ({}),
    foreign: {
      id: ({ referral }) => [referral.id],
      externalId: ({ referral }) => [referral.referredUserExternalId],
      affiliateId: ({ affiliate }) => [affiliate.id],
      affiliateEmail: ({ affiliate }) => [affiliate.email],
      email: ({ referral }) => [referral.email],
      cursor: async (world) => [await cursorOf(world, '/referrals')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] },
      'by affiliate': {
        request: ({ affiliate }) => ({ query: { affiliateId: affiliate.id, limit: '1' } }),
        cost: [2, 1.5, 1],
      },
      'by email of the affiliate': {
        request: ({ affiliate }) => ({ query: { affiliateEmail: affiliate.email, limit: '1' } }),
        cost: [3, 2.5, 1],
      },
    },
  },
  readReferral: {
    request: ({ referral }) => ({ parameters: { id: referral.id } }),
    foreign: {
      id: ({ referral }) => [referral.id, `email:${referral.email}`, `external:${referral.referredUserExternalId}`],
    },
    measured: {
      'by id': { request: ({ referral }) => byId(referral), cost: [1, 1, 1] },
      'by email': { request: ({ referral }) => byId({ id: `email:${referral.email}` }), cost: [2, 2, 1] },
    },
  },
  createReferral: {
    request: ({ affiliate }) => ({
      body: { name: 'Priya', email: `${randomUUID()}@example.com`, affiliateId: affiliate.id },
    }),
    foreign: {
      name: ({ referral }) => [referral.name],
      email: ({ referral }) => [referral.email],
      referredUserExternalId: ({ referral }) => [referral.referredUserExternalId],
      affiliateId: ({ affiliate, link }) => [affiliate.id, link.link],
      affiliateEmail: ({ affiliate }) => [affiliate.email],
      promoCode: ({ code }) => [code.code],
      clickId: async (world) => [await clickOf(world)],
    },
    measured: {
      'of an affiliate': {
        request: ({ affiliate }) => ({ body: { name: 'Priya', email: email(), affiliateId: affiliate.id } }),
        cost: [2, 2, 7],
      },
      'of a link': {
        request: ({ link }) => ({ body: { name: 'Priya', email: email(), affiliateId: link.link } }),
        cost: [3, 3, 8],
      },
      'by code': {
        request: ({ code }) => ({ body: { name: 'Priya', email: email(), promoCode: code.code } }),
        cost: [3, 5, 9],
      },
    },
  },
  updateReferral: {
    request: () => ({ body: { referralId: randomUUID(), plan: 'pro' } }),
    foreign: {
      referralId: ({ referral }) => [referral.id],
      name: ({ referral }) => [referral.name],
      email: ({ referral }) => [referral.email],
      referredUserExternalId: ({ referral }) => [referral.referredUserExternalId],
    },
    measured: {
      plan: { request: ({ referral }) => ({ body: { referralId: referral.id, plan: unused() } }), cost: [2, 1, 3] },
    },
  },
  deleteReferral: {
    request: () => ({ body: { referralId: randomUUID() } }),
    foreign: { referralId: ({ referral }) => [referral.id, referral.email] },
    measured: {
      'by id': {
        request: async (world) => ({ body: { referralId: (await newReferral(world)).id } }),
        cost: [3, 2, 11],
      },
    },
  },
} satisfies SamplesOf<typeof referralOperations>;
