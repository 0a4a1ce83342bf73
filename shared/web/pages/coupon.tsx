import type * as z from 'zod';
import type { Coupon } from '../../contract/coupons.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { EditAndDelete, Facts, LinkButton, Section } from '../components/blocks.tsx';
import { Copyable } from '../components/copyable.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type DetailsOf, detailEntries, leftOut } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import { CouponState, codesPath, couponPath, couponsPath, discountOf, durationOf, usesOf } from './coupons.tsx';
import { CodeState, codePath } from './promotional-codes.tsx';

const CodesOfCoupon = (props: {
  programId: string;
  coupon: StoredCoupon;
  part: ListPart;
  page: Page<StoredPromotionalCode>;
  now: Date;
}) => {
  const { programId, coupon, part, page, now } = props;
  const add = `${codesPath(programId)}/new?couponId=${coupon.id}`;
  return (
    <Section
      heading="Codes"
      actions={
        page.items.length > 0 && (
          <>
            <LinkButton quiet to={`${codesPath(programId)}/bulk?couponId=${coupon.id}`}>
              Add many
            </LinkButton>
            <LinkButton to={add}>New code</LinkButton>
          </>
        )
      }
    >
      <Table
        caption="Codes"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title="No codes yet"
            action={
              <div class="actions centered">
                <LinkButton to={add}>New code</LinkButton>
                <LinkButton quiet to={`${codesPath(programId)}/bulk?couponId=${coupon.id}`}>
                  Add many
                </LinkButton>
              </div>
            }
          >
            Customers enter a code to get {discountOf(coupon)}. Give each affiliate their own.
          </EmptyState>
        }
        columns={[
          {
            heading: 'Code',
            cell: ({ id, code }) => (
              <a class="row-link" href={codePath(programId, id)}>
                <code>{code}</code>
              </a>
            ),
          },
          { heading: 'State', cell: (code) => <CodeState code={code} now={now} /> },
          { heading: 'Redeemed', isNumber: true, cell: usesOf },
          { heading: 'Created', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={page.next} />
    </Section>
  );
};

const ofIntegrators = leftOut('Only integrators use it');

const detailsOf = (coupon: StoredCoupon): DetailsOf<z.output<typeof Coupon>> => ({
  name: leftOut('It is the heading of the page'),
  valid: leftOut('It is beside the heading'),
  discount: ['Discount', discountOf(coupon)],
  couponType: leftOut('The discount tells'),
  percentOff: leftOut('It is the discount'),
  amountOff: leftOut('It is the discount'),
  currency: leftOut('The discount tells'),
  duration: ['Applies', durationOf(coupon)],
  durationInMonths: leftOut('The duration tells'),
  timesRedeemed: ['Redeemed', usesOf(coupon)],
  maxRedemptions: leftOut('It stands beside how often it was redeemed'),
  redeemBy: ['Redeem by', coupon.redeemBy && <Time at={coupon.redeemBy} />],
  limitToProducts: leftOut('Products are listed where it is so'),
  productIds: ['Products', coupon.limitToProducts && coupon.productIds.join(', ')],
  autoCouponRule: ['Automatic', coupon.autoCouponRule?.enabled && 'Every new affiliate gets a code'],
  externalId: ['External ID', coupon.externalId],
  id: ['ID', <Copyable key="id" text={coupon.id} label="the ID" />],
  createdAt: ['Created', <Time key="created" at={coupon.createdAt} />],
  promotionalCodes: leftOut('They are a table of their own'),
  couponCategory: ofIntegrators,
  collectionIds: ofIntegrators,
  integrationType: ofIntegrators,
  metadata: ofIntegrators,
  affiliateProgramId: leftOut('A page is of one program'),
  updatedAt: leftOut('It tells people nothing'),
});

/** One coupon with one page of its codes. */
export const couponView = (
  programId: string,
  coupon: StoredCoupon,
  part: ListPart,
  page: Page<StoredPromotionalCode>,
  now: Date,
): View => {
  const path = couponPath(programId, coupon.id);
  return view(
    coupon.name,
    <>
      <Facts entries={detailEntries(detailsOf(coupon))} />
      <CodesOfCoupon programId={programId} coupon={coupon} part={part} page={page} now={now} />
    </>,
    {
      beside: <CouponState coupon={coupon} now={now} />,
      trail: [{ label: 'Coupons', path: couponsPath(programId) }],
      actions: <EditAndDelete path={path} />,
    },
  );
};
