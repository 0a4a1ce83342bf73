import { couponTypes } from '../../contract/coupons.ts';
import type { PageQuery } from '../../contract/page.ts';
import type { showCoupons } from '../../contract/pages/coupons.ts';
import { isRedeemable, type StoredCoupon } from '../../domain/coupons/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { LinkButton, Tabs } from '../components/blocks.tsx';
import { choicesOf, Field, FilterForm, MoreFilters, PeriodFields, Select, unfilled } from '../components/controls.tsx';
import { moneyText } from '../components/money.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import { ImportButton } from './imports.tsx';

export const codesPath = (programId: string): string => `/programs/${programId}/promotional-codes`;
export const couponsPath = (programId: string): string => `/programs/${programId}/coupons`;
export const couponPath = (programId: string, couponId: string): string => `${couponsPath(programId)}/${couponId}`;

export const typeWords = { PERCENTAGE: 'Percentage', FLAT: 'Fixed amount' } as const;

export const discountOf = ({
  percentOff,
  amountOffMinor,
  currency,
}: Pick<StoredCoupon, 'percentOff' | 'amountOffMinor' | 'currency'>): string =>
  percentOff === null ? `${moneyText(amountOffMinor ?? 0, currency ?? 'USD')} off` : `${percentOff} % off`;

/** What a code is that pays an affiliate, such as `Store credit of $25.50`. docs/behavior.md#payouts-in-coupons */
export const rewardOf = (coupon: StoredCoupon, amountMinor: bigint | number, currency: string): string =>
  coupon.couponType === 'FLAT'
    ? `${coupon.name} of ${moneyText(amountMinor, currency)}`
    : `${coupon.name}, ${discountOf(coupon)}`;

export const durationOf = ({ duration, durationInMonths }: StoredCoupon): string => {
  if (duration === 'repeating') return `For ${durationInMonths} ${durationInMonths === 1 ? 'month' : 'months'}`;
  return duration === 'once' ? 'Once' : 'Forever';
};

export const usesOf = ({
  timesRedeemed,
  maxRedemptions,
}: {
  timesRedeemed: number;
  maxRedemptions: number | null;
}): string => (maxRedemptions === null ? String(timesRedeemed) : `${timesRedeemed} of ${maxRedemptions}`);

export const CouponState = ({ coupon, now }: { coupon: StoredCoupon; now: Date }) => {
  if (!coupon.enabled) return <State tone="plain">Inactive</State>;
  return isRedeemable(coupon, now) ? <State tone="good">Valid</State> : <State tone="warn">Used up or expired</State>;
};

export const CodeTabs = ({ programId, current }: { programId: string; current: string }) => (
  <Tabs
    label="Codes and coupons"
    current={current}
    tabs={[
      ['Codes', codesPath(programId)],
      ['Coupons', couponsPath(programId)],
    ]}
  />
);

type Filters = PageQuery<typeof showCoupons>;

const NewCoupon = ({ programId }: { programId: string }) => (
  <LinkButton to={`${couponsPath(programId)}/new`}>New coupon</LinkButton>
);

const None = ({ programId }: { programId: string }) => (
  <EmptyState
    title="Create your first coupon"
    action={
      <div class="actions centered">
        <NewCoupon programId={programId} />
        <ImportButton programId={programId} kind="coupons" />
      </div>
    }
  >
    A coupon defines a discount, such as 20 % off. Every code that affiliates share belongs to a coupon.
  </EmptyState>
);

export const couponsView = (
  programId: string,
  { name, couponType, from, to, sort }: Filters,
  part: ListPart,
  page: Page<StoredCoupon>,
  now: Date,
): View => {
  const isFiltered = Boolean(name || couponType || from || to || part.isFurtherOn || page.next);
  return view(
    'Coupons',
    <>
      <CodeTabs programId={programId} current={couponsPath(programId)} />
      <FilterForm action={couponsPath(programId)} csv={part.csv}>
        <Field name="name" label="Exact name" initial={name ?? ''} filled={unfilled} maxLength={200} isWide />
        <MoreFilters used={[couponType, from, to, sort]}>
          <Select name="couponType" label="Discount" options={choicesOf(couponTypes, typeWords)} chosen={couponType} />
          <PeriodFields from={from} to={to} />
          <SortField sort={sort} />
        </MoreFilters>
      </FilterForm>
      <Table
        caption="Coupons"
        items={page.items}
        keyOf={({ id }) => id}
        empty={isFiltered ? noMatches('coupons', page.next) : <None programId={programId} />}
        columns={[
          {
            heading: 'Coupon',
            cell: (coupon) => (
              <a class="row-link" href={couponPath(programId, coupon.id)}>
                {coupon.name}
              </a>
            ),
          },
          { heading: 'Discount', cell: discountOf },
          { heading: 'Applies', isForDesk: true, cell: durationOf },
          { heading: 'State', cell: (coupon) => <CouponState coupon={coupon} now={now} /> },
          { heading: 'Redeemed', isNumber: true, cell: usesOf },
          { heading: 'Created', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { actions: (isFiltered || page.items.length > 0) && <NewCoupon programId={programId} /> },
  );
};
