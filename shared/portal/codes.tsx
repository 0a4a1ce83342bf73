import { bounds } from '../contract/bounds.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { isForPayouts, type StoredCoupon } from '../domain/coupons/rules.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../domain/promotional-codes/rules.ts';
import type { Page } from '../platform/table/page.ts';
import { FormCard } from '../web/components/blocks.tsx';
import { Field, type Filled, Select } from '../web/components/controls.tsx';
import { Copyable } from '../web/components/copyable.tsx';
import { EmptyState, State, Table } from '../web/components/table.tsx';
import { dayText } from '../web/components/time.tsx';
import { Paging } from '../web/lists/list-controls.tsx';
import type { ListPart } from '../web/lists/list-part.ts';
import { discountOf } from '../web/pages/coupons.tsx';
import { type View, view } from '../web/responses.ts';
import type { PortalSession } from '../web/session/portal-session.ts';
import { Standing } from './overview.tsx';
import { sectionPath } from './paths.ts';

export interface OwnCodes {
  page: Page<StoredPromotionalCode>;
  coupons: ReadonlyMap<string, StoredCoupon>;
  mayCreate: boolean;
}

const isUsable = ({ active, expiresAt }: StoredPromotionalCode, now: Date): boolean =>
  active && (expiresAt === null || expiresAt > now.toISOString());

const discountText = (coupon: StoredCoupon | undefined): string => {
  if (!coupon) return 'Deleted';
  return isForPayouts(coupon) ? `${discountOf(coupon)}, for you alone` : discountOf(coupon);
};

export const codesView = (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  part: ListPart,
  { page, coupons, mayCreate }: OwnCodes,
  now: Date,
): View =>
  view(
    'Codes',
    <>
      <Standing status={affiliate.status} />
      <Table
        caption="Codes"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No codes yet">
            {mayCreate ? 'Create a code that your audience can remember.' : 'The program gives you codes here.'}
          </EmptyState>
        }
        columns={[
          { heading: 'Code', isWide: true, cell: ({ code }) => <Copyable text={code} label={code} /> },
          { heading: 'Discount', cell: ({ couponId }) => discountText(coupons.get(couponId)) },
          {
            heading: 'State',
            cell: (code) =>
              isUsable(code, now) ? <State tone="good">Active</State> : <State tone="plain">Inactive</State>,
          },
          { heading: 'Until', cell: ({ expiresAt }) => (expiresAt ? dayText(expiresAt) : 'Unlimited') },
          { heading: 'Redeemed', isNumber: true, cell: ({ timesRedeemed }) => timesRedeemed },
        ]}
      />
      <Paging part={part} next={page.next} />
    </>,
    {
      actions: mayCreate && affiliate.status === 'ACTIVE' && (
        <a class="button" href={`${sectionPath(program, 'codes')}/new`}>
          New code
        </a>
      ),
    },
  );

export const newCodeView = (
  session: PortalSession,
  program: StoredProgram,
  coupons: readonly StoredCoupon[],
  filled: Filled,
): View => {
  const path = sectionPath(program, 'codes');
  if (coupons.length === 0)
    return view('New code', <p class="empty">The program has no offer that affiliates can create codes for.</p>);
  return view(
    'New code',
    <FormCard session={session} action={`${path}/new`} button="Create code" back={path} filled={filled}>
      <Field
        name="code"
        label="Code"
        hint="What customers enter, such as AMARA20. Upper and lower case differ."
        filled={filled}
        required
        maxLength={100}
      />
      <Select
        name="couponId"
        label="Offer"
        hint={`Up to ${bounds.codesOfAffiliateOfCoupon} codes for each offer`}
        options={coupons.map((coupon) => ({ value: coupon.id, label: `${coupon.name}, ${discountOf(coupon)}` }))}
        chosen={undefined}
        filled={filled}
      />
    </FormCard>,
  );
};
