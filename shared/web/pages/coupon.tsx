import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import type { Page } from '../../platform/table/page.ts';
import { EditAndDelete, Facts, FormCard, LinkButton, Section } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, MoreFields, Select, TickBox, unfilled } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { dayOf } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import {
  CouponState,
  codesPath,
  couponPath,
  couponsPath,
  discountOf,
  durationOf,
  typeWords,
  usesOf,
} from './coupons.tsx';
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
      <Facts
        entries={[
          ['Discount', discountOf(coupon)],
          ['Applies', durationOf(coupon)],
          ['Redeemed', usesOf(coupon)],
          ['Redeem by', coupon.redeemBy && <Time at={coupon.redeemBy} />],
          ['Products', coupon.limitToProducts && coupon.productIds.join(', ')],
          ['Automatic', coupon.autoCouponRule?.enabled && 'Every new affiliate gets a code'],
          ['External ID', coupon.externalId],
          ['ID', <Copyable key="id" text={coupon.id} label="the ID" />],
          ['Created', <Time key="created" at={coupon.createdAt} />],
        ]}
      />
      <CodesOfCoupon programId={programId} coupon={coupon} part={part} page={page} now={now} />
    </>,
    {
      beside: <CouponState coupon={coupon} now={now} />,
      trail: [{ label: 'Coupons', path: couponsPath(programId) }],
      actions: <EditAndDelete path={path} />,
    },
  );
};

const durationWords = [
  { value: 'forever', label: 'To every payment' },
  { value: 'once', label: 'To the first payment only' },
  { value: 'repeating', label: 'For a number of months' },
];

const typeOptions = Object.entries(typeWords).map(([value, label]) => ({ value, label }));

const AmountFields = ({ coupon, currency, filled }: { coupon?: StoredCoupon; currency: string; filled: Filled }) => {
  const amount = coupon?.amountOffMinor == null ? '' : decimalText(coupon.amountOffMinor, coupon.currency ?? currency);
  return (
    <>
      {coupon?.couponType !== 'FLAT' && (
        <div class="if-percentage">
          <Field
            name="percentOff"
            label="Percent off"
            initial={String(coupon?.percentOff ?? '')}
            filled={filled}
            inputMode="decimal"
            unit="%"
          />
        </div>
      )}
      {coupon?.couponType !== 'PERCENTAGE' && (
        <div class="if-flat">
          <Field
            name="amountOff"
            label="Amount off"
            initial={amount}
            filled={filled}
            inputMode="decimal"
            unit={coupon?.currency ?? currency}
          />
        </div>
      )}
    </>
  );
};

const CouponFields = ({ coupon, filled }: { coupon?: StoredCoupon; filled: Filled }) => (
  <>
    <Select
      name="duration"
      label="Applies"
      options={durationWords}
      chosen={coupon?.duration ?? 'forever'}
      filled={filled}
    />
    <div class="if-repeating">
      <Field
        name="durationInMonths"
        label="Months"
        initial={String(coupon?.durationInMonths ?? '')}
        filled={filled}
        inputMode="numeric"
      />
    </div>
    <Field
      name="maxRedemptions"
      label="Maximum redemptions"
      hint="Of all its codes together. Leave empty for no limit."
      initial={String(coupon?.maxRedemptions ?? '')}
      filled={filled}
      inputMode="numeric"
    />
    <Field
      name="redeemBy"
      label="Redeem by"
      hint={`Until the end of this day (${currentFormats().timeZone})`}
      initial={coupon?.redeemBy ? dayOf(coupon.redeemBy) : ''}
      filled={filled}
      type="date"
    />
    <TickBox
      name="isAutomatic"
      label="Give every new affiliate a code of this coupon"
      checked={filled === unfilled ? (coupon?.autoCouponRule?.enabled ?? false) : 'isAutomatic' in filled.values}
    />
  </>
);

const ProductsField = ({ coupon, filled }: { coupon?: StoredCoupon; filled: Filled }) => (
  <Field
    name="productIds"
    label="Only for these products"
    hint="Product IDs, one per line. Leave empty for all products."
    initial={coupon?.limitToProducts ? coupon.productIds.join('\n') : ''}
    filled={filled}
    lines={3}
  />
);

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newCouponView = ({ session, program }: Place, filled: Filled): View =>
  view(
    'New coupon',
    <FormCard
      session={session}
      action={`${couponsPath(program.id)}/new`}
      button="Create coupon"
      back={couponsPath(program.id)}
      filled={filled}
    >
      <Field name="name" label="Name" hint="Such as Spring sale" filled={filled} required maxLength={200} isWide />
      <Select name="couponType" label="Discount" options={typeOptions} chosen="PERCENTAGE" filled={filled} />
      <AmountFields currency={program.currency} filled={filled} />
      <CouponFields filled={filled} />
      <MoreFields names={['productIds', 'externalId']} filled={filled}>
        <ProductsField filled={filled} />
        <Field
          name="externalId"
          label="External ID"
          hint="Your own ID for this coupon"
          filled={filled}
          maxLength={255}
        />
      </MoreFields>
    </FormCard>,
    { trail: [{ label: 'Coupons', path: couponsPath(program.id) }] },
  );

export const couponEditView = ({ session, program }: Place, coupon: StoredCoupon, filled: Filled): View => {
  const path = couponPath(program.id, coupon.id);
  return view(
    `Edit ${coupon.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <Field name="name" label="Name" initial={coupon.name} filled={filled} required maxLength={200} isWide />
      <AmountFields coupon={coupon} currency={program.currency} filled={filled} />
      <CouponFields coupon={coupon} filled={filled} />
      <TickBox
        name="valid"
        label="Its codes can be redeemed"
        checked={filled === unfilled ? coupon.enabled : 'valid' in filled.values}
      />
      <MoreFields names={['productIds']} filled={filled} isOpen={coupon.limitToProducts}>
        <ProductsField coupon={coupon} filled={filled} />
      </MoreFields>
    </FormCard>,
    { trail: [{ label: coupon.name, path }] },
  );
};

export const couponDeletionView = (session: Session, programId: string, coupon: StoredCoupon): View => {
  const path = couponPath(programId, coupon.id);
  return view(
    `Delete ${coupon.name}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete coupon" back={path}>
      <p>
        This also deletes all its codes, and cannot be undone. Sales stay. To keep the codes, edit the coupon instead
        and untick “Its codes can be redeemed”.
      </p>
    </Confirmation>,
    { trail: [{ label: coupon.name, path }] },
  );
};
