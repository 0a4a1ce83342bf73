import { paymentMethodWords } from '../../contract/payment-methods.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import { byPaymentMethod } from '../../domain/payouts/payment-methods.ts';
import type { PayoutPreview } from '../../domain/payouts/prepare/preview.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Figures, FormCard, Section } from '../components/blocks.tsx';
import { type Filled, PostForm } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { Table } from '../components/table.tsx';
import { counted } from '../components/text.tsx';
import { dayText } from '../components/time.tsx';
import type { AffiliateChoice } from '../forms/affiliate-choice.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { PayeesByMethod } from './payment-methods.tsx';
import { discountOfPayouts, payoutControls } from './payout-batch-fields.tsx';
import { payoutBatchesPath } from './payout-batches.tsx';
import type { CouponChoice } from './promotional-code-fields.tsx';

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newPayoutView = (
  { session, program }: Place,
  choice: AffiliateChoice & CouponChoice,
  filled: Filled,
): View => {
  const path = payoutBatchesPath(program.id);
  return view(
    'New payout',
    <FormCard session={session} action={`${path}/preview`} button="Preview" back={path} filled={filled}>
      <FormControls controls={payoutControls(program, choice, filled)} filled={filled} />
    </FormCard>,
    {
      lead: 'Collects the unpaid commissions, so that you can pay them. The next page shows how much each affiliate gets.',
    },
  );
};

const Preview = ({
  preview: { payouts, totalMinor, belowMinimum, onHold, isComplete },
  program: { id: programId, currency },
}: {
  preview: PayoutPreview;
  program: StoredProgram;
}) => (
  <>
    <Figures
      entries={[
        ['Total', <Money key="total" minor={totalMinor} currency={currency} />],
        ['Affiliates', payouts.length],
        ['Sales', payouts.reduce((sum, { saleCount }) => sum + saleCount, 0)],
        [
          'On hold',
          onHold && <Money key="hold" minor={onHold.amountMinor} currency={currency} />,
          onHold &&
            `${onHold.isComplete ? '' : 'At least '}${counted(onHold.saleCount, 'sale')}, until ${dayText(onHold.until)} at the latest`,
        ],
        ['Below the minimum', belowMinimum > 0 && counted(belowMinimum, 'affiliate')],
      ]}
    />
    <PayeesByMethod programId={programId} currency={currency} methods={byPaymentMethod(payouts, isComplete)} />
    <Section heading="Payouts">
      <Table
        caption="Preview"
        items={payouts}
        keyOf={({ affiliate }) => affiliate.id}
        empty="There are no unpaid commissions that can be paid for these sales."
        columns={[
          { heading: 'Affiliate', cell: ({ affiliate }) => fullName(affiliate) },
          { heading: 'Pay to', isWide: true, cell: ({ affiliate }) => affiliate.payoutEmail ?? affiliate.email },
          {
            heading: 'Method',
            cell: ({ affiliate: { paymentMethod } }) => (paymentMethod ? paymentMethodWords[paymentMethod] : 'Not set'),
          },
          { heading: 'Sales', isNumber: true, cell: ({ saleCount }) => saleCount },
          {
            heading: 'Amount',
            isNumber: true,
            cell: ({ amountMinor }) => <Money minor={amountMinor} currency={currency} />,
          },
        ]}
      />
    </Section>
  </>
);

/** `entered` are the fields of the form, which the next form sends again. */
export const payoutPreviewView = (
  { session, program }: Place,
  { batch, coupon }: { batch: Pick<StoredPayoutBatch, 'name'>; coupon: StoredCoupon | undefined },
  preview: PayoutPreview,
  entered: Readonly<Record<string, string>>,
): View => {
  const path = payoutBatchesPath(program.id);
  const hidden = Object.entries(entered).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
  return view(
    batch.name ? `Preview of ${batch.name}` : 'Preview',
    <>
      {!preview.isComplete && (
        <p class="note warn">
          This preview is incomplete, because there are many unpaid sales. The batch will include all of them, and shows
          every payout before you pay.
        </p>
      )}
      {coupon && (
        <p class="note">
          {discountOfPayouts(coupon)}, from the coupon {coupon.name}. The codes are created when you mark the batch as
          paid.
        </p>
      )}
      <Preview preview={preview} program={program} />
      <PostForm session={session} action={`${path}/new`}>
        {hidden}
        <div class="form-actions">
          {preview.payouts.length > 0 && <button type="submit">Create payout batch</button>}
          <a href={`${path}/new`}>Change the selection</a>
        </div>
      </PostForm>
    </>,
    { lead: 'Nothing has been created yet.', trail: [{ label: 'New payout', path: `${path}/new` }] },
  );
};
