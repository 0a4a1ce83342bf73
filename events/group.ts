import { Group } from '../shared/contract/groups.ts';
import { groupExample } from '../shared/contract/record-examples.ts';
import { groupResponse } from '../shared/domain/groups/responses.ts';
import { applied, defaultGroupId, StoredGroup, unstoredDefault } from '../shared/domain/groups/rules.ts';
import { eventFamily } from './family.ts';

export const groupEvents = eventFamily({
  name: 'group',
  kind: 'GROUP',
  noun: 'group',
  stored: StoredGroup,
  response: Group,
  toResponse: async (program, group) => groupResponse(applied(group, program), program.id),
  // The default group is there before it is stored by its first edit.
  unstored: (program, { id }) => (id === defaultGroupId(program.id) ? unstoredDefault(program) : undefined),
  notEdited: [],
  example: groupExample,
  editedExample: { ...groupExample, updatedAt: '2026-02-01T12:00:00.000Z', holdDays: 14 },
});
