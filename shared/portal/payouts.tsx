import { paymentMethodWords } from '../contract/payment-methods.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { fullName } from '../domain/affiliates/rules.ts';
import { saleParts, worthOf } from '../domain/payouts/parts/parts.ts';
import type { PayoutOfAffiliate } from '../domain/payouts/payouts-of-affiliate.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { StoredSale } from '../domain/sales/rules.ts';
import type { Page } from '../platform/table/page.ts';
import { type Entry, Facts } from '../web/components/blocks.tsx';
import { dayOf } from '../web/components/days.ts';
import { Money } from '../web/components/money.tsx';
import { EmptyState, Table } from '../web/components/table.tsx';
import { Time } from '../web/components/time.tsx';
import { Paging } from '../web/lists/list-controls.tsx';
import type { ListPart } from '../web/lists/list-part.ts';
import { nameOfBatch } from '../web/pages/payout-batches.tsx';
import { type View, view } from '../web/responses.ts';
import { sectionPath } from './paths.ts';
import { SalesTable } from './sales.tsx';

const PaidOn = ({ batch: { paidAt } }: Pick<PayoutOfAffiliate, 'batch'>) =>
  paidAt ? <Time at={paidAt} to="day" /> : <>Not yet</>;

export const payoutsView = (program: StoredProgram, part: ListPart, page: Page<PayoutOfAffiliate>): View =>
  view(
    'Payouts',
    <>
      <Table
        caption="Payouts"
        items={page.items}
        keyOf={({ batch }) => batch.id}
        empty={
          page.next || part.isFurtherOn ? (
            'No payouts to you in this part of the list.'
          ) : (
            <EmptyState title="No payouts yet">What you are paid appears here, with a statement to print.</EmptyState>
          )
        }
        columns={[
          {
            heading: 'Payout',
            cell: ({ batch }) => (
              <a class="row-link" href={`${sectionPath(program, 'payouts')}/${batch.id}?to=${dayOf(batch.periodEnd)}`}>
                {nameOfBatch(batch)}
              </a>
            ),
          },
          {
            heading: 'Amount',
            isNumber: true,
            cell: ({ batch, amountMinor }) => <Money minor={amountMinor} currency={batch.currency} />,
          },
          { heading: 'Sales', isNumber: true, cell: ({ saleCount }) => saleCount },
          { heading: 'Paid', cell: ({ batch }) => <PaidOn batch={batch} /> },
        ]}
      />
      <Paging part={part} next={page.next} />
    </>,
  );

/** What the amount has besides the sales, which are added up where the page lists all of them. */
const adjustmentsEntry = (
  { batch, amountMinor, saleCount, adjustmentCount }: PayoutOfAffiliate,
  listed: readonly StoredSale[],
): Entry => {
  const label = 'Adjustments for earlier refunds';
  if (adjustmentCount === 0) return [label, false];
  if (listed.length !== saleCount) return [label, String(adjustmentCount), 'They are in the amount'];
  return [label, <Money key={label} minor={amountMinor - worthOf(saleParts, listed)} currency={batch.currency} />];
};

export const statementView = (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  payout: PayoutOfAffiliate,
  { part, sales }: { part: ListPart; sales: Page<StoredSale> },
  now: Date,
): View => {
  const { batch, amountMinor, saleCount, promotionalCode } = payout;
  const { paymentMethod, payoutEmail, email } = affiliate;
  return view(
    'Statement',
    <div class="statement">
      <div class="columns even">
        <Facts
          entries={[
            ['Affiliate', fullName(affiliate), email],
            ['Payout details now', payoutEmail ?? email, paymentMethod && paymentMethodWords[paymentMethod]],
            ['Payout', nameOfBatch(batch)],
            ['As of', <Time key="now" at={now.toISOString()} />],
          ]}
        />
        <Facts
          entries={[
            ['Amount', <Money key="amount" minor={amountMinor} currency={batch.currency} />],
            ['Sales', String(saleCount)],
            adjustmentsEntry(payout, sales.items),
            ['Paid', <PaidOn key="paid" batch={batch} />],
            ['Paid by code', promotionalCode && <code>{promotionalCode.code}</code>, 'Only you can redeem it, once'],
          ]}
        />
      </div>
      <SalesTable
        sales={sales.items}
        currency={batch.currency}
        now={now}
        empty="The sales of this payout are on the next pages."
      />
      <Paging part={part} next={sales.next} />
      <p class="hint">
        To keep this statement, print {part.isFurtherOn || sales.next ? 'each page' : 'the page'} or save it as a PDF.
      </p>
    </div>,
    { lead: program.name },
  );
};
