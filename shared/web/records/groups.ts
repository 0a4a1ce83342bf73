import { fieldError, requireRecord } from '../../contract/errors.ts';
import { updateGroup as editOperation, createGroup as operation } from '../../contract/groups.ts';
import type { groupPages } from '../../contract/pages/groups.ts';
import { findAffiliates } from '../../domain/affiliates/list-affiliates.ts';
import { deleteGroup } from '../../domain/deletions/delete-group.ts';
import { moveMessage } from '../../domain/deletions/move-affiliates.ts';
import { createGroup } from '../../domain/groups/create-group.ts';
import { listGroups } from '../../domain/groups/list-groups.ts';
import { groupsOf } from '../../domain/groups/repository.ts';
import { allGroups, type Group } from '../../domain/groups/rules.ts';
import { updateGroup } from '../../domain/groups/update-group.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { parseFields } from '../../http/parsing.ts';
import { send } from '../../platform/queue/send.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import { refuseContradictions, rowsOf, withRowNames } from '../forms/rule-rows.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { groupCsvColumns } from '../pages/group-fields.tsx';
import { groupDeletionView, groupEditView, groupMoveView, newGroupView } from '../pages/group-forms.tsx';
import { groupPath, groupsPath } from '../pages/group-words.tsx';
import { groupsView, groupView } from '../pages/groups.tsx';
import { redirect } from '../responses.ts';

const shownAffiliates = 10;

const readGroups = async (program: StoredProgram): Promise<Group[]> => allGroups(await groupsOf(program.id), program);

const readChoice = async (program: StoredProgram, groupId: string) => {
  const groups = await readGroups(program);
  const found = groups.find(({ id }) => id === groupId);
  return { group: requireRecord(found, 'Group'), groups };
};

const earning = { fields: ['rate', 'amount'], words: 'a percentage or an amount' } as const;
const minimum = { fields: ['minimumRevenue', 'minimumSales'], words: 'a revenue or a number of sales' } as const;

/** The rules that a form has in rows, and its other fields: 400 for a row that contradicts itself. */
const rulesOf = (form: Readonly<Record<string, unknown>>) => {
  const rows = { productRules: rowsOf(form, 'productRules'), tiers: rowsOf(form, 'tiers', ['period']) };
  refuseContradictions(rows, { productRules: [earning], tiers: [minimum, earning] });
  const rest = Object.fromEntries(Object.entries(form).filter(([name]) => !name.includes('.')));
  const rules = {
    productRules: rows.productRules.map(({ values }) => values),
    tiers: rows.tiers.map(({ values }) => values),
  };
  return { rows, body: { ...rest, ...rules } };
};

/** The field of the other kind of commission is hidden, and ignored. */
const oneCommission = (form: Readonly<Record<string, unknown>>) => {
  const { commissionType, commissionRate: _, commissionAmount: __, ...rest } = form;
  if (commissionType === undefined) return rest;
  const name = commissionType === 'FLAT' ? 'commissionAmount' : 'commissionRate';
  const value = form[name];
  if (value == null) throw fieldError(name, `${name} is required`);
  return { ...rest, commissionType, [name]: value };
};

export const groupHandlers: PageHandlersOf<typeof groupPages> = {
  showGroups: async ({ program }) => groupsView(program, await readGroups(program)),

  downloadGroups: (request) => {
    const { program } = request;
    const read = (page: Parameters<typeof listGroups>[1]) => listGroups(program, page);
    return csvDownload(request, { name: 'groups', columns: groupCsvColumns, range: {}, count: read, read });
  },

  showNewGroup: ({ session, program }) => newGroupView({ session, program }, unfilled),

  addGroup: {
    submit: async ({ program, form, now }) => {
      const { rows, body } = rulesOf(oneCommission(form));
      const { id } = await withRowNames(rows, async () => createGroup(program, parseFields(operation.body, body), now));
      return redirect(withFlash(groupPath(program.id, id), 'group-created'));
    },
    showAgain: ({ session, program }, filled) => newGroupView({ session, program }, filled),
  },

  showGroup: async ({ program, parameters: { groupId } }) => {
    const [{ group }, newest] = await Promise.all([
      readChoice(program, groupId),
      findAffiliates(program.id, { groupId }, { limit: shownAffiliates, isOneRead: true }),
    ]);
    return groupView(program, group, newest.items);
  },

  showGroupEdit: async ({ session, program, parameters }) =>
    groupEditView({ session, program }, (await readChoice(program, parameters.groupId)).group, unfilled),

  editGroup: {
    submit: async ({ program, parameters: { groupId }, form, now }) => {
      const { rows, body } = rulesOf(oneCommission(form));
      await withRowNames(rows, async () =>
        updateGroup(program, parseFields(editOperation.body, { ...body, groupId }), undefined, now),
      );
      return redirect(withFlash(groupPath(program.id, groupId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      groupEditView({ session, program }, (await readChoice(program, parameters.groupId)).group, filled),
  },

  confirmGroupDeletion: async ({ session, program, parameters }) =>
    groupDeletionView({ session, program }, await readChoice(program, parameters.groupId), unfilled),

  removeGroup: {
    submit: async ({ program, parameters: { groupId }, form, now }) => {
      await deleteGroup(program, { groupId, moveTo: form.moveTo }, undefined, now);
      return redirect(withFlash(groupsPath(program.id), 'group-deleted'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      groupDeletionView({ session, program }, await readChoice(program, parameters.groupId), filled),
  },

  confirmMove: async ({ session, program, parameters }) =>
    groupMoveView({ session, program }, await readChoice(program, parameters.groupId), unfilled),

  moveGroup: {
    submit: async ({ program, parameters: { groupId }, form: { moveTo }, now }) => {
      await send('deletions', await moveMessage(program, { groupId, moveTo }, now), program.id);
      return redirect(withFlash(groupPath(program.id, moveTo), 'affiliates-moving'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      groupMoveView({ session, program }, await readChoice(program, parameters.groupId), filled),
  },
};
