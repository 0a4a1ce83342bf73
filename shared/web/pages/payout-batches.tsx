import { type PayoutBatchStatus, payoutBatchStatuses } from '../../contract/payout-batches.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredPayout } from '../../domain/payouts/payouts.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { choicesOf, FilterForm, Paging, Select, State, Table, Time } from '../controls.tsx';
import type { ListPart } from '../list-part.ts';
import { Money } from '../money.tsx';
import { type View, view } from '../responses.ts';

const words = {
  PREPARING: 'Being prepared',
  READY: 'Ready to pay',
  NO_TRANSACTIONS: 'Nothing to pay',
  PAID: 'Paid',
} as const;
const tones = { PREPARING: 'plain', READY: 'plain', NO_TRANSACTIONS: 'plain', PAID: 'good' } as const;

export const payoutBatchesPath = (programId: string): string => `/programs/${programId}/payout-batches`;

const nameOf = ({ name }: StoredPayoutBatch): string => name ?? 'Without a name';
const BatchState = ({ status }: { status: PayoutBatchStatus }) => <State tone={tones[status]}>{words[status]}</State>;
const Total = ({ batch }: { batch: StoredPayoutBatch }) => (
  <Money minor={batch.totalAmountMinor} currency={batch.currency} />
);

const Period = ({ batch: { periodStart, periodEnd } }: { batch: StoredPayoutBatch }) => (
  <>
    {periodStart ? (
      <>
        <Time at={periodStart} /> to{' '}
      </>
    ) : (
      'Up to '
    )}
    <Time at={periodEnd} />
  </>
);

export const payoutBatchesView = (
  { id: programId }: StoredProgram,
  { status }: { status?: PayoutBatchStatus | undefined },
  part: ListPart,
  page: Page<StoredPayoutBatch>,
): View =>
  view(
    'Payout batches',
    <>
      <FilterForm action={payoutBatchesPath(programId)}>
        <Select name="status" label="Status" options={choicesOf(payoutBatchStatuses, words)} chosen={status} />
      </FilterForm>
      <Table
        caption="Payout batches"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          status || part.isFurtherOn || page.next ? (
            'No payout batch here has this status.'
          ) : (
            <>
              There are no payout batches yet. Prepare one of all that is owed with <code>POST /payout-batches</code>:
              the <a href="/api/v1/docs">documentation</a> says how.
            </>
          )
        }
        columns={[
          {
            heading: 'Name',
            cell: (batch) => <a href={`${payoutBatchesPath(programId)}/${batch.id}`}>{nameOf(batch)}</a>,
          },
          { heading: 'Status', cell: (batch) => <BatchState status={batch.status} /> },
          { heading: 'Sales of', cell: (batch) => <Period batch={batch} /> },
          { heading: 'Affiliates', isNumber: true, cell: ({ payoutCount }) => payoutCount },
          { heading: 'Sales', isNumber: true, cell: ({ saleCount }) => saleCount },
          { heading: 'Total', isNumber: true, cell: (batch) => <Total batch={batch} /> },
          { heading: 'Paid', cell: ({ paidAt }) => (paidAt ? <Time at={paidAt} /> : 'Not yet') },
        ]}
      />
      <Paging part={part} next={page.next} />
    </>,
  );

interface Payee {
  payout: StoredPayout;
  affiliate: StoredAffiliate | undefined;
}

const BatchFacts = ({ batch }: { batch: StoredPayoutBatch }) => (
  <dl>
    <dt>Status</dt>
    <dd>
      <BatchState status={batch.status} />
    </dd>
    <dt>Total</dt>
    <dd>
      <Total batch={batch} /> to {batch.payoutCount} {batch.payoutCount === 1 ? 'affiliate' : 'affiliates'}, for{' '}
      {batch.saleCount} {batch.saleCount === 1 ? 'sale' : 'sales'}
    </dd>
    <dt>Sales of</dt>
    <dd>
      <Period batch={batch} />
    </dd>
    {batch.paidAt && (
      <>
        <dt>Paid</dt>
        <dd>
          <Time at={batch.paidAt} />
        </dd>
      </>
    )}
  </dl>
);

/** One batch with a part of its payouts. */
export const payoutBatchView = (
  { id: programId }: StoredProgram,
  batch: StoredPayoutBatch,
  part: ListPart,
  { entries, next }: { entries: readonly Payee[]; next: string | undefined },
): View =>
  view(
    nameOf(batch),
    <>
      <BatchFacts batch={batch} />
      <h2>Payouts</h2>
      <Table
        caption="Payouts"
        items={entries}
        keyOf={({ payout }) => payout.affiliateId}
        empty={
          batch.status === 'PREPARING' ? (
            <>
              They are being gathered. <a href={part.newest}>Look again</a> in a moment.
            </>
          ) : (
            'There are none.'
          )
        }
        columns={[
          { heading: 'Affiliate', cell: ({ affiliate }) => (affiliate ? fullName(affiliate) : 'Deleted') },
          { heading: 'Pay to', cell: ({ affiliate }) => affiliate?.payoutEmail ?? affiliate?.email ?? 'Unknown' },
          { heading: 'Method', cell: ({ affiliate }) => affiliate?.paymentMethod ?? 'Not set' },
          { heading: 'Sales', isNumber: true, cell: ({ payout }) => payout.saleCount },
          {
            heading: 'Amount',
            isNumber: true,
            cell: ({ payout }) => <Money minor={payout.amountMinor} currency={batch.currency} />,
          },
        ]}
      />
      <Paging part={part} next={next} />
      <p>
        <a href={payoutBatchesPath(programId)}>All payout batches</a>
      </p>
    </>,
  );
