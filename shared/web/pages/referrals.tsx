import type { PageQuery } from '../../contract/page.ts';
import type { showReferrals } from '../../contract/pages/referrals.ts';
import { subscriptionStatuses } from '../../contract/referrals.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { LinkButton } from '../components/blocks.tsx';
import { choicesOf, Field, FilterForm, MoreFilters, PeriodFields, Select, unfilled } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { AffiliateField } from '../forms/affiliate-choice.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import { ImportButton } from './imports.tsx';
import { type Affiliates, nameOfAffiliate } from './sales.tsx';

export const referralsPath = (programId: string): string => `/programs/${programId}/referrals`;
export const referralPath = (programId: string, referralId: string): string =>
  `${referralsPath(programId)}/${referralId}`;

export const statusWords = { ACTIVE: 'Active', SUBMITTED: 'Submitted', DECLINED: 'Declined' } as const;
const tones = { ACTIVE: 'good', SUBMITTED: 'warn', DECLINED: 'bad' } as const;

export const ReferralState = ({ status }: { status: StoredReferral['subscriptionStatus'] }) => (
  <State tone={tones[status]}>{statusWords[status]}</State>
);

type Filters = PageQuery<typeof showReferrals>;

const NewReferral = ({ programId }: { programId: string }) => (
  <LinkButton to={`${referralsPath(programId)}/new`}>New referral</LinkButton>
);

const ReferralFilters = ({ programId, filters, csv }: { programId: string; filters: Filters; csv: string }) => (
  <FilterForm action={referralsPath(programId)} csv={csv}>
    <Field
      name="email"
      label="Email begins with"
      initial={filters.email ?? ''}
      filled={unfilled}
      maxLength={254}
      inputMode="email"
    />
    <MoreFilters used={[filters.affiliateEmail, filters.status, filters.from, filters.to, filters.sort]}>
      <AffiliateField programId={programId} choice={{ initial: filters.affiliateEmail }} filled={unfilled} />
      <Select
        name="status"
        label="Status"
        options={choicesOf(subscriptionStatuses, statusWords)}
        chosen={filters.status}
      />
      <PeriodFields from={filters.from} to={filters.to} />
      <SortField orders={['oldest', 'email']} sort={filters.sort} hasSearch />
    </MoreFilters>
  </FilterForm>
);

const None = ({ programId }: { programId: string }) => (
  <EmptyState
    title="No referrals yet"
    action={
      <div class="actions centered">
        <NewReferral programId={programId} />
        <ImportButton programId={programId} kind="referrals" />
      </div>
    }
  >
    A referral is a person whom an affiliate sent to you. What they buy is credited to that affiliate.
  </EmptyState>
);

export const referralsView = (
  { id: programId, currency }: StoredProgram,
  filters: Filters,
  part: ListPart,
  page: Page<StoredReferral>,
  affiliates: Affiliates,
): View => {
  const isFiltered = Object.values(filters).some(Boolean) || part.isFurtherOn || page.next !== undefined;
  return view(
    'Referrals',
    <>
      <ReferralFilters programId={programId} filters={filters} csv={part.csv} />
      <Table
        caption="Referrals"
        items={page.items}
        keyOf={({ id }) => id}
        empty={isFiltered ? noMatches('referrals', page.next) : <None programId={programId} />}
        columns={[
          {
            heading: 'Person',
            cell: ({ id, name, email }) => (
              <>
                <a class="row-link" href={referralPath(programId, id)}>
                  {name}
                </a>
                <div class="hint email">{email}</div>
              </>
            ),
          },
          { heading: 'Affiliate', cell: ({ affiliateId }) => nameOfAffiliate(affiliates, affiliateId) },
          { heading: 'Status', cell: (one) => <ReferralState status={one.subscriptionStatus} /> },
          { heading: 'Plan', isForDesk: true, cell: ({ plan }) => plan },
          {
            heading: 'Revenue',
            isNumber: true,
            cell: ({ totalRevenueMinor }) => <Money minor={totalRevenueMinor} currency={currency} />,
          },
          { heading: 'Created', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { actions: (isFiltered || page.items.length > 0) && <NewReferral programId={programId} /> },
  );
};

export interface ReferralWithAffiliate {
  referral: StoredReferral;
  affiliate: StoredAffiliate | undefined;
}
