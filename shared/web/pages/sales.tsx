import type { ComponentChildren } from 'preact';
import type { PageQuery } from '../../contract/page.ts';
import { payoutFilters, type showSales } from '../../contract/pages/sales.ts';
import { reviewStatuses } from '../../contract/review.ts';
import { saleStatuses } from '../../contract/sale.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { payoutStates } from '../../domain/sales/list-sales.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { type Entry, LinkButton, Section, Tabs } from '../components/blocks.tsx';
import { choicesOf, Field, FilterForm, MoreFilters, PeriodFields, Select, unfilled } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { type Column, EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { AffiliateField } from '../forms/affiliate-choice.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { AddedUp, ListPart } from '../lists/list-part.ts';
import { ListTotals } from '../lists/list-totals.tsx';
import { type View, view } from '../responses.ts';
import { commissionTerms, shortReason } from './commission-rule.tsx';
import { ImportButton } from './imports.tsx';
import { unpaidText } from './on-hold.tsx';

export const salesPath = (programId: string): string => `/programs/${programId}/sales`;
export const salePath = (programId: string, { id }: Pick<StoredSale, 'id'>): string =>
  `${salesPath(programId)}/${Number(id)}`;

const words = { ACTIVE: 'Active', REFUNDED: 'Refunded', PARTIALLY_REFUNDED: 'Partly refunded' } as const;
const tones = { ACTIVE: 'good', REFUNDED: 'bad', PARTIALLY_REFUNDED: 'warn' } as const;

const reviewWords = { HELD: 'Held for review', APPROVED: 'Approved', REJECTED: 'Rejected' } as const;

export const SaleState = ({ status, reviewStatus }: Pick<StoredSale, 'status' | 'reviewStatus'>) => (
  <>
    {(status !== 'ACTIVE' || reviewStatus === null || reviewStatus === 'APPROVED') && (
      <State tone={tones[status]}>{words[status]}</State>
    )}
    {reviewStatus === 'HELD' && <State tone="warn">{reviewWords.HELD}</State>}
    {reviewStatus === 'REJECTED' && <State tone="bad">{reviewWords.REJECTED}</State>}
  </>
);

export const heldSalesPath = (programId: string): string => `${salesPath(programId)}/review`;

export const SaleTabs = ({ programId, current }: { programId: string; current: string }) => (
  <Tabs
    label="Sales"
    current={current}
    tabs={[
      ['All sales', salesPath(programId)],
      ['Review', heldSalesPath(programId)],
    ]}
  />
);

type Filters = PageQuery<typeof showSales>;

export type Affiliates = ReadonlyMap<string, StoredAffiliate>;

export const nameOfAffiliate = (affiliates: Affiliates, id: string | null): string => {
  const affiliate = affiliates.get(id ?? '');
  if (affiliate) return fullName(affiliate);
  return id === null ? 'None' : 'Deleted';
};

const payoutOf = (sale: StoredSale) => {
  if (sale.paidAt) return <Time at={sale.paidAt} to="day" />;
  return sale.payoutBatchId ? 'In a batch' : unpaidText(sale);
};

export const customerColumn = ({ id: programId }: StoredProgram): Column<StoredSale> => ({
  heading: 'Customer',
  cell: (sale) => (
    <>
      <a class="row-link" href={salePath(programId, sale)}>
        {sale.name ?? sale.email ?? `Sale ${Number(sale.id)}`}
      </a>
      {sale.name && sale.email && <div class="hint email">{sale.email}</div>}
    </>
  ),
});

export const affiliateColumn = (affiliates: Affiliates): Column<StoredSale> => ({
  heading: 'Affiliate',
  cell: ({ affiliateId }) => nameOfAffiliate(affiliates, affiliateId),
});

export const amountColumns = ({ currency }: StoredProgram): readonly Column<StoredSale>[] => [
  { heading: 'Amount', isNumber: true, cell: (sale) => <Money minor={sale.totalEarnedMinor} currency={currency} /> },
  {
    heading: 'Commission',
    isNumber: true,
    cell: (sale) => <Money minor={sale.commissionEarnedMinor} currency={currency} />,
  },
];

const reasonColumn = ({ currency }: StoredProgram): Column<StoredSale> => ({
  heading: 'Why',
  isForDesk: true,
  cell: (sale) => (
    <>
      {commissionTerms(sale, currency)}
      <div class="hint">{shortReason(sale)}</div>
    </>
  ),
});

const stateColumns: readonly Column<StoredSale>[] = [
  { heading: 'Status', cell: (sale) => <SaleState {...sale} /> },
  { heading: 'Paid out', isForDesk: true, cell: payoutOf },
  { heading: 'Date', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
];

/** With `affiliates`, of the whole program; without, of one affiliate, code or customer. */
export const NewestSales = (props: {
  program: StoredProgram;
  sales: readonly StoredSale[];
  affiliates?: Affiliates;
  empty: ComponentChildren;
  actions?: ComponentChildren;
}) => (
  <Section heading="Newest sales" actions={props.actions}>
    <Table
      caption="Sales"
      items={props.sales}
      keyOf={({ id }) => id}
      empty={props.empty}
      columns={[
        customerColumn(props.program),
        ...(props.affiliates ? [affiliateColumn(props.affiliates)] : []),
        ...amountColumns(props.program),
        ...(props.affiliates ? [] : [reasonColumn(props.program), ...stateColumns]),
      ]}
    />
  </Section>
);

const payoutWords = { unpaid: 'Not yet', batched: 'In a batch', paid: 'Paid out' } as const;

const NewSale = ({ programId }: { programId: string }) => (
  <LinkButton to={`${salesPath(programId)}/new`}>Record sale</LinkButton>
);

const SaleFilters = ({ programId, filters, csv }: { programId: string; filters: Filters; csv: string }) => (
  <FilterForm action={salesPath(programId)} csv={csv}>
    <Field
      name="search"
      label="Customer’s name or email"
      initial={filters.search ?? ''}
      filled={unfilled}
      maxLength={100}
      isWide
    />
    <MoreFilters used={Object.entries(filters).map(([name, value]) => !['search', 'totals'].includes(name) && value)}>
      <Field
        name="reference"
        label="Sale, external or invoice ID"
        initial={filters.reference ?? ''}
        filled={unfilled}
        maxLength={255}
      />
      <AffiliateField programId={programId} choice={{ initial: filters.affiliateEmail }} filled={unfilled} />
      <Select name="status" label="Status" options={choicesOf(saleStatuses, words)} chosen={filters.status} />
      <Select
        name="reviewStatus"
        label="Review"
        options={choicesOf(reviewStatuses, reviewWords)}
        chosen={filters.reviewStatus}
      />
      <Select name="payout" label="Paid out" options={choicesOf(payoutFilters, payoutWords)} chosen={filters.payout} />
      <PeriodFields from={filters.from} to={filters.to} />
      <SortField sort={filters.sort} hasSearch />
    </MoreFilters>
  </FilterForm>
);

const totalsOf = ({ currency }: StoredProgram, sales: readonly StoredSale[]): Entry[] => {
  const sum = (of: (sale: StoredSale) => number, some = sales) => (
    <Money minor={some.reduce((total, sale) => total + BigInt(of(sale)), 0n)} currency={currency} />
  );
  const commission = ({ commissionEarnedMinor }: StoredSale) => commissionEarnedMinor;
  return [
    ['Sales', sales.length.toLocaleString('en')],
    ['Amount', sum(({ totalEarnedMinor }) => totalEarnedMinor)],
    ['Refunded', sum(({ refundedAmountMinor }) => refundedAmountMinor)],
    ['Commission', sum(commission)],
    ['Commission paid out', sum(commission, sales.filter(payoutStates.paid))],
  ];
};

export const salesView = (
  program: StoredProgram,
  filters: Filters,
  { part, page, addedUp }: { part: ListPart; page: Page<StoredSale>; addedUp: AddedUp<StoredSale> | undefined },
  affiliates: Affiliates,
): View => {
  const isFiltered = Object.values(filters).some(Boolean) || part.isFurtherOn || page.next !== undefined;
  return view(
    'Sales',
    <>
      <SaleTabs programId={program.id} current={salesPath(program.id)} />
      <SaleFilters programId={program.id} filters={filters} csv={part.csv} />
      <Table
        caption="Sales"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            noMatches('sales', page.next)
          ) : (
            <EmptyState
              title="No sales yet"
              action={
                <div class="actions centered">
                  <NewSale programId={program.id} />
                  <ImportButton programId={program.id} kind="sales" />
                </div>
              }
            >
              Your shop sends sales through the API as they happen, with the code or link that led to them. You can also
              record sales here.
            </EmptyState>
          )
        }
        columns={[customerColumn(program), affiliateColumn(affiliates), ...amountColumns(program), ...stateColumns]}
      />
      <ListTotals part={part} addedUp={addedUp} entries={(sales) => totalsOf(program, sales)} />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    {
      actions: (
        <>
          <LinkButton quiet needs="VIEWER" to={`${salesPath(program.id)}/preview`}>
            What would a sale earn?
          </LinkButton>
          {(isFiltered || page.items.length > 0) && <NewSale programId={program.id} />}
        </>
      ),
    },
  );
};

export interface SaleWithAffiliate {
  sale: StoredSale;
  affiliate: StoredAffiliate | undefined;
}
