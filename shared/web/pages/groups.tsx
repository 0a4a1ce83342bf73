import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { Group } from '../../domain/groups/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { AffiliateState } from '../components/affiliate-state.tsx';
import { EditAndDelete, Facts, LinkButton, Section } from '../components/blocks.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { moneyText } from '../components/money.tsx';
import { State, Table } from '../components/table.tsx';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import { AffiliateTabs, affiliatePath, affiliatesPath } from './affiliates.tsx';
import { groupDetails, minimumText } from './group-fields.tsx';
import { baseText, daysText, earningText, groupPath, groupsPath, monthsText } from './group-words.tsx';

const rulesText = ({ productRules, tiers }: Group): string => {
  const counted = (count: number, noun: string) => (count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`]);
  return [...counted(productRules.length, 'product rule'), ...counted(tiers.length, 'tier')].join(', ') || 'None';
};

export const groupsView = (program: StoredProgram, groups: readonly Group[]): View => {
  const path = groupsPath(program.id);
  return view(
    'Groups',
    <>
      <AffiliateTabs programId={program.id} current={path} />
      <Table
        caption="Groups"
        items={groups}
        keyOf={({ id }) => id}
        empty="There is always a default group."
        columns={[
          {
            heading: 'Group',
            cell: ({ id, name, isDefault }) => (
              <>
                <a class="row-link" href={groupPath(program.id, id)}>
                  {name}
                </a>
                {isDefault && <div class="hint">Where affiliates are unless you choose another group</div>}
              </>
            ),
          },
          { heading: 'Commission', cell: baseText },
          { heading: 'Earned', isForDesk: true, cell: ({ commissionMonths }) => monthsText(commissionMonths) },
          { heading: 'Rules', isForDesk: true, cell: rulesText },
          { heading: 'On hold', cell: ({ holdDays }) => (holdDays === 0 ? 'No' : daysText(holdDays)) },
          {
            heading: 'Smallest payout',
            isNumber: true,
            isForDesk: true,
            cell: ({ minimumPayoutMinor, currency }) =>
              minimumPayoutMinor === null ? 'Any' : moneyText(minimumPayoutMinor, currency),
          },
        ]}
      />
    </>,
    {
      lead: 'A group says what its affiliates earn, and when it can be paid.',
      actions: (
        <>
          <a class="button quiet" href={`${path}.csv`}>
            Download CSV
          </a>
          <LinkButton to={`${path}/new`}>New group</LinkButton>
        </>
      ),
    },
  );
};

const Rules = ({ group }: { group: Group }) => (
  <>
    <Section heading="Commissions for some products">
      <Table
        caption="Commissions for some products"
        items={group.productRules}
        keyOf={({ productIds }) => productIds.join(' ')}
        empty="All products earn the same."
        columns={[
          { heading: 'Products', cell: ({ productIds }) => productIds.join(', ') },
          { heading: 'Commission', cell: (rule) => earningText(rule, group.currency) },
        ]}
      />
    </Section>
    <Section heading="Tiers">
      <Table
        caption="Tiers"
        items={group.tiers}
        keyOf={(tier) => minimumText(tier, group.currency)}
        empty="Affiliates earn the same however much they sell."
        columns={[
          { heading: 'Affiliates', cell: (tier) => minimumText(tier, group.currency) },
          { heading: 'Commission', cell: (tier) => earningText(tier, group.currency) },
        ]}
      />
    </Section>
  </>
);

const AffiliatesOfGroup = (props: { programId: string; group: Group; affiliates: readonly StoredAffiliate[] }) => {
  const { programId, group, affiliates } = props;
  return (
    <Section
      heading="Newest affiliates"
      actions={
        affiliates.length > 0 && <a href={`${affiliatesPath(programId)}?groupId=${group.id}`}>All of this group</a>
      }
    >
      <Table
        caption="Newest affiliates"
        items={affiliates}
        keyOf={({ id }) => id}
        empty="No affiliates here yet. Choose the group on the page of an affiliate."
        columns={[
          {
            heading: 'Affiliate',
            cell: (affiliate) => (
              <>
                <a class="row-link" href={affiliatePath(programId, affiliate.id)}>
                  {fullName(affiliate)}
                </a>
                <div class="hint email">{affiliate.email}</div>
              </>
            ),
          },
          { heading: 'Status', cell: ({ status }) => <AffiliateState status={status} /> },
          {
            heading: 'Rate',
            isForDesk: true,
            cell: ({ commissionRate }) => (commissionRate === null ? 'Of the group' : `${commissionRate} %, its own`),
          },
        ]}
      />
    </Section>
  );
};

export const groupView = (program: StoredProgram, group: Group, affiliates: readonly StoredAffiliate[]): View => {
  const path = groupPath(program.id, group.id);
  const history = <HistoryLink programId={program.id} recordId={group.id} />;
  const move = (
    <LinkButton quiet to={`${path}/move`}>
      Move all affiliates
    </LinkButton>
  );
  return view(
    group.name,
    <>
      <div class="columns">
        <div>
          <Rules group={group} />
        </div>
        <div>
          <Section heading="Details">
            <Facts entries={detailEntries(groupDetails(group))} />
          </Section>
        </div>
      </div>
      <AffiliatesOfGroup programId={program.id} group={group} affiliates={affiliates} />
    </>,
    {
      beside: group.isDefault && <State tone="plain">Default</State>,
      trail: [{ label: 'Groups', path: groupsPath(program.id) }],
      actions: group.isDefault ? (
        <>
          {history}
          {move}
          <LinkButton quiet to={`${path}/edit`}>
            Edit
          </LinkButton>
        </>
      ) : (
        <>
          {history}
          {move}
          <EditAndDelete path={path} />
        </>
      ),
    },
  );
};
