import { randomUUID } from 'node:crypto';
import type { groupOperations, moveOperations } from '../../shared/contract/groups.ts';
import { defaultGroupId } from '../../shared/domain/groups/rules.ts';
import { byId, idempotent, newGroup } from './measured-records.ts';
import { cursorOf, type SamplesOf } from './sample.ts';

const body = { name: 'Partners', commissionRate: 25 };

export const groupSamples = {
  listGroups: {
    playedAfter: 'listAffiliates',
    request: () => ({}),
    foreign: { id: ({ group }) => [group.id], cursor: async (world) => [await cursorOf(world, '/groups')] },
    measured: { unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] } },
  },
  createGroup: {
    playedAfter: 'readProgram',
    request: () => ({ body }),
    foreign: { name: ({ group }) => [group.name] },
    measured: {
      'with a rate': { request: () => ({ body }), cost: [2, 1, 5] },
      'with an Idempotency-Key': { request: () => idempotent({ body }), cost: [4, 1, 9] },
    },
  },
  readGroup: {
    playedAfter: 'createGroup',
    request: ({ group }) => ({ parameters: { id: group.id } }),
    foreign: { id: ({ group }) => [group.id] },
    measured: { 'by id': { request: async (world) => byId(await newGroup(world)), cost: [1, 1, 1] } },
  },
  updateGroup: {
    playedAfter: 'readGroup',
    request: () => ({ body: { groupId: randomUUID(), holdDays: 14 } }),
    foreign: {
      groupId: ({ group }) => [group.id],
      name: ({ group }) => [group.name],
    },
    measured: {
      'the days of hold': {
        request: async (world) => ({ body: { groupId: (await newGroup(world)).id, holdDays: 14 } }),
        cost: [2, 1, 3],
      },
    },
  },
  moveAffiliates: {
    playedAfter: 'updateGroup',
    request: ({ group, api }) => ({ body: { groupId: group.id, moveTo: defaultGroupId(api.programId) } }),
    foreign: { groupId: ({ group }) => [group.id] },
    measured: {
      'of a group': {
        request: async (world) => ({
          body: { groupId: (await newGroup(world)).id, moveTo: (await newGroup(world)).id },
        }),
        cost: [2, 1, 1],
      },
    },
  },
  deleteGroup: {
    playedAfter: 'moveAffiliates',
    request: () => ({ body: { groupId: randomUUID() } }),
    foreign: { groupId: ({ group }) => [group.id] },
    measured: {
      'without affiliates': {
        request: async (world) => ({ body: { groupId: (await newGroup(world)).id } }),
        cost: [3, 1.5, 7],
      },
    },
  },
} satisfies SamplesOf<typeof groupOperations> & SamplesOf<typeof moveOperations>;
