import { isForPayouts, type StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { Page } from '../../platform/table/page.ts';
import { EditAndDelete, Facts, LinkButton, Section } from '../components/blocks.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import { couponDetails } from './coupon-fields.tsx';
import { CouponState, codesPath, couponPath, couponsPath, discountOf, usesOf } from './coupons.tsx';
import { payoutBatchesPath } from './payout-batches.tsx';
import { CodeState, codePath } from './promotional-codes.tsx';

const purposeOfCodes = (coupon: StoredCoupon): string =>
  isForPayouts(coupon)
    ? 'Affiliates get their codes when you mark a payout batch with this coupon as paid.'
    : `Customers enter a code to get ${discountOf(coupon)}. Give each affiliate their own.`;

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
            {purposeOfCodes(coupon)}
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
      <Facts entries={detailEntries(couponDetails(coupon))} />
      <CodesOfCoupon programId={programId} coupon={coupon} part={part} page={page} now={now} />
    </>,
    {
      beside: <CouponState coupon={coupon} now={now} />,
      trail: [{ label: 'Coupons', path: couponsPath(programId) }],
      actions: (
        <>
          <HistoryLink programId={programId} recordId={coupon.id} />
          {isForPayouts(coupon) && coupon.payoutBatchId === null && (
            <LinkButton quiet to={`${payoutBatchesPath(programId)}/new?couponId=${coupon.id}`}>
              Pay affiliates
            </LinkButton>
          )}
          <EditAndDelete path={path} />
        </>
      ),
    },
  );
};
