import type { PageQuery } from '../../contract/page.ts';
import type { showPromotionalCodes } from '../../contract/pages/promotional-codes.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { PromotionalCodeResponse } from '../../domain/promotional-codes/responses.ts';
import type { Page } from '../../platform/table/page.ts';
import { LinkButton } from '../components/blocks.tsx';
import { choicesOf, Field, FilterForm, MoreFilters, PeriodFields, Select, unfilled } from '../components/controls.tsx';
import { type Column, EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { AffiliateField } from '../forms/affiliate-choice.tsx';
import { Choice, ChosenRecords } from '../lists/chosen-records.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { CodeTabs, codesPath, couponPath, couponsPath, usesOf } from './coupons.tsx';
import { ImportButton } from './imports.tsx';

const states = ['active', 'inactive'] as const;
const words = { active: 'Active', inactive: 'Inactive' } as const;

type Filters = PageQuery<typeof showPromotionalCodes>;

export const codePath = (programId: string, codeId: string): string => `${codesPath(programId)}/${codeId}`;

export const CodeState = ({
  code: { active, expiresAt },
  now,
}: {
  code: { active: boolean; expiresAt: string | null };
  now: Date;
}) => {
  if (!active) return <State tone="plain">Inactive</State>;
  return expiresAt && expiresAt <= now.toISOString() ? (
    <State tone="warn">Expired</State>
  ) : (
    <State tone="good">Active</State>
  );
};

/** The name of a coupon is null where it would take another round trip. */
export type ListedCode = Pick<
  PromotionalCodeResponse,
  'id' | 'code' | 'active' | 'expiresAt' | 'timesRedeemed' | 'maxRedemptions'
> & {
  coupon: { id: string; name: string | null };
  affiliate: { id: string; email: string } | null;
};

/** The tick boxes belong to the form around the table. */
const columnsOf = (programId: string, now: Date): readonly Column<ListedCode>[] => [
  {
    heading: 'Code',
    cell: ({ id, code }) => (
      <span class="pick">
        <Choice id={id}>{code}</Choice>
        <a class="row-link" href={codePath(programId, id)}>
          <code>{code}</code>
        </a>
      </span>
    ),
  },
  {
    heading: 'Coupon',
    isForDesk: true,
    cell: ({ coupon }) => <a href={couponPath(programId, coupon.id)}>{coupon.name ?? 'Older coupon'}</a>,
  },
  {
    heading: 'Affiliate',
    isWide: true,
    cell: ({ affiliate }) =>
      affiliate ? (
        <a class="email" href={affiliatePath(programId, affiliate.id)}>
          {affiliate.email}
        </a>
      ) : (
        'None'
      ),
  },
  { heading: 'State', cell: (one) => <CodeState code={one} now={now} /> },
  { heading: 'Redeemed', isNumber: true, cell: usesOf },
  {
    heading: 'Expires',
    isForDesk: true,
    cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} to="day" /> : 'Never'),
  },
];

const ActivationButtons = () => (
  <>
    <button class="quiet" type="submit" name="action" value="activate">
      Activate
    </button>
    <button class="quiet" type="submit" name="action" value="deactivate">
      Deactivate
    </button>
  </>
);

const NoCodes = ({ programId }: { programId: string }) => (
  <EmptyState
    title="No codes yet"
    action={
      <div class="actions centered">
        <LinkButton to={`${codesPath(programId)}/new`}>New code</LinkButton>
        <ImportButton programId={programId} kind="codes" />
        <LinkButton needs="VIEWER" quiet to={couponsPath(programId)}>
          View coupons
        </LinkButton>
      </div>
    }
  >
    Customers enter a code at the checkout to get the discount of its coupon. The affiliate whose code it is earns the
    commission.
  </EmptyState>
);

const CodeFilters = ({ programId, filters, csv }: { programId: string; filters: Filters; csv: string }) => (
  <FilterForm action={codesPath(programId)} csv={csv}>
    <Field name="code" label="Code begins with" initial={filters.code ?? ''} filled={unfilled} maxLength={100} />
    <MoreFilters used={[filters.affiliateEmail, filters.state, filters.from, filters.to, filters.sort]}>
      <AffiliateField programId={programId} choice={{ initial: filters.affiliateEmail }} filled={unfilled} />
      <Select name="state" label="State" options={choicesOf(states, words)} chosen={filters.state} />
      <PeriodFields from={filters.from} to={filters.to} />
      <SortField orders={['oldest', 'code']} sort={filters.sort} hasSearch />
    </MoreFilters>
  </FilterForm>
);

export const promotionalCodesView = (
  { session, program: { id: programId } }: { session: Session; program: StoredProgram },
  filters: Filters,
  part: ListPart,
  page: Page<ListedCode>,
  now: Date,
): View => {
  const isFiltered = Object.values(filters).some(Boolean) || part.isFurtherOn || page.next !== undefined;
  return view(
    'Codes',
    <>
      <CodeTabs programId={programId} current={codesPath(programId)} />
      <CodeFilters programId={programId} filters={filters} csv={part.csv} />
      <ChosenRecords
        session={session}
        action={part.first}
        records="codes"
        isEmpty={page.items.length === 0}
        buttons={<ActivationButtons />}
      >
        <Table
          caption="Codes"
          items={page.items}
          keyOf={({ id }) => id}
          empty={
            isFiltered ? (
              `${noMatches('codes', page.next)} Codes are case-sensitive.`
            ) : (
              <NoCodes programId={programId} />
            )
          }
          columns={columnsOf(programId, now)}
        />
      </ChosenRecords>
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    {
      actions: (isFiltered || page.items.length > 0) && (
        <>
          <LinkButton quiet to={`${codesPath(programId)}/bulk`}>
            Add many
          </LinkButton>
          <LinkButton to={`${codesPath(programId)}/new`}>New code</LinkButton>
        </>
      ),
    },
  );
};
