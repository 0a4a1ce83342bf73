import * as z from 'zod';
import { amount, clearable, commissionRate, orDefault, paging, recordFields, text, uuid } from './fields.ts';
import {
  commissionTypes,
  earningContradictions,
  maxHoldDays,
  ProductRule,
  sentProductRules,
  sentTiers,
  Tier,
} from './group-rules.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

export const Group = z
  .object({
    ...recordFields,
    programId: z.uuid(),
    name: z.string(),
    isDefault: z.boolean(),
    commissionType: z.enum(commissionTypes),
    commissionRate: z.number().nullable(),
    commissionAmount: z.number().nullable(),
    commissionMonths: z.int().nullable(),
    productRules: z.array(ProductRule),
    tiers: z.array(Tier),
    holdDays: z.int(),
    minimumPayout: z.number().nullable(),
  })
  .meta({ id: 'Group' });

const commissionMonths = z.int().min(1).max(1200);
const holdDays = z.int().min(0).max(maxHoldDays);

export const listGroups = operation({
  id: 'listGroups',
  method: 'GET',
  path: '/groups',
  auth: 'key',
  tag: 'Groups',
  summary: 'List groups',
  description:
    'With `id`: that one group, or 404. Otherwise an array, newest first. The default group is the last one: every ' +
    'program has it.',
  query: z.strictObject({ id: uuid.optional(), ...paging }),
  response: Group,
  lists: true,
  selectors: ['id'],
  connector: true,
  errors: ['not_found'],
  needs: ['GROUP:list'],
  example: { query: { limit: '10' } },
});

const readGroup = operation({
  id: 'readGroup',
  method: 'GET',
  path: '/groups/{id}',
  auth: 'key',
  tag: 'Groups',
  summary: 'Read a group',
  parameters: z.strictObject({ id: recordName('Group', uuid) }),
  query: z.strictObject({}),
  response: Group,
  errors: ['not_found'],
  needs: ['GROUP:list'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000e1' } },
});

export const createGroup = operation({
  id: 'createGroup',
  method: 'POST',
  path: '/groups',
  auth: 'key',
  tag: 'Groups',
  summary: 'Create a group',
  description:
    'How the affiliates of the group earn. `PERCENTAGE` needs `commissionRate`, `FLAT` an amount for each sale. Amounts ' +
    'are in the program’s currency, rounded half-up to its minor unit. A program has up to 50 groups, each of at most ' +
    '16 KB as JSON.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      name: text(100),
      commissionType: z
        .enum(commissionTypes)
        .nullish()
        .describe('When absent: FLAT with commissionAmount alone, else PERCENTAGE.'),
      commissionRate: commissionRate.nullish(),
      commissionAmount: amount.nullish(),
      commissionMonths: commissionMonths.nullish(),
      productRules: orDefault(sentProductRules, []),
      tiers: orDefault(sentTiers, []),
      holdDays: orDefault(holdDays, 0),
      minimumPayout: amount.nullish(),
    })
    .superRefine((body, context) => {
      const { commissionType: type, commissionRate: rate, commissionAmount } = body;
      const names = { rate: 'commissionRate', amount: 'commissionAmount' };
      for (const [field, message] of earningContradictions({ type, rate, amount: commissionAmount }, names))
        context.addIssue({ code: 'custom', path: [field], message });
    }),
  response: Group,
  errors: [],
  needs: ['GROUP:create', 'GROUP:list', 'IDEMPOTENCY:create', 'IDEMPOTENCY:read'],
  example: {
    body: {
      name: 'Partners',
      commissionRate: 25,
      commissionMonths: 12,
      productRules: [{ productIds: ['starter'], type: 'FLAT', rate: null, amount: 5 }],
      tiers: [
        { minimumRevenue: 10_000, minimumSales: null, period: 'MONTH', type: 'PERCENTAGE', rate: 30, amount: null },
      ],
      holdDays: 30,
    },
  },
});

export const updateGroup = operation({
  id: 'updateGroup',
  method: 'PUT',
  path: '/groups',
  auth: 'key',
  tag: 'Groups',
  summary: 'Change a group',
  description:
    'Absent fields stay as they are; `productRules` and `tiers` are replaced as a whole. Sales of before keep their ' +
    'commission. What the default group pays without a rule is the program’s `commissionRate`, which is changed in the ' +
    'settings of the program.',
  query: z.strictObject({}),
  body: z.strictObject({
    groupId: uuid,
    name: text(100).optional(),
    commissionType: z.enum(commissionTypes).optional(),
    commissionRate: commissionRate.nullish(),
    commissionAmount: amount.nullish(),
    commissionMonths: commissionMonths.nullish(),
    productRules: clearable(sentProductRules, []),
    tiers: clearable(sentTiers, []),
    holdDays: holdDays.optional(),
    minimumPayout: amount.nullish(),
  }),
  ids: ['groupId'],
  response: Group,
  errors: ['not_found', 'precondition_failed'],
  needs: ['GROUP:list', 'GROUP:create', 'GROUP:change'],
  example: { body: { groupId: '019a0000-0000-7000-8000-0000000000e1', holdDays: 14 } },
});

export const deleteGroup = operation({
  id: 'deleteGroup',
  method: 'DELETE',
  path: '/groups',
  auth: 'key',
  tag: 'Groups',
  summary: 'Delete a group',
  description:
    '409 while affiliates are in the group, unless `moveTo` names the group that they move to: in the background, each ' +
    'with its event. The default group stays (409).',
  query: z.strictObject({}),
  body: z.strictObject({ groupId: uuid, moveTo: uuid.nullish() }),
  ids: ['groupId', 'moveTo'],
  response: z.object({ message: z.string(), deletedGroup: z.object({ id: z.uuid(), name: z.string() }) }),
  errors: ['not_found', 'conflict', 'precondition_failed'],
  needs: [
    'GROUP:list',
    'GROUP:create',
    'GROUP:delete',
    'GROUP:check',
    'TOMBSTONE:create',
    'AFFILIATE:read',
    'AFFILIATE:list:GSI2',
  ],
  example: { body: { groupId: '019a0000-0000-7000-8000-0000000000e1' } },
});

export const moveAffiliates = operation({
  id: 'moveAffiliates',
  method: 'POST',
  path: '/groups/move',
  auth: 'key',
  tag: 'Groups',
  summary: 'Move all affiliates of a group to another',
  description:
    'In the background, each with its event. It takes the affiliates that are in the group now. Sales of before keep their ' +
    'commission.',
  query: z.strictObject({}),
  body: z.strictObject({ groupId: uuid, moveTo: uuid }),
  ids: ['groupId', 'moveTo'],
  response: z.object({ message: z.string(), groupId: z.uuid(), moveTo: z.uuid() }),
  errors: ['not_found'],
  needs: ['GROUP:list', 'deletions:send'],
  example: {
    body: { groupId: '019a0000-0000-7000-8000-0000000000e1', moveTo: '019a0000-0000-7000-8000-0000000000e2' },
  },
});

export const groupOperations = [listGroups, readGroup, createGroup, updateGroup, deleteGroup] as const;
export const moveOperations = [moveAffiliates] as const;
