import type { ComponentChildren } from 'preact';
import type { ReviewReason } from '../../contract/review.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { FormToken } from '../components/controls.tsx';
import { useCanEdit } from '../components/role.tsx';
import { type Column, EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { noMatches, Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { type Affiliates, affiliateColumn, amountColumns, customerColumn, heldSalesPath, SaleTabs } from './sales.tsx';

const reasonWords: Readonly<Record<ReviewReason, string>> = {
  SELF_REFERRAL: 'The affiliate is the customer',
  SAME_DOMAIN: 'The customer works with the affiliate',
  BURST: 'Many sales at once',
  REFUND_RATE: 'Many refunds',
};

export const reasonsOf = ({ reviewReasons }: StoredSale): string =>
  reviewReasons.map((reason) => reasonWords[reason]).join(', ');

const reviewWords = {
  HELD: 'Waits for a decision: its commission is not paid before',
  APPROVED: 'Approved',
  REJECTED: 'Rejected: it earns nothing',
} as const;

export const reviewTextOf = ({ reviewStatus }: StoredSale): string | undefined =>
  reviewStatus === null ? undefined : reviewWords[reviewStatus];

const DecisionButtons = () => (
  <>
    <button class="quiet" type="submit" name="action" value="approve">
      Approve
    </button>
    <button class="quiet danger" type="submit" name="action" value="reject">
      Reject
    </button>
  </>
);

/** Leads to the list, where the next one is. */
export const Decision = (props: { session: Session; programId: string; sale: StoredSale }) =>
  useCanEdit() && props.sale.reviewStatus === 'HELD' ? (
    <div class="card form">
      <form class="form" method="post" action={heldSalesPath(props.programId)}>
        <FormToken session={props.session} />
        <input type="hidden" name={String(Number(props.sale.id))} value="on" />
        <p>
          This sale is held for review: <strong>{reasonsOf(props.sale)}</strong>. A rejected sale earns nothing, which
          cannot be undone.
        </p>
        <div class="form-actions">
          <DecisionButtons />
        </div>
      </form>
    </div>
  ) : null;

const Choice = ({ sale }: { sale: StoredSale }) => {
  const number = String(Number(sale.id));
  return useCanEdit() ? (
    <>
      <input type="checkbox" id={number} name={number} />
      <label for={number} class="unseen">
        Select sale {number}
      </label>
    </>
  ) : null;
};

const columnsOf = (program: StoredProgram, affiliates: Affiliates): readonly Column<StoredSale>[] => {
  const customer = customerColumn(program);
  return [
    {
      heading: customer.heading,
      cell: (sale) => (
        <div class="pick">
          <Choice sale={sale} />
          <div>{customer.cell(sale)}</div>
        </div>
      ),
    },
    affiliateColumn(affiliates),
    { heading: 'Held because', isWide: true, cell: reasonsOf },
    ...amountColumns(program),
    { heading: 'Date', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
  ];
};

const HeldSales = (props: { session: Session; action: string; isEmpty: boolean; children: ComponentChildren }) =>
  useCanEdit() ? (
    <form method="post" action={props.action}>
      <FormToken session={props.session} />
      {props.children}
      {!props.isEmpty && (
        <div class="bulk-bar">
          <span class="hint">Selected sales:</span>
          <DecisionButtons />
          <span class="hint">Final: rejected sales earn nothing.</span>
        </div>
      )}
    </form>
  ) : (
    <div>{props.children}</div>
  );

export const heldSalesView = (
  { session, program }: { session: Session; program: StoredProgram },
  part: ListPart,
  page: Page<StoredSale>,
  affiliates: Affiliates,
): View => {
  const table = (
    <Table
      caption="Held sales"
      items={page.items}
      keyOf={({ id }) => id}
      empty={
        part.isFurtherOn || page.next ? (
          noMatches('sales', page.next)
        ) : (
          <EmptyState title="No sales to review">
            Sales appear here that a rule of this program holds. An owner chooses the rules in the settings.
          </EmptyState>
        )
      }
      columns={columnsOf(program, affiliates)}
    />
  );
  return view(
    'Review',
    <>
      <SaleTabs programId={program.id} current={heldSalesPath(program.id)} />
      <HeldSales session={session} action={part.first} isEmpty={page.items.length === 0}>
        {table}
      </HeldSales>
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
  );
};
