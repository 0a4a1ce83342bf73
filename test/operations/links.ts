import { randomUUID } from 'node:crypto';
import type { linkOperations } from '../../shared/contract/links.ts';
import { byId, newLink, unused } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

export const linkSamples = {
  listLinks: {
    request: () => ({}),
    foreign: {
      id: ({ link }) => [link.id],
      link: ({ link }) => [link.link],
      affiliateId: ({ affiliate }) => [affiliate.id],
      affiliateEmail: ({ affiliate }) => [affiliate.email],
      cursor: async (world) => [await cursorOf(world, '/links')],
    },
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [2, 3.5, 1] },
      'by affiliate': {
        request: ({ affiliate }) => ({ query: { affiliateId: affiliate.id, limit: '1' } }),
        cost: [3, 4, 1],
      },
    },
  },
  readLink: {
    request: ({ link }) => ({ parameters: { id: link.id } }),
    foreign: { id: ({ link }) => [link.id, `link:${link.link}`] },
    measured: {
      'by id': { request: ({ link }) => byId(link), cost: [2, 3.5, 1] },
      'by its text': { request: ({ link }) => byId({ id: `link:${link.link}` }), cost: [3, 4.5, 1] },
    },
  },
  createLink: {
    request: ({ affiliate }) => ({ body: { link: randomUUID(), affiliateId: affiliate.id } }),
    foreign: {
      link: ({ link }) => [link.link],
      affiliateId: ({ affiliate }) => [affiliate.id],
      affiliateEmail: ({ affiliate }) => [affiliate.email],
    },
    measured: {
      'of an affiliate': {
        request: ({ affiliate }) => ({ body: { link: unused(), affiliateId: affiliate.id } }),
        cost: [3, 2, 7],
      },
    },
  },
  updateLink: {
    request: () => ({ body: { id: randomUUID(), newLink: randomUUID() } }),
    foreign: {
      newLink: ({ link }) => [link.link],
      id: ({ link }) => [link.id],
      link: ({ link }) => [link.link],
    },
    measured: {
      'by id': {
        request: async (world) => ({ body: { id: (await newLink(world)).id, newLink: unused() } }),
        cost: [2, 3.5, 9],
      },
    },
  },
  deleteLink: {
    request: () => ({ body: { id: randomUUID() } }),
    foreign: { id: ({ link }) => [link.id], link: ({ link }) => [link.link] },
    measured: {
      'by id': { request: async (world) => ({ body: { id: (await newLink(world)).id } }), cost: [3, 1, 9] },
    },
  },
} satisfies SamplesOf<typeof linkOperations>;
