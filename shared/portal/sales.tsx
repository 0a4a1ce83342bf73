import type { StoredProgram } from '../domain/programs/repository.ts';
import type { StoredSale } from '../domain/sales/rules.ts';
import type { Page } from '../platform/table/page.ts';
import { Money } from '../web/components/money.tsx';
import { EmptyState, Table } from '../web/components/table.tsx';
import { Time } from '../web/components/time.tsx';
import { Paging } from '../web/lists/list-controls.tsx';
import type { ListPart } from '../web/lists/list-part.ts';
import { WhenPaid } from '../web/pages/on-hold.tsx';
import { SaleState } from '../web/pages/sales.tsx';
import { type View, view } from '../web/responses.ts';
import { shortenedEmail } from './shortened-email.ts';

/** What an affiliate may know of sales: no name, no whole email, no note. */
export const SalesTable = (props: { sales: readonly StoredSale[]; currency: string; now: Date; empty?: string }) => (
  <Table
    caption="Sales"
    items={props.sales}
    keyOf={({ id }) => id}
    empty={
      props.empty ?? (
        <EmptyState title="No sales yet">Sales that your links and codes bring appear here within seconds.</EmptyState>
      )
    }
    columns={[
      { heading: 'Date', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
      { heading: 'Customer', cell: ({ email }) => shortenedEmail(email) },
      { heading: 'Status', cell: (sale) => <SaleState {...sale} /> },
      {
        heading: 'Amount',
        isNumber: true,
        cell: (sale) => <Money minor={sale.totalEarnedMinor - sale.refundedAmountMinor} currency={props.currency} />,
      },
      {
        heading: 'Commission',
        isNumber: true,
        cell: (sale) => <Money minor={sale.commissionEarnedMinor} currency={props.currency} />,
      },
      { heading: 'Paid', cell: (sale) => <WhenPaid sale={sale} now={props.now} /> },
    ]}
  />
);

export const salesView = ({ currency }: StoredProgram, part: ListPart, page: Page<StoredSale>, now: Date): View =>
  view(
    'Sales',
    <>
      <SalesTable sales={page.items} currency={currency} now={now} />
      <Paging part={part} next={page.next} />
    </>,
  );
