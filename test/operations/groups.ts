import { randomUUID } from 'node:crypto';
import type { groupOperations, moveOperations } from '../../shared/contract/groups.ts';
import { byId, idempotent, newGroup } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

const body = { name: 'Partners', commissionRate: 25 };

export const groupSamples = {
  listGroups: {
    request: () => ({}),
    foreign: { id: ({ group }) => [group.id], cursor: async (world) => [await cursorOf(world, '/groups')] },
    measured: { unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] } },
  },
  readGroup: {
    request: ({ group }) => ({ parameters: { id: group.id } }),
    foreign: { id: ({ group }) => [group.id] },
    measured: { 'by id': { request: async (world) => byId(await newGroup(world)), cost: [1, 1, 1] } },
  },
  createGroup: {
    request: () => ({ body }),
    foreign: {
      name: ({ group }) => [group.name],
      productRules: ({ group }) => [[{ productIds: [group.id], rate: 1 }]],
    },
    measured: {
      'with a rate': { request: () => ({ body }), cost: [2, 1, 5] },
      'with an Idempotency-Key': { request: () => idempotent({ body }), cost: [4, 1, 9] },
    },
  },
  updateGroup: {
    request: () => ({ body: { groupId: randomUUID(), holdDays: 14 } }),
    foreign: {
      groupId: ({ group }) => [group.id],
      name: ({ group }) => [group.name],
      productRules: ({ group }) => [[{ productIds: [group.id], rate: 1 }]],
    },
    measured: {
      'the days of hold': {
        request: async (world) => ({ body: { groupId: (await newGroup(world)).id, holdDays: 14 } }),
        cost: [2, 1, 3],
      },
    },
  },
  deleteGroup: {
    request: () => ({ body: { groupId: randomUUID() } }),
    foreign: { groupId: ({ group }) => [group.id], moveTo: ({ group }) => [group.id] },
    measured: {
      'without affiliates': {
        request: async (world) => ({ body: { groupId: (await newGroup(world)).id } }),
        cost: [3, 1.5, 7],
      },
    },
  },
  moveAffiliates: {
    request: ({ group }) => ({ body: { groupId: group.id, moveTo: randomUUID() } }),
    foreign: { groupId: ({ group }) => [group.id], moveTo: ({ group }) => [group.id] },
    measured: {
      'of a group': {
        request: async (world) => ({
          body: { groupId: (await newGroup(world)).id, moveTo: (await newGroup(world)).id },
        }),
        cost: [2, 1, 1],
      },
    },
  },
} satisfies SamplesOf<typeof groupOperations> & SamplesOf<typeof moveOperations>;
