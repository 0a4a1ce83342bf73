import type * as z from 'zod';
import type { payoutBatchPages } from '../../contract/pages/payout-batches.ts';
import { paymentMethods, paymentMethodWords } from '../../contract/payment-methods.ts';
import type { PayoutBatch } from '../../contract/payout-batches.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { decimalText } from '../../platform/money/money.ts';
import { choicesOf, Field, type Filled, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Money } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField, withAffiliateEmail } from '../forms/affiliate-choice.tsx';
import type { ControlsOf } from '../forms/form-controls.tsx';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, type DetailsOf, leftOut } from '../lists/record-fields.ts';
import { couponPath, discountOf } from './coupons.tsx';
import { Period } from './payout-batches.tsx';
import { type CouponChoice, couponOptions } from './promotional-code-fields.tsx';

const asFigure = leftOut('It is one of the figures at the top');

/** `coupon` is undefined where the batch names none, or one that was deleted long ago. */
export const batchDetails = (
  programId: string,
  batch: StoredPayoutBatch,
  coupon: StoredCoupon | undefined,
): DetailsOf<z.output<typeof PayoutBatch>, 'minimumAmount'> => ({
  name: leftOut('It is the heading of the page'),
  status: leftOut('It is beside the heading'),
  totalAmount: asFigure,
  currency: asFigure,
  payoutCount: asFigure,
  saleCount: asFigure,
  periodStart: ['Sales period', <Period key="period" batch={batch} />],
  periodEnd: leftOut('It is the end of the period'),
  paymentMethod: ['Payment method', batch.paymentMethod && paymentMethodWords[batch.paymentMethod]],
  couponId: [
    'Paid with',
    coupon && (
      <a key="coupon" href={couponPath(programId, coupon.id)}>
        {coupon.name}
      </a>
    ),
    coupon && discountOfPayouts(coupon),
  ],
  minimumAmount: [
    'Minimum payout',
    batch.minimumAmountMinor !== null && <Money minor={batch.minimumAmountMinor} currency={batch.currency} />,
  ],
  paidAt: ['Paid', batch.paidAt && <Time at={batch.paidAt} />],
  source: ['Source', batch.source === 'IMPORTED' && 'Imported', 'What was paid elsewhere on this day'],
  id: ['ID', <Copyable key="id" text={batch.id} label="the ID" />],
  createdAt: ['Created', <Time key="created" at={batch.createdAt} />],
  payouts: leftOut('They are a table of their own'),
  updatedAt: leftOut('It tells people nothing'),
});

const columnsOf: ColumnsOf<z.output<typeof PayoutBatch>, StoredPayoutBatch> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  status: ({ status }) => status,
  periodStart: ({ periodStart }) => periodStart,
  periodEnd: ({ periodEnd }) => periodEnd,
  currency: ({ currency }) => currency,
  payoutCount: ({ payoutCount }) => payoutCount,
  saleCount: ({ saleCount }) => saleCount,
  totalAmount: ({ totalAmountMinor, currency }) => decimalText(totalAmountMinor, currency),
  paidAt: ({ paidAt }) => paidAt,
  source: ({ source }) => source,
  createdAt: ({ createdAt }) => createdAt,
  paymentMethod: leftOut('The payouts have a file with the method of each'),
  couponId: leftOut('The payouts have a file with the code of each'),
  payouts: leftOut('They have a file of their own'),
  updatedAt: leftOut('It tells people nothing'),
};

export const batchCsvColumns: CsvColumn<StoredPayoutBatch>[] = csvColumns(columnsOf);

export const discountOfPayouts = (coupon: StoredCoupon): string =>
  coupon.couponType === 'FLAT'
    ? 'Each affiliate gets a code worth the amount'
    : `Each affiliate gets a code for ${discountOf(coupon)}`;

const CouponField = ({ coupons, chosen, filled }: CouponChoice & { filled: Filled }) => (
  <Select
    name="couponId"
    label="Coupon"
    hint={
      coupons.length > 0
        ? 'For the payment method Coupon: each affiliate is paid by a code of it'
        : 'For the payment method Coupon. Create a coupon that pays affiliates first.'
    }
    options={[{ value: '', label: 'None' }, ...couponOptions(coupons)]}
    chosen={chosen}
    filled={filled}
  />
);

export const payoutControls = (
  program: StoredProgram,
  { coupons, chosen, ...choice }: AffiliateChoice & CouponChoice,
  filled: Filled,
): ControlsOf<typeof payoutBatchPages, 'addPayoutBatch'> => ({
  name: <Field name="name" label="Name" hint="Such as November" filled={filled} maxLength={200} isWide />,
  periodStart: (
    <Field
      name="periodStart"
      label="Sales from"
      hint="Leave empty unless you mean only these days: what an earlier batch left out, or what was approved later, keeps its own day. A sale on hold counts from the day on which its hold ends."
      filled={filled}
      type="date"
    />
  ),
  periodEnd: (
    <Field
      name="periodEnd"
      label="Sales to"
      hint="Including this day. Leave empty for all sales until now."
      filled={filled}
      type="date"
    />
  ),
  affiliateEmail: (
    <AffiliateField
      programId={program.id}
      label="Only this affiliate"
      hint="Any part of the name, or the email. Leave empty for all."
      choice={choice}
      filled={filled}
    />
  ),
  chosenAffiliate: withAffiliateEmail,
  paymentMethod: (
    <Select
      name="paymentMethod"
      label="Payment method"
      options={choicesOf(paymentMethods, paymentMethodWords)}
      chosen={chosen ? 'COUPON' : ''}
      filled={filled}
    />
  ),
  couponId: <CouponField coupons={coupons} chosen={chosen} filled={filled} />,
  minimumAmount: (
    <Field
      name="minimumAmount"
      label="Minimum payout"
      hint="Smaller amounts wait for a later payout"
      filled={filled}
      inputMode="decimal"
      unit={program.currency}
    />
  ),
});
