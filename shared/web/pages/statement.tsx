import { paymentMethodWords } from '../../contract/payment-methods.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import { isOnHold, sumOnHold } from '../../domain/payouts/on-hold.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Period } from '../../platform/time/days.ts';
import { type Entry, Facts } from '../components/blocks.tsx';
import { type Filled, PeriodFields } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { Table } from '../components/table.tsx';
import { dayText, Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import { affiliatePath } from './affiliates.tsx';
import { commissionTerms } from './commission-rule.tsx';
import { onHoldText, WhenPaid } from './on-hold.tsx';
import { nameOfBatch } from './payout-batches.tsx';
import { SaleState } from './sales.tsx';
import { maxAdjustments, maxSales, type Statement } from './statement-entries.ts';

export const statementPath = (
  programId: string,
  affiliateId: string,
  chosen?: Period & { batchId: string },
): string => {
  const path = `${affiliatePath(programId, affiliateId)}/statement`;
  return chosen ? `${path}?from=${chosen.first}&to=${chosen.last}&batch=${chosen.batchId}` : path;
};

const sumOf = (sales: readonly StoredSale[], amountOf: (sale: StoredSale) => number): bigint =>
  sales.reduce((sum, sale) => sum + BigInt(amountOf(sale)), 0n);

const summaryOf = (statement: Statement, currency: string, now: Date): Entry[] => {
  const { sales, payout, isComplete, openAdjustmentsMinor } = statement;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const commissionMinor = sumOf(sales, (sale) => sale.commissionEarnedMinor);
  const sold: Entry[] = [
    ['Sales', `${sales.length}`],
    ['Revenue after refunds', money(sumOf(sales, (sale) => sale.totalEarnedMinor - sale.refundedAmountMinor))],
    ['Commission', money(commissionMinor)],
  ];
  if (payout) {
    const adjustedMinor = payout.payout.amountMinor - commissionMinor;
    return [
      ...sold,
      ['Adjustments for earlier refunds', isComplete && adjustedMinor !== 0n && money(adjustedMinor)],
      ['Payout', money(payout.payout.amountMinor)],
      ['Paid', payout.batch.paidAt ? <Time at={payout.batch.paidAt} to="day" /> : 'Not yet'],
      [
        'Paid by code',
        payout.payout.promotionalCode && <code>{payout.payout.promotionalCode.code}</code>,
        'Only this affiliate can redeem it, once',
      ],
    ];
  }
  const onHold = sumOnHold(
    sales.filter((sale) => isOnHold(sale, now)),
    isComplete,
  );
  const paidMinor = sumOf(sales, (sale) => (sale.paidAt === null ? 0 : sale.commissionEarnedMinor));
  return [
    ...sold,
    ['Already paid', money(paidMinor)],
    ['Still unpaid', money(commissionMinor - paidMinor), onHoldText(onHold, currency)],
    [
      'Next payout is reduced by',
      openAdjustmentsMinor < 0n && money(-openAdjustmentsMinor),
      statement.hasAllAdjustments
        ? 'Refunds of sales that were already paid'
        : `The newest ${maxAdjustments} refunds of sales that were already paid; there are more`,
    ],
  ];
};

const PeriodForm = ({ path, period, filled }: { path: string; period: Period; filled: Filled }) => (
  <form class="filter" method="get" action={path}>
    <PeriodFields from={period.first} to={period.last} filled={filled} />
    <div class="actions">
      <button class="quiet" type="submit">
        Show
      </button>
    </div>
    <p class="hint">To keep or send this statement, print the page or save it as a PDF.</p>
  </form>
);

const SoldInPeriod = ({ sales, currency, now }: { sales: readonly StoredSale[]; currency: string; now: Date }) => (
  <Table
    caption="Sales"
    items={sales}
    keyOf={({ id }) => id}
    empty="No sales in this period."
    columns={[
      { heading: 'Sale', cell: ({ id, externalId }) => externalId ?? Number(id) },
      { heading: 'Date', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
      { heading: 'Status', isForDesk: true, cell: (sale) => <SaleState {...sale} /> },
      {
        heading: 'Amount',
        isNumber: true,
        cell: (sale) => <Money minor={sale.totalEarnedMinor - sale.refundedAmountMinor} currency={currency} />,
      },
      { heading: 'Rate', isNumber: true, isForDesk: true, cell: (sale) => commissionTerms(sale, currency) },
      {
        heading: 'Commission',
        isNumber: true,
        cell: (sale) => <Money minor={sale.commissionEarnedMinor} currency={currency} />,
      },
      { heading: 'Paid', cell: (sale) => <WhenPaid sale={sale} now={now} /> },
    ]}
  />
);

const incompleteNote = ({ payout, sales }: Statement): string =>
  payout
    ? `This list is incomplete: the payout has ${payout.payout.saleCount} sales, and ${sales.length} are listed. The payout is the full amount.`
    : `This list is incomplete: only the newest ${maxSales} sales are listed and added up. Choose a shorter period.`;

/** For the affiliate, so it does not name customers. */
export const statementView = (
  program: StoredProgram,
  statement: Statement,
  { period, filled }: { period: Period; filled: Filled },
  now: Date,
): View => {
  const { affiliate, payout, isComplete } = statement;
  const { payoutEmail, paymentMethod } = affiliate;
  const currency = payout?.batch.currency ?? program.currency;
  const path = statementPath(program.id, affiliate.id);
  return view(
    'Statement',
    <div class="statement">
      {!payout && <PeriodForm path={path} period={period} filled={filled} />}
      <div class="columns even">
        <Facts
          entries={[
            ['Affiliate', fullName(affiliate), affiliate.email],
            ['Payout to', payoutEmail ?? affiliate.email, paymentMethod && paymentMethodWords[paymentMethod]],
            payout
              ? ['Payout batch', nameOfBatch(payout.batch)]
              : ['Sales period', `${dayText(period.first)} to ${dayText(period.last)}`],
            ['As of', <Time key="now" at={now.toISOString()} />],
          ]}
        />
        <Facts entries={summaryOf(statement, currency, now)} />
      </div>
      {!isComplete && <p class="note warn">{incompleteNote(statement)}</p>}
      <SoldInPeriod sales={statement.sales} currency={currency} now={now} />
    </div>,
    {
      lead: program.name,
      trail: [{ label: fullName(affiliate), path: affiliatePath(program.id, affiliate.id) }],
      status: Object.keys(filled.errors).length > 0 ? 400 : 200,
    },
  );
};
