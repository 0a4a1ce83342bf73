import * as z from 'zod';
import { amount, commissionRate, uuid } from '../fields.ts';
import { maxProductRules, maxTiers, tierPeriods } from '../group-rules.ts';
import { createGroup, deleteGroup, moveAffiliates, updateGroup } from '../groups.ts';
import { webPage } from '../page.ts';
import { listOfLines } from './fields.ts';
import { cursor } from './list-query.ts';
import { formWithout } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/groups';
const pathOfOne = `${path}/{groupId}` as const;

/** Fields such as `tiers.0.rate`: the paths by which the API names what is wrong. */
const rows = (list: string, count: number, fields: Readonly<Record<string, z.ZodType>>) =>
  Array.from({ length: count }, (_, at) =>
    Object.entries(fields).map(([name, field]) => [`${list}.${at}.${name}`, field] as const),
  ).flat();

const earning = { rate: commissionRate.nullish(), amount: amount.nullish() };

export const ruleRows = {
  productRules: { count: maxProductRules, fields: { productIds: listOfLines.nullish(), ...earning } },
  tiers: {
    count: maxTiers,
    fields: {
      minimumRevenue: amount.nullish(),
      minimumSales: z.int().min(1).nullish(),
      period: z.enum(tierPeriods).nullish(),
      ...earning,
    },
  },
};

/** Without script, rules are rows of fields. Their names are not in the type: `rulesOf` reads them. */
const withRows = <Form extends z.ZodObject>(form: Form): Form => {
  const all = Object.entries(ruleRows).flatMap(([list, { count, fields }]) => rows(list, count, fields));
  return form.extend(Object.fromEntries(all)) as unknown as Form;
};

const inRows = ['productRules', 'tiers'] as const;

const showGroups = webPage({
  ...area,
  id: 'showGroups',
  method: 'GET',
  path,
  needs: ['GROUP:list'],
});

const downloadGroups = webPage({
  ...area,
  id: 'downloadGroups',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ cursor }),
  needs: ['GROUP:list'],
});

const showNewGroup = webPage({ ...area, id: 'showNewGroup', method: 'GET', path: `${path}/new`, needs: [] });

const addGroup = webPage({
  ...area,
  id: 'addGroup',
  creates: true,
  method: 'POST',
  path: `${path}/new`,
  form: withRows(formWithout(createGroup.body, inRows)),
  needs: ['GROUP:create', 'GROUP:list'],
});

/** With the newest affiliates of the group. */
const showGroup = webPage({
  ...area,
  id: 'showGroup',
  method: 'GET',
  path: pathOfOne,
  needs: ['GROUP:list', 'AFFILIATE:read', 'AFFILIATE:list', 'AFFILIATE:list:GSI2'],
});

const showGroupEdit = webPage({
  ...area,
  id: 'showGroupEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['GROUP:list'],
});

const editGroup = webPage({
  ...area,
  id: 'editGroup',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  // Without a number of days there is no hold.
  form: withRows(
    formWithout(updateGroup.body, [...inRows, 'groupId']).extend({ holdDays: createGroup.body.shape.holdDays }),
  ),
  emptyRemoves: true,
  needs: ['GROUP:list', 'GROUP:create', 'GROUP:change'],
});

const confirmGroupDeletion = webPage({
  ...area,
  id: 'confirmGroupDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['GROUP:list'],
});

const removeGroup = webPage({
  ...area,
  id: 'removeGroup',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: z.strictObject({ moveTo: uuid.nullish() }),
  needs: deleteGroup.needs,
});

const confirmMove = webPage({
  ...area,
  id: 'confirmMove',
  method: 'GET',
  path: `${pathOfOne}/move`,
  needs: ['GROUP:list'],
});

const moveGroup = webPage({
  ...area,
  id: 'moveGroup',
  method: 'POST',
  path: `${pathOfOne}/move`,
  form: z.strictObject({ moveTo: uuid }),
  needs: moveAffiliates.needs,
});

export const groupPages = [
  showGroups,
  downloadGroups,
  showNewGroup,
  addGroup,
  showGroup,
  showGroupEdit,
  editGroup,
  confirmGroupDeletion,
  removeGroup,
  confirmMove,
  moveGroup,
] as const;
