import type { Group } from '../../domain/groups/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, type Filled, Select } from '../components/controls.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { groupControls } from './group-fields.tsx';
import { ProductRuleRows, TierRows } from './group-rows.tsx';
import { groupPath, groupsPath } from './group-words.tsx';

interface Place {
  session: Session;
  program: StoredProgram;
}

const Controls = ({ program, group, filled }: { program: StoredProgram; group?: Group; filled: Filled }) => (
  <>
    <FormControls controls={groupControls(group, program.currency, filled)} filled={filled} />
    <ProductRuleRows group={group} currency={program.currency} filled={filled} />
    <TierRows group={group} currency={program.currency} filled={filled} />
  </>
);

export const newGroupView = ({ session, program }: Place, filled: Filled): View => {
  const back = groupsPath(program.id);
  return view(
    'New group',
    <FormCard session={session} action={`${back}/new`} button="Create group" back={back} filled={filled}>
      <Controls program={program} filled={filled} />
    </FormCard>,
    { trail: [{ label: 'Groups', path: back }] },
  );
};

const trailOf = (program: StoredProgram, group: Group) => [
  { label: 'Groups', path: groupsPath(program.id) },
  { label: group.name, path: groupPath(program.id, group.id) },
];

export const groupEditView = ({ session, program }: Place, group: Group, filled: Filled): View => {
  const path = groupPath(program.id, group.id);
  return view(
    `Edit ${group.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <Controls program={program} group={group} filled={filled} />
    </FormCard>,
    {
      trail: trailOf(program, group),
      lead: group.isDefault
        ? `This group pays the rate of the program, ${program.commissionRate} %, which the settings change.`
        : 'Earlier sales keep their commission.',
    },
  );
};

const OtherGroups = (props: { groups: readonly Group[]; group: Group; label: string; filled: Filled }) => (
  <Select
    name="moveTo"
    label={props.label}
    options={props.groups.filter(({ id }) => id !== props.group.id).map(({ id, name }) => ({ value: id, label: name }))}
    chosen={props.groups.find(({ isDefault, id }) => isDefault && id !== props.group.id)?.id}
    filled={props.filled}
  />
);

interface Choice {
  group: Group;
  groups: readonly Group[];
}

export const groupDeletionView = ({ session, program }: Place, { group, groups }: Choice, filled: Filled): View => {
  const path = groupPath(program.id, group.id);
  return view(
    `Delete ${group.name}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete group" back={path} filled={filled}>
      <p>
        This cannot be undone. Affiliates of the group move to the one that you choose; their sales keep their
        commission.
      </p>
      <OtherGroups groups={groups} group={group} label="Move its affiliates to" filled={filled} />
    </Confirmation>,
    { trail: trailOf(program, group) },
  );
};

export const groupMoveView = ({ session, program }: Place, { group, groups }: Choice, filled: Filled): View => {
  const path = groupPath(program.id, group.id);
  const back = groups.length > 1;
  return view(
    `Move all affiliates of ${group.name}?`,
    back ? (
      <Confirmation session={session} action={`${path}/move`} button="Move all" back={path} isHarmless filled={filled}>
        <p>All who are in the group now move to the other one, within seconds. Their sales keep their commission.</p>
        <OtherGroups groups={groups} group={group} label="Move to" filled={filled} />
      </Confirmation>
    ) : (
      <p>
        There is no other group yet. <a href={`${groupsPath(program.id)}/new`}>Create one</a> first.
      </p>
    ),
    { trail: trailOf(program, group) },
  );
};
