import type * as z from 'zod';
import type { Coupon } from '../../contract/coupons.ts';
import type { couponPages } from '../../contract/pages/coupons.ts';
import { isRedeemable, type StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { decimalText } from '../../platform/money/money.ts';
import { Field, type Filled, Select, TickBox, unfilled } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { dayOf } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { Time } from '../components/time.tsx';
import { type ControlsOf, elsewhere, rare } from '../forms/form-controls.tsx';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, type DetailsOf, leftOut } from '../lists/record-fields.ts';
import { discountOf, durationOf, typeWords, usesOf } from './coupons.tsx';

const ofIntegrators = leftOut('Only integrators use it');

export const couponDetails = (coupon: StoredCoupon): DetailsOf<z.output<typeof Coupon>, 'discount'> => ({
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
  allowAffiliateCodes: [
    'Codes by affiliates',
    coupon.allowAffiliateCodes && 'Affiliates may create codes in the portal',
  ],
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

const columnsOf = (now: Date): ColumnsOf<z.output<typeof Coupon>, StoredCoupon> => ({
  id: ({ id }) => id,
  name: ({ name }) => name,
  couponType: ({ couponType }) => couponType,
  percentOff: ({ percentOff }) => percentOff,
  amountOff: ({ amountOffMinor, currency }) =>
    amountOffMinor === null ? null : decimalText(amountOffMinor, currency ?? 'USD'),
  currency: ({ currency }) => currency,
  duration: ({ duration }) => duration,
  durationInMonths: ({ durationInMonths }) => durationInMonths,
  valid: (coupon) => String(isRedeemable(coupon, now)),
  timesRedeemed: ({ timesRedeemed }) => timesRedeemed,
  maxRedemptions: ({ maxRedemptions }) => maxRedemptions,
  redeemBy: ({ redeemBy }) => redeemBy,
  externalId: ({ externalId }) => externalId,
  createdAt: ({ createdAt }) => createdAt,
  allowAffiliateCodes: ({ allowAffiliateCodes }) => String(allowAffiliateCodes),
  promotionalCodes: leftOut('They have a file of their own'),
  limitToProducts: leftOut('Few coupons have products'),
  productIds: leftOut('Few coupons have products'),
  autoCouponRule: ofIntegrators,
  couponCategory: ofIntegrators,
  collectionIds: ofIntegrators,
  integrationType: ofIntegrators,
  affiliateProgramId: leftOut('A file is of one program'),
  updatedAt: leftOut('It tells people nothing'),
  metadata: leftOut('Each record has names of its own'),
});

export const couponCsvColumns = (now: Date): CsvColumn<StoredCoupon>[] => csvColumns(columnsOf(now));

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

const AffiliateCodes = ({ coupon, filled }: { coupon?: StoredCoupon; filled: Filled }) => (
  <TickBox
    name="allowAffiliateCodes"
    label="Affiliates may create codes of it in the portal"
    checked={filled === unfilled ? (coupon?.allowAffiliateCodes ?? false) : 'allowAffiliateCodes' in filled.values}
  />
);

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

export const newCouponControls = (
  { currency }: StoredProgram,
  filled: Filled,
): ControlsOf<typeof couponPages, 'addCoupon'> => ({
  name: <Field name="name" label="Name" hint="Such as Spring sale" filled={filled} required maxLength={200} isWide />,
  couponType: <Select name="couponType" label="Discount" options={typeOptions} chosen="PERCENTAGE" filled={filled} />,
  ...amountControls(undefined, currency, filled),
  ...limitControls(undefined, filled),
  allowAffiliateCodes: <AffiliateCodes filled={filled} />,
  externalId: rare(
    <Field name="externalId" label="External ID" hint="Your own ID for this coupon" filled={filled} maxLength={255} />,
  ),
});

export const couponControls = (
  { currency }: StoredProgram,
  coupon: StoredCoupon,
  filled: Filled,
): ControlsOf<typeof couponPages, 'editCoupon'> => ({
  name: <Field name="name" label="Name" initial={coupon.name} filled={filled} required maxLength={200} isWide />,
  ...amountControls(coupon, currency, filled),
  ...limitControls(coupon, filled),
  allowAffiliateCodes: <AffiliateCodes coupon={coupon} filled={filled} />,
  valid: (
    <TickBox
      name="valid"
      label="Its codes can be redeemed"
      checked={filled === unfilled ? coupon.enabled : 'valid' in filled.values}
    />
  ),
});
