import type { couponPages } from '../../contract/pages/coupons.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { decimalText } from '../../platform/money/money.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, Select, TickBox, unfilled } from '../components/controls.tsx';
import { dayOf } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { type ControlsOf, elsewhere, FormControls, rare } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { couponPath, couponsPath, typeWords } from './coupons.tsx';

const durationWords = [
  { value: 'forever', label: 'To every payment' },
  { value: 'once', label: 'To the first payment only' },
  { value: 'repeating', label: 'For a number of months' },
];

const typeOptions = Object.entries(typeWords).map(([value, label]) => ({ value, label }));

const amountControls = (coupon: StoredCoupon | undefined, currency: string, filled: Filled) => {
  const unit = coupon?.currency ?? currency;
  const amount = coupon?.amountOffMinor == null ? '' : decimalText(coupon.amountOffMinor, unit);
  const ofOtherType = elsewhere('A coupon keeps its type');
  return {
    percentOff:
      coupon?.couponType === 'FLAT' ? (
        ofOtherType
      ) : (
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
      ),
    amountOff:
      coupon?.couponType === 'PERCENTAGE' ? (
        ofOtherType
      ) : (
        <div class="if-flat">
          <Field name="amountOff" label="Amount off" initial={amount} filled={filled} inputMode="decimal" unit={unit} />
        </div>
      ),
  };
};

const limitControls = (coupon: StoredCoupon | undefined, filled: Filled) => ({
  duration: (
    <Select
      name="duration"
      label="Applies"
      options={durationWords}
      chosen={coupon?.duration ?? 'forever'}
      filled={filled}
    />
  ),
  durationInMonths: (
    <div class="if-repeating">
      <Field
        name="durationInMonths"
        label="Months"
        initial={String(coupon?.durationInMonths ?? '')}
        filled={filled}
        inputMode="numeric"
      />
    </div>
  ),
  maxRedemptions: (
    <Field
      name="maxRedemptions"
      label="Maximum redemptions"
      hint="Of all its codes together. Leave empty for no limit."
      initial={String(coupon?.maxRedemptions ?? '')}
      filled={filled}
      inputMode="numeric"
    />
  ),
  redeemBy: (
    <Field
      name="redeemBy"
      label="Redeem by"
      hint={`Until the end of this day (${currentFormats().timeZone})`}
      initial={coupon?.redeemBy ? dayOf(coupon.redeemBy) : ''}
      filled={filled}
      type="date"
    />
  ),
  isAutomatic: (
    <TickBox
      name="isAutomatic"
      label="Give every new affiliate a code of this coupon"
      checked={filled === unfilled ? (coupon?.autoCouponRule?.enabled ?? false) : 'isAutomatic' in filled.values}
    />
  ),
  productIds: rare(
    <Field
      name="productIds"
      label="Only for these products"
      hint="Product IDs, one per line. Leave empty for all products."
      initial={coupon?.limitToProducts ? coupon.productIds.join('\n') : ''}
      filled={filled}
      lines={3}
    />,
  ),
});

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newCouponView = ({ session, program }: Place, filled: Filled): View => {
  const controls: ControlsOf<typeof couponPages, 'addCoupon'> = {
    name: <Field name="name" label="Name" hint="Such as Spring sale" filled={filled} required maxLength={200} isWide />,
    couponType: <Select name="couponType" label="Discount" options={typeOptions} chosen="PERCENTAGE" filled={filled} />,
    ...amountControls(undefined, program.currency, filled),
    ...limitControls(undefined, filled),
    externalId: rare(
      <Field
        name="externalId"
        label="External ID"
        hint="Your own ID for this coupon"
        filled={filled}
        maxLength={255}
      />,
    ),
  };
  return view(
    'New coupon',
    <FormCard
      session={session}
      action={`${couponsPath(program.id)}/new`}
      button="Create coupon"
      back={couponsPath(program.id)}
      filled={filled}
    >
      <FormControls controls={controls} filled={filled} />
    </FormCard>,
    { trail: [{ label: 'Coupons', path: couponsPath(program.id) }] },
  );
};

export const couponEditView = ({ session, program }: Place, coupon: StoredCoupon, filled: Filled): View => {
  const path = couponPath(program.id, coupon.id);
  const controls: ControlsOf<typeof couponPages, 'editCoupon'> = {
    name: <Field name="name" label="Name" initial={coupon.name} filled={filled} required maxLength={200} isWide />,
    ...amountControls(coupon, program.currency, filled),
    ...limitControls(coupon, filled),
    valid: (
      <TickBox
        name="valid"
        label="Its codes can be redeemed"
        checked={filled === unfilled ? coupon.enabled : 'valid' in filled.values}
      />
    ),
  };
  return view(
    `Edit ${coupon.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls controls={controls} filled={filled} isOpen={coupon.limitToProducts} />
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
