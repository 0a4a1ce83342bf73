import type { ReviewReason } from '../../contract/review.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { LinkButton } from '../components/blocks.tsx';
import { FormToken } from '../components/controls.tsx';
import { useCanEdit } from '../components/role.tsx';
import { type Column, EmptyState, Table } from '../components/table.tsx';
import { capitalized } from '../components/text.tsx';
import { Time } from '../components/time.tsx';
import { Choice, ChosenRecords } from '../lists/chosen-records.tsx';
import { noMatches, Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { type Affiliates, affiliateColumn, amountColumns, customerColumn, heldSalesPath, SaleTabs } from './sales.tsx';

const reasonWords: Readonly<Record<ReviewReason, string>> = {
  SELF_REFERRAL: 'the affiliate is the customer',
  SAME_DOMAIN: 'the customer works with the affiliate',
  BURST: 'many sales at once',
  REFUND_RATE: 'many refunds',
};

export const reasonsOf = ({ reviewReasons }: StoredSale): string =>
  capitalized(reviewReasons.map((reason) => reasonWords[reason]).join('; '));

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

const columnsOf = (program: StoredProgram, affiliates: Affiliates): readonly Column<StoredSale>[] => {
  const customer = customerColumn(program);
  return [
    {
      heading: customer.heading,
      cell: (sale) => {
        const number = Number(sale.id);
        return (
          <div class="pick">
            <Choice id={`${number}`}>sale {number}</Choice>
            <div>{customer.cell(sale)}</div>
          </div>
        );
      },
    },
    affiliateColumn(affiliates),
    { heading: 'Held because', isWide: true, cell: reasonsOf },
    ...amountColumns(program),
    { heading: 'Date', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
  ];
};

const NothingHeld = ({ programId }: { programId: string }) => (
  <EmptyState
    title="No sales to review"
    action={
      <LinkButton quiet needs="OWNER" to={`/programs/${programId}/settings`}>
        Choose the rules
      </LinkButton>
    }
  >
    Sales that a rule of this program holds are listed here, until someone approves or rejects them.
  </EmptyState>
);

export const heldSalesView = (
  { session, program }: { session: Session; program: StoredProgram },
  part: ListPart,
  page: Page<StoredSale>,
  affiliates: Affiliates,
): View => {
  const isEmpty = page.items.length === 0;
  return view(
    'Review',
    <>
      <SaleTabs programId={program.id} current={heldSalesPath(program.id)} />
      <ChosenRecords
        session={session}
        action={part.first}
        records="sales"
        isEmpty={isEmpty}
        buttons={<DecisionButtons />}
      >
        <Table
          caption="Held sales"
          items={page.items}
          keyOf={({ id }) => id}
          empty={part.isFurtherOn || page.next ? noMatches('sales', page.next) : <NothingHeld programId={program.id} />}
          columns={columnsOf(program, affiliates)}
        />
      </ChosenRecords>
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { lead: !isEmpty && 'The commission of an approved sale can be paid. A rejected sale earns nothing, for good.' },
  );
};
