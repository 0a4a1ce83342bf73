import type { PageQuery } from '../../contract/page.ts';
import type { showLinks } from '../../contract/pages/links.ts';
import type { StoredLink } from '../../domain/affiliates/link-rules.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { Field, FilterForm, MoreFilters, PeriodFields, unfilled } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { AffiliateField } from '../forms/affiliate-choice.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import { AffiliateTabs, affiliatePath } from './affiliates.tsx';
import { linkPath } from './link-path.ts';

export const linksPath = (programId: string): string => `/programs/${programId}/links`;

export interface LinkOfAffiliate {
  link: StoredLink;
  affiliate: StoredAffiliate | undefined;
}

type Filters = PageQuery<typeof showLinks>;

export const linksView = (
  { id: programId, currency }: StoredProgram,
  { search, affiliateEmail, from, to, sort }: Filters,
  part: ListPart,
  page: Page<LinkOfAffiliate>,
): View => {
  const isFiltered = Boolean(search || affiliateEmail || from || to || part.isFurtherOn || page.next);
  return view(
    'Links',
    <>
      <AffiliateTabs programId={programId} current={linksPath(programId)} />
      <FilterForm action={linksPath(programId)} csv={part.csv}>
        <Field name="search" label="Link begins with" initial={search ?? ''} filled={unfilled} maxLength={100} />
        <MoreFilters used={[affiliateEmail, from, to, sort]}>
          <AffiliateField programId={programId} choice={{ initial: affiliateEmail }} filled={unfilled} />
          <PeriodFields from={from} to={to} />
          <SortField orders={['oldest', 'link']} sort={sort} hasSearch />
        </MoreFilters>
      </FilterForm>
      <Table
        caption="Links"
        items={page.items}
        keyOf={({ link }) => link.id}
        empty={
          isFiltered ? (
            noMatches('links', page.next)
          ) : (
            <EmptyState title="No links yet">Every affiliate gets a link. Add more on the affiliate’s page.</EmptyState>
          )
        }
        columns={[
          {
            heading: 'Link',
            cell: ({ link }) => (
              <a class="row-link" href={linkPath(programId, link.id)}>
                {link.link}
              </a>
            ),
          },
          {
            heading: 'Affiliate',
            cell: ({ affiliate }) =>
              affiliate ? <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a> : 'Deleted',
          },
          { heading: 'Referrals', isNumber: true, cell: ({ link }) => link.referrals },
          { heading: 'Sales', isNumber: true, cell: ({ link }) => link.sales },
          {
            heading: 'Revenue',
            isNumber: true,
            cell: ({ link }) => <Money minor={link.totalRevenueMinor} currency={currency} />,
          },
          { heading: 'Created', isForDesk: true, cell: ({ link }) => <Time at={link.createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
  );
};
