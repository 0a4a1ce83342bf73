import { saleStatuses } from '../../contract/sales.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import {
  type Column,
  choicesOf,
  Field,
  FilterForm,
  Paging,
  Select,
  State,
  Table,
  Time,
  unfilled,
} from '../controls.tsx';
import type { ListPart } from '../list-part.ts';
import { Money } from '../money.tsx';
import { type View, view } from '../responses.ts';

const words = { ACTIVE: 'Active', REFUNDED: 'Refunded', PARTIALLY_REFUNDED: 'Partly refunded' } as const;
const tones = { ACTIVE: 'good', REFUNDED: 'bad', PARTIALLY_REFUNDED: 'warn' } as const;

interface Filters {
  reference?: string | undefined;
  affiliateEmail?: string | undefined;
  status?: StoredSale['status'] | undefined;
}

const payoutOf = ({ paidAt, payoutBatchId }: StoredSale) => {
  if (paidAt) return <Time at={paidAt} to="day" />;
  return payoutBatchId ? 'In a batch' : 'Not yet';
};

/** `affiliates`, by id, is left out where all sales are of one. */
export const saleColumns = (
  { currency }: StoredProgram,
  affiliates?: ReadonlyMap<string, StoredAffiliate>,
): readonly Column<StoredSale>[] => {
  const affiliateOf = ({ affiliateId }: StoredSale) => {
    const affiliate = affiliates?.get(affiliateId ?? '');
    return affiliate ? fullName(affiliate) : 'None';
  };
  return [
    { heading: 'Sale', cell: ({ id }) => <span class="whole">{Number(id)}</span> },
    { heading: 'Customer', cell: ({ name, email }) => [name, email].filter(Boolean).join(', ') || 'Unknown' },
    ...(affiliates ? [{ heading: 'Affiliate', cell: affiliateOf }] : []),
    {
      heading: 'Amount',
      isNumber: true,
      cell: (sale) => <Money minor={sale.totalEarnedMinor} currency={currency} />,
    },
    {
      heading: 'Commission',
      isNumber: true,
      cell: (sale) => <Money minor={sale.commissionEarnedMinor} currency={currency} />,
    },
    { heading: 'Status', cell: (sale) => <State tone={tones[sale.status]}>{words[sale.status]}</State> },
    { heading: 'Paid out', isForDesk: true, cell: payoutOf },
    { heading: 'Made', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
  ];
};

/** A part of a program's sales. `affiliates` has those that the sales are credited to, by id. */
export const salesView = (
  program: StoredProgram,
  { reference, affiliateEmail, status }: Filters,
  part: ListPart,
  page: Page<StoredSale>,
  affiliates: ReadonlyMap<string, StoredAffiliate>,
): View =>
  view(
    'Sales',
    <>
      <FilterForm action={`/programs/${program.id}/sales`}>
        <Field
          name="reference"
          label="Sale, external or invoice id"
          initial={reference ?? ''}
          filled={unfilled}
          maxLength={255}
        />
        <Field
          name="affiliateEmail"
          label="Affiliate’s email"
          initial={affiliateEmail ?? ''}
          filled={unfilled}
          maxLength={254}
          inputMode="email"
        />
        <Select name="status" label="Status" options={choicesOf(saleStatuses, words)} chosen={status} />
      </FilterForm>
      <Table
        caption="Sales"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          reference || affiliateEmail || status || part.isFurtherOn || page.next ? (
            'No sales match these filters.'
          ) : (
            <>
              There are no sales yet. Record the first with <code>POST /sales</code>: the{' '}
              <a href="/api/v1/docs">documentation</a> says how.
            </>
          )
        }
        columns={saleColumns(program, affiliates)}
      />
      <Paging part={part} next={page.next} />
    </>,
  );
