import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { PromotionalCodeResponse } from '../../domain/promotional-codes/responses.ts';
import type { Page } from '../../platform/table/page.ts';
import { choicesOf, Field, FilterForm, Paging, Select, State, Table, Time, unfilled } from '../controls.tsx';
import type { ListPart } from '../list-part.ts';
import { type View, view } from '../responses.ts';

const states = ['active', 'inactive'] as const;
const words = { active: 'Active', inactive: 'Not active' } as const;

interface Filters {
  code?: string | undefined;
  affiliateEmail?: string | undefined;
  state?: (typeof states)[number] | undefined;
}

const Validity = ({ code: { active, expiresAt }, now }: { code: PromotionalCodeResponse; now: Date }) => {
  if (!active) return <State tone="bad">Not active</State>;
  return expiresAt && expiresAt <= now.toISOString() ? (
    <State tone="bad">Expired</State>
  ) : (
    <State tone="good">Active</State>
  );
};

const uses = ({ timesRedeemed, maxRedemptions }: PromotionalCodeResponse): string =>
  maxRedemptions == null ? String(timesRedeemed) : `${timesRedeemed} of ${maxRedemptions}`;

export const promotionalCodesView = (
  { id: programId }: StoredProgram,
  { code, affiliateEmail, state }: Filters,
  part: ListPart,
  page: Page<PromotionalCodeResponse>,
  now: Date,
): View =>
  view(
    'Promotional codes',
    <>
      <FilterForm action={`/programs/${programId}/promotional-codes`}>
        <Field name="code" label="Code" initial={code ?? ''} filled={unfilled} maxLength={100} />
        <Field
          name="affiliateEmail"
          label="Affiliate’s email"
          initial={affiliateEmail ?? ''}
          filled={unfilled}
          maxLength={254}
          inputMode="email"
        />
        <Select name="state" label="State" options={choicesOf(states, words)} chosen={state} />
      </FilterForm>
      <Table
        caption="Promotional codes"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          code || affiliateEmail || state || part.isFurtherOn || page.next ? (
            'No codes match these filters. Codes are compared exactly, capitals included.'
          ) : (
            <>
              There are no promotional codes yet. Make a coupon, then a code of it with{' '}
              <code>POST /promotional-codes</code>: the <a href="/api/v1/docs">documentation</a> says how.
            </>
          )
        }
        columns={[
          { heading: 'Code', cell: (one) => <code>{one.code}</code> },
          { heading: 'Coupon', cell: ({ coupon }) => coupon.name },
          { heading: 'Affiliate', cell: ({ affiliate }) => affiliate?.email ?? 'None' },
          { heading: 'State', cell: (one) => <Validity code={one} now={now} /> },
          { heading: 'Redeemed', isNumber: true, cell: uses },
          { heading: 'Expires', cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : 'Never') },
          { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      <Paging part={part} next={page.next} />
    </>,
  );
