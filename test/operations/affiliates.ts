import { randomUUID } from 'node:crypto';
import type { affiliateOperations } from '../../shared/contract/affiliates.ts';
import { byId, email, idempotent, newAffiliate, newGroup, unused } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const affiliateSamples = {
  listAffiliates: {
    request: () => ({}),
    foreign: {
      id: ({ affiliate }) => [affiliate.id, affiliate.affiliateLinks[0]?.link],
      email: ({ affiliate }) => [affiliate.email],
      search: ({ affiliate }) => [affiliate.email, affiliate.name],
      groupId: ({ group }) => [group.id],
      cursor: async (world) => [await cursorOf(world, '/affiliates')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 2, 1] },
      'by status': { request: () => ({ query: { status: 'ACTIVE', limit: '1' } }), cost: [2, 4.5, 1] },
      'by group': {
        request: async (world) => ({ query: { groupId: String((await newGroup(world)).id), limit: '1' } }),
        cost: [1, 0.5, 1],
      },
      search: { request: () => ({ query: { search: 'amara', limit: '1' } }), cost: [2, 5, 1] },
    },
  },
  readAffiliate: {
    request: ({ affiliate }) => ({ parameters: { id: affiliate.id } }),
    foreign: { id: ({ affiliate, link }) => [affiliate.id, `email:${affiliate.email}`, `link:${link.link}`] },
    measured: {
      'by id': { request: ({ affiliate }) => byId(affiliate), cost: [1, 2, 1] },
      'by email': { request: ({ affiliate }) => byId({ id: `email:${affiliate.email}` }), cost: [2, 3, 1] },
      'by link': { request: ({ link }) => byId({ id: `link:${link.link}` }), cost: [2, 3, 1] },
    },
  },
  createAffiliate: {
    request: () => ({
      body: { email: `${randomUUID()}@example.com`, firstName: 'Amara', affiliateLink: randomUUID() },
    }),
    foreign: {
      email: ({ affiliate }) => [affiliate.email],
      payoutEmail: ({ affiliate }) => [affiliate.email],
      affiliateLink: ({ affiliate }) => [affiliate.affiliateLinks[0]?.link],
      externalId: ({ coupon }) => [coupon.externalId],
      groupId: ({ group }) => [group.id],
    },
    measured: {
      'with a name': { request: () => ({ body: { email: email(), firstName: unused() } }), cost: [2, 0, 19] },
      'with an Idempotency-Key': {
        request: () => idempotent({ body: { email: email(), firstName: unused() } }),
        cost: [4, 0, 24],
      },
    },
  },
  updateAffiliate: {
    request: () => ({ body: { affiliateId: randomUUID(), firstName: 'Amara' } }),
    foreign: {
      affiliateId: ({ affiliate }) => [affiliate.id],
      emailAddress: ({ affiliate }) => [affiliate.email],
      email: ({ affiliate }) => [affiliate.email],
      affiliateLink: ({ link }) => [link.link],
      payoutEmail: ({ affiliate }) => [affiliate.email],
      externalId: ({ coupon }) => [coupon.externalId],
      groupId: ({ group }) => [group.id],
    },
    measured: {
      'by id': {
        request: ({ affiliate }) => ({ body: { affiliateId: affiliate.id, payoutEmail: email() } }),
        cost: [2, 2, 3],
      },
      'into a group': {
        request: async (world) => ({
          body: { affiliateId: (await newAffiliate(world)).id, groupId: (await newGroup(world)).id },
        }),
        cost: [3, 3, 6],
      },
      'by email': {
        request: ({ affiliate }) => ({ body: { emailAddress: affiliate.email, payoutEmail: email() } }),
        cost: [3, 3, 3],
      },
      'with an Idempotency-Key': {
        request: ({ affiliate }) => idempotent({ body: { affiliateId: affiliate.id, payoutEmail: email() } }),
        cost: [4, 2, 6],
      },
    },
  },
  deleteAffiliate: {
    request: () => ({ body: { affiliateId: randomUUID() } }),
    foreign: { affiliateId: ({ affiliate }) => [affiliate.id, affiliate.email] },
    measured: {
      'by id': {
        request: async (world) => ({ body: { affiliateId: (await newAffiliate(world)).id } }),
        cost: [2, 2, 18],
      },
    },
  },
} satisfies SamplesOf<typeof affiliateOperations>;
