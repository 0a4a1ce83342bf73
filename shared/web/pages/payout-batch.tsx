import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredPayout } from '../../domain/payouts/payouts.ts';
import { preparationSteps, type StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import { Facts, Figures, LinkButton, Section } from '../blocks.tsx';
import { Confirmation, Table } from '../controls.tsx';
import { Paging } from '../list-controls.tsx';
import type { ListPart } from '../list-part.ts';
import { Money } from '../money.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';
import { affiliatePath } from './affiliates.tsx';
import { paymentMethodWords } from './payment-methods.ts';
import { BatchState, nameOfBatch, Period, payoutBatchPath, Total } from './payout-batches.tsx';
import { statementPath } from './statement.tsx';

export interface Payee {
  payout: StoredPayout;
  affiliate: StoredAffiliate | undefined;
}

const stepWords = {
  CLAIMING: 'Collecting sales',
  SETTLING: 'Leaving out small amounts',
  RELEASING: 'Leaving out small amounts',
  SUMMING: 'Adding up',
  DONE: 'Done',
} as const;

const secondsBetweenLooks = 2;

const Progress = ({ batch }: { batch: StoredPayoutBatch }) => (
  <div class="card" role="status">
    <p>
      <label for="progress">{stepWords[batch.step]} …</label>
    </p>
    <progress id="progress" value={preparationSteps.indexOf(batch.step) + 1} max={preparationSteps.length} />
    <p class="hint">This page refreshes itself until the batch is ready.</p>
  </div>
);

const longAgo = '2000-01-01';

const daysOf = ({ periodStart, periodEnd }: StoredPayoutBatch) => ({
  first: periodStart?.slice(0, 10) ?? longAgo,
  last: periodEnd.slice(0, 10),
});

const Payees = ({
  programId,
  batch,
  entries,
}: {
  programId: string;
  batch: StoredPayoutBatch;
  entries: readonly Payee[];
}) => (
  <Table
    caption="Payouts"
    items={entries}
    keyOf={({ payout }) => payout.affiliateId}
    empty="There were no unpaid commissions for these sales."
    columns={[
      {
        heading: 'Affiliate',
        cell: ({ affiliate }) =>
          affiliate ? (
            <a class="row-link" href={affiliatePath(programId, affiliate.id)}>
              {fullName(affiliate)}
            </a>
          ) : (
            'Deleted'
          ),
      },
      {
        heading: 'Pay to',
        isWide: true,
        cell: ({ affiliate }) => affiliate?.payoutEmail ?? affiliate?.email ?? 'Unknown',
      },
      {
        heading: 'Method',
        cell: ({ affiliate }) => (affiliate?.paymentMethod ? paymentMethodWords[affiliate.paymentMethod] : 'Not set'),
      },
      { heading: 'Sales', isNumber: true, isForDesk: true, cell: ({ payout }) => payout.saleCount },
      {
        heading: 'Statement',
        cell: ({ payout, affiliate }) =>
          affiliate && (
            <a
              href={statementPath(programId, payout.affiliateId, { ...daysOf(batch), batchId: batch.id })}
              aria-label={`Statement of ${fullName(affiliate)}`}
            >
              Statement
            </a>
          ),
      },
      {
        heading: 'Amount',
        isNumber: true,
        cell: ({ payout }) => <Money minor={payout.amountMinor} currency={batch.currency} />,
      },
    ]}
  />
);

const Files = ({ path }: { path: string }) => (
  <>
    <LinkButton needs="VIEWER" quiet to={`${path}/payouts.csv`}>
      Download CSV
    </LinkButton>
    <LinkButton needs="VIEWER" quiet to={`${path}/payouts.csv?format=paypal`}>
      PayPal file
    </LinkButton>
    <LinkButton needs="VIEWER" quiet to={`${path}/payouts.csv?format=wise`}>
      Wise file
    </LinkButton>
  </>
);

const BatchActions = ({ batch, path }: { batch: StoredPayoutBatch; path: string }) => (
  <>
    {batch.status === 'READY' && <LinkButton to={`${path}/paid`}>Mark as paid</LinkButton>}
    {batch.status !== 'PAID' && (
      <LinkButton danger to={`${path}/delete`}>
        Delete
      </LinkButton>
    )}
  </>
);

/** One batch with one page of its payouts. While the batch is prepared, the page refreshes itself. */
export const payoutBatchView = (
  programId: string,
  batch: StoredPayoutBatch,
  part: ListPart,
  { entries, next }: { entries: readonly Payee[]; next: string | undefined },
): View => {
  const path = payoutBatchPath(programId, batch.id);
  const isPreparing = batch.status === 'PREPARING';
  const hasPayouts = batch.payoutCount > 0;
  return view(
    nameOfBatch(batch),
    <>
      {isPreparing ? (
        <Progress batch={batch} />
      ) : (
        <Figures
          entries={[
            ['Total', <Total key="total" batch={batch} />],
            ['Affiliates', batch.payoutCount],
            ['Sales', batch.saleCount],
          ]}
        />
      )}
      <Facts
        entries={[
          ['Sales period', <Period key="period" batch={batch} />],
          ['Payment method', batch.paymentMethod && paymentMethodWords[batch.paymentMethod]],
          [
            'Minimum payout',
            batch.minimumAmountMinor !== null && <Money minor={batch.minimumAmountMinor} currency={batch.currency} />,
          ],
          ['Paid', batch.paidAt && <Time at={batch.paidAt} />],
          ['Created', <Time key="created" at={batch.createdAt} />],
        ]}
      />
      {!isPreparing && (
        <Section heading="Payouts" actions={hasPayouts && <Files path={path} />}>
          <Payees programId={programId} batch={batch} entries={entries} />
          <Paging part={part} next={next} />
        </Section>
      )}
    </>,
    {
      beside: <BatchState status={batch.status} />,
      actions: <BatchActions batch={batch} path={path} />,
      ...(isPreparing && { headers: { refresh: String(secondsBetweenLooks) } }),
    },
  );
};

export const paymentView = (session: Session, programId: string, batch: StoredPayoutBatch): View => {
  const path = payoutBatchPath(programId, batch.id);
  return view(
    `Mark ${nameOfBatch(batch)} as paid?`,
    <Confirmation session={session} action={`${path}/paid`} button="Mark as paid" back={path} isHarmless>
      <p>
        Confirm this after you have sent <Total batch={batch} /> to {batch.payoutCount}{' '}
        {batch.payoutCount === 1 ? 'affiliate' : 'affiliates'}. No money is sent from here. This cannot be undone.
      </p>
    </Confirmation>,
    { trail: [{ label: nameOfBatch(batch), path }] },
  );
};

export const payoutBatchDeletionView = (session: Session, programId: string, batch: StoredPayoutBatch): View => {
  const path = payoutBatchPath(programId, batch.id);
  return view(
    `Delete ${nameOfBatch(batch)}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete batch" back={path}>
      <p>Its commissions become unpaid again, so that a later batch can pay them.</p>
    </Confirmation>,
    { trail: [{ label: nameOfBatch(batch), path }] },
  );
};
