import type { PageQuery } from '../../contract/page.ts';
import type { showPayoutBatches } from '../../contract/pages/payout-batches.ts';
import { type PayoutBatchStatus, payoutBatchStatuses } from '../../contract/payout-batches.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredPayout } from '../../domain/payouts/payouts.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { type Entry, LinkButton } from '../components/blocks.tsx';
import { choicesOf, FilterForm, MoreFilters, PeriodFields, Select } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { AddedUp, ListPart } from '../lists/list-part.ts';
import { ListTotals } from '../lists/list-totals.tsx';
import { type View, view } from '../responses.ts';
import { codesPath, rewardOf } from './coupons.tsx';

const words = {
  PREPARING: 'Being prepared',
  READY: 'Ready to pay',
  NO_TRANSACTIONS: 'Nothing to pay',
  PAID: 'Paid',
} as const;
const tones = { PREPARING: 'plain', READY: 'warn', NO_TRANSACTIONS: 'plain', PAID: 'good' } as const;

export const payoutBatchesPath = (programId: string): string => `/programs/${programId}/payout-batches`;
export const payoutBatchPath = (programId: string, batchId: string): string =>
  `${payoutBatchesPath(programId)}/${batchId}`;

export const nameOfBatch = ({ name }: Pick<StoredPayoutBatch, 'name'>): string => name ?? 'Unnamed batch';

export const CodeOfPayout = ({
  programId,
  payout: { promotionalCode, amountMinor },
  coupon,
  currency,
}: {
  programId: string;
  payout: Pick<StoredPayout, 'amountMinor' | 'promotionalCode'>;
  coupon: StoredCoupon | undefined;
  currency: string;
}) =>
  promotionalCode && (
    <>
      {coupon && <div>{rewardOf(coupon, amountMinor, currency)}</div>}
      <a href={`${codesPath(programId)}/${promotionalCode.id}`}>
        <code>{promotionalCode.code}</code>
      </a>
    </>
  );

export const BatchState = ({ status }: { status: PayoutBatchStatus }) => (
  <State tone={tones[status]}>{words[status]}</State>
);

export const Total = ({ batch }: { batch: StoredPayoutBatch }) => (
  <Money minor={batch.totalAmountMinor} currency={batch.currency} />
);

export const Period = ({ batch: { periodStart, periodEnd } }: { batch: StoredPayoutBatch }) => (
  <>
    {periodStart ? (
      <>
        <Time at={periodStart} to="day" /> to{' '}
      </>
    ) : (
      'Up to '
    )}
    <Time at={periodEnd} />
  </>
);

const NewPayout = ({ programId }: { programId: string }) => (
  <LinkButton to={`${payoutBatchesPath(programId)}/new`}>New payout</LinkButton>
);

type Filters = PageQuery<typeof showPayoutBatches>;

const sumOf = (batches: readonly StoredPayoutBatch[], wanted: StoredPayoutBatch['status']): bigint =>
  batches
    .filter(({ status }) => status === wanted)
    .reduce((sum, { totalAmountMinor }) => sum + BigInt(totalAmountMinor), 0n);

const totalsOf = ({ currency }: StoredProgram, batches: readonly StoredPayoutBatch[]): Entry[] => [
  ['Batches', batches.length.toLocaleString('en')],
  ['Ready to pay', <Money key="ready" minor={sumOf(batches, 'READY')} currency={currency} />],
  ['Paid out', <Money key="paid" minor={sumOf(batches, 'PAID')} currency={currency} />],
];

export const payoutBatchesView = (
  program: StoredProgram,
  { status, from, to, sort }: Filters,
  {
    part,
    page,
    addedUp,
  }: { part: ListPart; page: Page<StoredPayoutBatch>; addedUp: AddedUp<StoredPayoutBatch> | undefined },
): View => {
  const { id: programId } = program;
  const isFiltered = Boolean(status || from || to || part.isFurtherOn || page.next);
  return view(
    'Payouts',
    <>
      <FilterForm action={payoutBatchesPath(programId)} csv={part.csv}>
        <Select name="status" label="Status" options={choicesOf(payoutBatchStatuses, words)} chosen={status} />
        <MoreFilters used={[from, to, sort]}>
          <PeriodFields from={from} to={to} />
          <SortField sort={sort} />
        </MoreFilters>
      </FilterForm>
      <Table
        caption="Payout batches"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            noMatches('payout batches', page.next)
          ) : (
            <EmptyState title="Pay your affiliates" action={<NewPayout programId={programId} />}>
              A payout batch collects all unpaid commissions. Download the list of payouts, pay them, and mark the batch
              as paid.
            </EmptyState>
          )
        }
        columns={[
          {
            heading: 'Batch',
            cell: (batch) => (
              <a class="row-link" href={payoutBatchPath(programId, batch.id)}>
                {nameOfBatch(batch)}
              </a>
            ),
          },
          { heading: 'Status', cell: ({ status: of }) => <BatchState status={of} /> },
          { heading: 'Sales period', isForDesk: true, cell: (batch) => <Period batch={batch} /> },
          { heading: 'Affiliates', isNumber: true, cell: ({ payoutCount }) => payoutCount },
          { heading: 'Sales', isNumber: true, isForDesk: true, cell: ({ saleCount }) => saleCount },
          { heading: 'Total', isNumber: true, cell: (batch) => <Total batch={batch} /> },
          { heading: 'Paid', cell: ({ paidAt }) => (paidAt ? <Time at={paidAt} to="day" /> : 'Not yet') },
        ]}
      />
      <ListTotals part={part} addedUp={addedUp} entries={(batches) => totalsOf(program, batches)} />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { actions: (isFiltered || page.items.length > 0) && <NewPayout programId={programId} /> },
  );
};
