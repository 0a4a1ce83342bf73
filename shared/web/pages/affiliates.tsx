import { affiliateStatuses } from '../../contract/affiliates.ts';
import type { PageQuery } from '../../contract/page.ts';
import type { showAffiliates } from '../../contract/pages/affiliates.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { AffiliateWithTotals } from '../../domain/affiliates/totals.ts';
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

export const affiliatesPath = (programId: string): string => `/programs/${programId}/affiliates`;
export const affiliatePath = (programId: string, affiliateId: string): string =>
  `${affiliatesPath(programId)}/${affiliateId}`;

export const AffiliateTabs = ({ programId, current }: { programId: string; current: string }) => (
  <Tabs
    label="Affiliates and links"
    current={current}
    tabs={[
      ['Affiliates', affiliatesPath(programId)],
      ['Links', `/programs/${programId}/links`],
    ]}
  />
);

type Filters = PageQuery<typeof showAffiliates>;

const NewAffiliate = ({ programId }: { programId: string }) => (
  <LinkButton to={`${affiliatesPath(programId)}/new`}>New affiliate</LinkButton>
);

const unpaidMinor = (one: AffiliateWithTotals): bigint =>
  BigInt(one.totalCommissionEarnedMinor) - BigInt(one.totalCommissionPaidMinor);

const columnsOf = ({
  id: programId,
  currency,
  commissionRate,
}: StoredProgram): readonly Column<AffiliateWithTotals>[] => {
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
    { heading: 'Rate', isNumber: true, isForDesk: true, cell: (one) => `${one.commissionRate ?? commissionRate} %` },
    { heading: 'Referrals', isNumber: true, isForDesk: true, cell: (one) => one.numberOfReferredUsers },
    { heading: 'Revenue', isNumber: true, cell: (one) => money(one.totalRevenueMinor) },
    { heading: 'Earned', isNumber: true, isForDesk: true, cell: (one) => money(one.totalCommissionEarnedMinor) },
    { heading: 'Unpaid', isNumber: true, cell: (one) => money(unpaidMinor(one)) },
    { heading: 'Joined', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
  ];
};

export const affiliatesView = (
  program: StoredProgram,
  { search, status, from, to, sort }: Filters,
  part: ListPart,
  page: Page<AffiliateWithTotals>,
): View => {
  const isFiltered = Boolean(search || status || from || to || part.isFurtherOn || page.next);
  return view(
    'Affiliates',
    <>
      <AffiliateTabs programId={program.id} current={affiliatesPath(program.id)} />
      <FilterForm action={affiliatesPath(program.id)} csv={part.csv}>
        <Field name="search" label="Name or email" initial={search ?? ''} filled={unfilled} maxLength={100} isWide />
        <MoreFilters used={[status, from, to, sort]}>
          <Select
            name="status"
            label="Status"
            options={choicesOf(affiliateStatuses, affiliateStatusWords)}
            chosen={status}
          />
          <PeriodFields from={from} to={to} />
          <SortField orders={['oldest', 'email']} sort={sort} hasSearch />
        </MoreFilters>
      </FilterForm>
      <Table
        caption="Affiliates"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            noMatches('affiliates', page.next)
          ) : (
            <EmptyState title="Add your first affiliate" action={<NewAffiliate programId={program.id} />}>
              Affiliates recommend what you sell. Each has a link to share, and codes if you like, and earns a
              commission on every sale that results.
            </EmptyState>
          )
        }
        columns={columnsOf(program)}
      />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { actions: (isFiltered || page.items.length > 0) && <NewAffiliate programId={program.id} /> },
  );
};
