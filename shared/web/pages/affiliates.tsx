import { affiliateStatuses } from '../../contract/affiliates.ts';
import type { PageQuery } from '../../contract/page.ts';
import type { showAffiliates } from '../../contract/pages/affiliates.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { AffiliateWithTotals } from '../../domain/affiliates/totals.ts';
import { allGroups, groupOf, type StoredGroups } from '../../domain/groups/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { AffiliateState, affiliateStatusWords } from '../components/affiliate-state.tsx';
import { LinkButton, Tabs } from '../components/blocks.tsx';
import { choicesOf, Field, FilterForm, MoreFilters, PeriodFields, Select, unfilled } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { type Column, EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import { groupsPath, rateOf } from './group-words.tsx';
import { ImportButton } from './imports.tsx';

export const affiliatesPath = (programId: string): string => `/programs/${programId}/affiliates`;
export const affiliatePath = (programId: string, affiliateId: string): string =>
  `${affiliatesPath(programId)}/${affiliateId}`;

export const AffiliateTabs = ({ programId, current }: { programId: string; current: string }) => (
  <Tabs
    label="Affiliates, applications, links and groups"
    current={current}
    tabs={[
      ['Affiliates', affiliatesPath(programId)],
      ['Applications', `${affiliatesPath(programId)}/applications`],
      ['Links', `/programs/${programId}/links`],
      ['Groups', groupsPath(programId)],
    ]}
  />
);

type Filters = PageQuery<typeof showAffiliates>;

const NewAffiliate = ({ programId }: { programId: string }) => (
  <LinkButton to={`${affiliatesPath(programId)}/new`}>New affiliate</LinkButton>
);

const unpaidMinor = (one: AffiliateWithTotals): bigint =>
  BigInt(one.totalCommissionEarnedMinor) - BigInt(one.totalCommissionPaidMinor);

const columnsOf = (program: StoredProgram, groups: StoredGroups): readonly Column<AffiliateWithTotals>[] => {
  const { id: programId, currency } = program;
  const money = (minor: number | bigint) => <Money minor={minor} currency={currency} />;
  return [
    {
      heading: 'Affiliate',
      cell: (one) => (
        <>
          <a class="row-link" href={affiliatePath(programId, one.id)}>
            {fullName(one)}
          </a>
          <div class="hint email">{one.email}</div>
        </>
      ),
    },
    { heading: 'Status', cell: ({ status }) => <AffiliateState status={status} /> },
    { heading: 'Rate', isNumber: true, isForDesk: true, cell: (one) => rateOf(one, groupOf(one, groups, program)) },
    { heading: 'Referrals', isNumber: true, isForDesk: true, cell: (one) => one.numberOfReferredUsers },
    { heading: 'Revenue', isNumber: true, cell: (one) => money(one.totalRevenueMinor) },
    { heading: 'Earned', isNumber: true, isForDesk: true, cell: (one) => money(one.totalCommissionEarnedMinor) },
    { heading: 'Unpaid', isNumber: true, cell: (one) => money(unpaidMinor(one)) },
    { heading: 'Joined', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
  ];
};

const None = ({ programId }: { programId: string }) => (
  <EmptyState
    title="Add your first affiliate"
    action={
      <div class="actions centered">
        <NewAffiliate programId={programId} />
        <ImportButton programId={programId} kind="affiliates" />
      </div>
    }
  >
    Affiliates recommend what you sell. Each has a link to share, and codes if you like, and earns a commission on every
    sale that results.
  </EmptyState>
);

export const affiliatesView = (
  program: StoredProgram,
  { search, status, groupId, from, to, sort }: Filters,
  part: ListPart,
  { page, groups }: { page: Page<AffiliateWithTotals>; groups: StoredGroups },
): View => {
  const isFiltered = Boolean(search || status || groupId || from || to || part.isFurtherOn || page.next);
  return view(
    'Affiliates',
    <>
      <AffiliateTabs programId={program.id} current={affiliatesPath(program.id)} />
      <FilterForm action={affiliatesPath(program.id)} csv={part.csv}>
        <Field name="search" label="Name or email" initial={search ?? ''} filled={unfilled} maxLength={100} isWide />
        <MoreFilters used={[status, groupId, from, to, sort]}>
          <Select
            name="status"
            label="Status"
            options={choicesOf(affiliateStatuses, affiliateStatusWords)}
            chosen={status}
          />
          <Select
            name="groupId"
            label="Group"
            options={[
              { value: '', label: 'Any' },
              ...allGroups(groups, program).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            chosen={groupId}
          />
          <PeriodFields from={from} to={to} />
          <SortField orders={['oldest', 'email']} sort={sort} hasSearch />
        </MoreFilters>
      </FilterForm>
      <Table
        caption="Affiliates"
        items={page.items}
        keyOf={({ id }) => id}
        empty={isFiltered ? noMatches('affiliates', page.next) : <None programId={program.id} />}
        columns={columnsOf(program, groups)}
      />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { actions: (isFiltered || page.items.length > 0) && <NewAffiliate programId={program.id} /> },
  );
};
