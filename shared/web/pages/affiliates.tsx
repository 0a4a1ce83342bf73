import { affiliateStatuses } from '../../contract/affiliates.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { AffiliateWithTotals } from '../../domain/affiliates/totals.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { choicesOf, Field, FilterForm, Paging, Select, State, Table, Time, unfilled } from '../controls.tsx';
import type { ListPart } from '../list-part.ts';
import { Money } from '../money.tsx';
import { type View, view } from '../responses.ts';

const words = { ACTIVE: 'Active', INACTIVE: 'Inactive', BANNED: 'Banned' } as const;
const tones = { ACTIVE: 'good', INACTIVE: 'plain', BANNED: 'bad' } as const;

interface Filters {
  search?: string | undefined;
  status?: StoredAffiliate['status'] | undefined;
}

export const affiliatesView = (
  { id: programId, currency, commissionRate }: StoredProgram,
  { search, status }: Filters,
  part: ListPart,
  page: Page<AffiliateWithTotals>,
): View =>
  view(
    'Affiliates',
    <>
      <FilterForm action={`/programs/${programId}/affiliates`}>
        <Field
          name="search"
          label="Name or email begins with"
          initial={search ?? ''}
          filled={unfilled}
          maxLength={100}
        />
        <Select name="status" label="Status" options={choicesOf(affiliateStatuses, words)} chosen={status} />
      </FilterForm>
      <Table
        caption="Affiliates"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          search || status || part.isFurtherOn || page.next ? (
            'No affiliates match these filters.'
          ) : (
            <>
              There are no affiliates yet. Make the first with <code>POST /affiliates</code>: the{' '}
              <a href="/api/v1/docs">documentation</a> says how.
            </>
          )
        }
        columns={[
          { heading: 'Name', cell: fullName },
          { heading: 'Email', cell: ({ email }) => email },
          { heading: 'Status', cell: (one) => <State tone={tones[one.status]}>{words[one.status]}</State> },
          { heading: 'Rate', isNumber: true, cell: (one) => `${one.commissionRate ?? commissionRate} %` },
          { heading: 'Referred', isNumber: true, cell: (one) => one.numberOfReferredUsers },
          {
            heading: 'Revenue',
            isNumber: true,
            cell: (one) => <Money minor={one.totalRevenueMinor} currency={currency} />,
          },
          {
            heading: 'Earned',
            isNumber: true,
            cell: (one) => <Money minor={one.totalCommissionEarnedMinor} currency={currency} />,
          },
          {
            heading: 'Paid',
            isNumber: true,
            cell: (one) => <Money minor={one.totalCommissionPaidMinor} currency={currency} />,
          },
          { heading: 'Since', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={page.next} />
    </>,
  );
