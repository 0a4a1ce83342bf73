import { maxHoldDays } from '../../contract/group-rules.ts';
import { paymentMethodWords } from '../../contract/payment-methods.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import { maxPayeesCounted, type PaymentMethods } from '../../domain/payouts/payment-methods.ts';
import { preparationSteps, type StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { addDays } from '../../platform/time/days.ts';
import { Facts, Figures, LinkButton, Section } from '../components/blocks.tsx';
import { Confirmation, type Filled } from '../components/controls.tsx';
import { dayOf } from '../components/days.ts';
import { HistoryLink } from '../components/history-link.tsx';
import { Money, moneyText } from '../components/money.tsx';
import { Table } from '../components/table.tsx';
import { counted } from '../components/text.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { PayeesByMethod } from './payment-methods.tsx';
import { batchDetails } from './payout-batch-fields.tsx';
import { BatchState, CodeOfPayout, nameOfBatch, payoutBatchPath, Total } from './payout-batches.tsx';
import { leftOutOfFiles, type Payee, rowsOf } from './payout-files.ts';
import { statementPath } from './statement.tsx';

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
  // What was on hold before the period is among its sales.
  first: periodStart ? addDays(dayOf(periodStart), -maxHoldDays) : longAgo,
  last: dayOf(periodEnd),
});

interface CouponOfBatch {
  coupon: StoredCoupon | undefined;
  createsCodes: boolean;
}

const codeColumn = (programId: string, batch: StoredPayoutBatch, { coupon, createsCodes }: CouponOfBatch) => ({
  heading: 'Code',
  cell: ({ payout }: Payee) => {
    if (payout.promotionalCode)
      return <CodeOfPayout programId={programId} payout={payout} coupon={coupon} currency={batch.currency} />;
    if (batch.status !== 'PAID') return 'When it is paid';
    return createsCodes ? 'Being created' : 'None: the coupon was deleted';
  },
});

const Payees = ({
  programId,
  batch,
  entries,
  ...ofBatch
}: {
  programId: string;
  batch: StoredPayoutBatch;
  entries: readonly Payee[];
} & CouponOfBatch) => (
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
      ...(batch.couponId === null ? [] : [codeColumn(programId, batch, ofBatch)]),
      {
        heading: 'Amount',
        isNumber: true,
        cell: ({ payout }) => <Money minor={payout.amountMinor} currency={batch.currency} />,
      },
    ]}
  />
);

const fileNames = { paypal: 'PayPal file', wise: 'Wise file' } as const;

const Files = ({ path, count, methods }: { path: string; count: number; methods: PaymentMethods }) => {
  const files = (['paypal', 'wise'] as const).map((format) => ({ format, rows: rowsOf(format, methods) }));
  return (
    <>
      <LinkButton needs="VIEWER" quiet to={`${path}/payouts.csv`}>
        Download CSV ({counted(count, 'row')})
      </LinkButton>
      {files
        .filter(({ rows }) => rows > 0 || !methods.isComplete)
        .map(({ format, rows }) => (
          <LinkButton key={format} needs="VIEWER" quiet to={`${path}/payouts.csv?format=${format}`}>
            {fileNames[format]} ({!methods.isComplete && 'at least '}
            {counted(rows, 'row')})
          </LinkButton>
        ))}
    </>
  );
};

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

export const payoutBatchView = (
  programId: string,
  batch: StoredPayoutBatch,
  { part, entries, next }: { part: ListPart; entries: readonly Payee[]; next: string | undefined },
  { methods, coupon, createsCodes }: { methods: PaymentMethods } & CouponOfBatch,
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
      <Facts entries={detailEntries(batchDetails(programId, batch, coupon))} />
      {hasPayouts && <PayeesByMethod programId={programId} currency={batch.currency} methods={methods} />}
      {!isPreparing && (
        <Section
          heading="Payouts"
          actions={hasPayouts && <Files path={path} count={batch.payoutCount} methods={methods} />}
        >
          <Payees programId={programId} batch={batch} coupon={coupon} createsCodes={createsCodes} entries={entries} />
          <Paging part={part} next={next} />
        </Section>
      )}
    </>,
    {
      beside: <BatchState status={batch.status} />,
      actions: (
        <>
          <HistoryLink programId={programId} recordId={batch.id} />
          <BatchActions batch={batch} path={path} />
        </>
      ),
      ...(isPreparing && { headers: { refresh: String(secondsBetweenLooks) } }),
    },
  );
};

/** Those who are in no file for a payment provider, to be ticked once they were paid too. */
const LeftOut = ({ currency, methods, filled }: { currency: string; methods: PaymentMethods; filled: Filled }) => {
  const { count, amountMinor } = leftOutOfFiles(methods);
  if (count === 0 && methods.isComplete) return null;
  const error = filled.errors.leftOut;
  return (
    <div class="field">
      <div class="choice">
        <input
          type="checkbox"
          id="leftOut"
          name="leftOut"
          value={count}
          required
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error && 'leftOut-error'}
        />
        <label for="leftOut">
          {methods.isComplete
            ? `I also paid the ${counted(count, 'affiliate')} in neither the PayPal nor the Wise file (${moneyText(amountMinor, currency)})`
            : `I also paid everyone in neither the PayPal nor the Wise file: of the first ${maxPayeesCounted.toLocaleString('en')} affiliates, ${count}`}
        </label>
      </div>
      {error && (
        <p class="problem" id="leftOut-error">
          Tick this once they are paid, or give them a payment method first.
        </p>
      )}
    </div>
  );
};

export const paymentView = (
  { session, program }: { session: Session; program: StoredProgram },
  { batch, methods }: { batch: StoredPayoutBatch; methods: PaymentMethods },
  filled: Filled,
): View => {
  const path = payoutBatchPath(program.id, batch.id);
  return view(
    `Mark ${nameOfBatch(batch)} as paid?`,
    <>
      <PayeesByMethod programId={program.id} currency={batch.currency} methods={methods} />
      <Confirmation
        session={session}
        action={`${path}/paid`}
        button="Mark as paid"
        back={path}
        isHarmless
        filled={filled}
      >
        {batch.couponId === null ? (
          <p>
            Confirm this after you have sent <Total batch={batch} /> to {counted(batch.payoutCount, 'affiliate')}. No
            money is sent from here. This cannot be undone.
          </p>
        ) : (
          <p>
            This creates {counted(batch.payoutCount, 'code')}, one for each affiliate, in payment of{' '}
            <Total batch={batch} />. Each can be redeemed once, by its affiliate alone. This cannot be undone.
          </p>
        )}
        <LeftOut currency={batch.currency} methods={methods} filled={filled} />
      </Confirmation>
    </>,
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
