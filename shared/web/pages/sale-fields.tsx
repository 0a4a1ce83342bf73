import type * as z from 'zod';
import type { salePages } from '../../contract/pages/sales.ts';
import type { Sale } from '../../contract/sale.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import { payableAtOf, type StoredSale } from '../../domain/sales/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import { Field, type Filled } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField, withAffiliateEmail } from '../forms/affiliate-choice.tsx';
import { type ControlsOf, elsewhere, rare } from '../forms/form-controls.tsx';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, type DetailsOf, leftOut, metadataEntries } from '../lists/record-fields.ts';
import { affiliatePath } from './affiliates.tsx';
import { attributionEntry } from './attribution.tsx';
import { commissionTerms, reasonEntries } from './commission-rule.tsx';
import { unpaidText } from './on-hold.tsx';
import { payoutBatchesPath } from './payout-batches.tsx';
import { codePath } from './promotional-codes.tsx';
import { referralPath } from './referrals.tsx';
import { reasonsOf, reviewTextOf } from './sale-review.tsx';
import type { SaleWithAffiliate } from './sales.tsx';

export interface RelatedToSale {
  affiliate: StoredAffiliate | undefined;
  referral: StoredReferral | undefined;
  code: StoredPromotionalCode | undefined;
  groupName: string | undefined;
}

const asFigure = leftOut('It is one of the figures at the top');

export const saleDetails = (
  program: StoredProgram,
  sale: StoredSale,
  { affiliate, referral, code, groupName }: RelatedToSale,
): DetailsOf<z.output<typeof Sale>> => ({
  name: ['Customer', sale.name],
  email: ['Email', sale.email],
  affiliateId: [
    'Affiliate',
    affiliate ? <a href={affiliatePath(program.id, affiliate.id)}>{fullName(affiliate)}</a> : 'None',
  ],
  attribution: attributionEntry(sale.attribution),
  commissionRule: reasonEntries(program, sale.commissionRule, groupName),
  payableAt: ['Commission payable from', sale.affiliateId !== null && <Time key="payable" at={payableAtOf(sale)} />],
  referralId: ['Referral', referral && <a href={referralPath(program.id, referral.id)}>{referral.name}</a>],
  promotionalCodeId: ['Code', code && <a href={codePath(program.id, code.id)}>{code.code}</a>],
  payoutBatchId: [
    'Payout',
    sale.payoutBatchId ? (
      <a href={`${payoutBatchesPath(program.id)}/${sale.payoutBatchId}`}>
        {sale.paidAt ? 'Paid' : 'In a batch that is not paid yet'}
      </a>
    ) : (
      unpaidText(sale)
    ),
  ],
  reviewStatus: ['Review', reviewTextOf(sale)],
  reviewReasons: ['Held because', reasonsOf(sale)],
  paidAt: leftOut('The batch is linked, and tells when'),
  productsBought: ['Products', sale.productsBought.map(({ name, productId }) => name ?? productId).join(', ')],
  id: ['ID', <Copyable key="id" text={String(Number(sale.id))} label="the ID" />],
  externalId: ['External ID', sale.externalId],
  externalInvoiceId: ['Invoice ID', sale.externalInvoiceId],
  customerId: ['Customer ID', sale.customerId],
  createdAt: ['Date', <Time key="date" at={sale.createdAt} />],
  refundedAt: ['Refunded', sale.refundedAt && <Time at={sale.refundedAt} />],
  metadata: metadataEntries(sale.metadata),
  totalEarned: asFigure,
  refundedAmount: asFigure,
  commissionEarned: asFigure,
  commissionRate: asFigure,
  status: leftOut('It is beside the heading'),
  affiliateLinkId: leftOut('The affiliate is linked, whose page has the links'),
  affiliateProgramId: leftOut('A page is of one program'),
  source: leftOut('People see no difference'),
  updatedAt: leftOut('It tells people nothing'),
});

const columnsOf = ({
  currency,
}: StoredProgram): ColumnsOf<
  z.output<typeof Sale>,
  SaleWithAffiliate,
  'affiliate' | 'affiliateEmail' | 'currency' | 'commissionAmount'
> => {
  const amount = (minor: number) => decimalText(minor, currency);
  return {
    id: ({ sale }) => Number(sale.id),
    createdAt: ({ sale }) => sale.createdAt,
    name: ({ sale }) => sale.name,
    email: ({ sale }) => sale.email,
    affiliateId: ({ sale }) => sale.affiliateId,
    affiliate: ({ affiliate }) => (affiliate ? fullName(affiliate) : null),
    affiliateEmail: ({ affiliate }) => affiliate?.email ?? null,
    currency: () => currency,
    totalEarned: ({ sale }) => amount(sale.totalEarnedMinor),
    refundedAmount: ({ sale }) => amount(sale.refundedAmountMinor),
    commissionRate: ({ sale }) => sale.commissionRate,
    commissionEarned: ({ sale }) => amount(sale.commissionEarnedMinor),
    commissionRule: ({ sale }) => sale.commissionRule?.source ?? null,
    commissionAmount: ({ sale }) =>
      sale.commissionRule?.amountMinor == null ? null : amount(sale.commissionRule.amountMinor),
    payableAt: ({ sale }) => payableAtOf(sale),
    status: ({ sale }) => sale.status,
    reviewStatus: ({ sale }) => sale.reviewStatus,
    reviewReasons: ({ sale }) => sale.reviewReasons.join(' ') || null,
    attribution: ({ sale }) => sale.attribution?.via ?? null,
    paidAt: ({ sale }) => sale.paidAt,
    payoutBatchId: ({ sale }) => sale.payoutBatchId,
    promotionalCodeId: ({ sale }) => sale.promotionalCodeId,
    referralId: ({ sale }) => sale.referralId,
    externalId: ({ sale }) => sale.externalId,
    externalInvoiceId: ({ sale }) => sale.externalInvoiceId,
    affiliateProgramId: leftOut('A file is of one program'),
    affiliateLinkId: leftOut('Few sales have one'),
    customerId: leftOut('Few sales have one'),
    productsBought: leftOut('A sale may have several'),
    refundedAt: leftOut('The amount tells that it was refunded'),
    updatedAt: leftOut('It tells people nothing'),
    source: leftOut('People see no difference'),
    metadata: leftOut('Each record has names of its own'),
  };
};

export const saleCsvColumns = (program: StoredProgram): CsvColumn<SaleWithAffiliate>[] =>
  csvColumns(columnsOf(program));

const commonControls = (sale: StoredSale | undefined, filled: Filled) => ({
  name: <Field name="name" label="Customer’s name" initial={sale?.name ?? ''} filled={filled} maxLength={200} />,
  email: (
    <Field
      name="email"
      label="Customer’s email"
      hint={sale ? undefined : 'If the customer was referred, their affiliate is credited'}
      initial={sale?.email ?? ''}
      filled={filled}
      maxLength={254}
      inputMode="email"
    />
  ),
  externalId: (
    <Field
      name="externalId"
      label="External ID"
      hint="Your own ID for this sale"
      initial={sale?.externalId ?? ''}
      filled={filled}
      maxLength={255}
    />
  ),
  externalInvoiceId: (
    <Field
      name="externalInvoiceId"
      label="Invoice ID"
      initial={sale?.externalInvoiceId ?? ''}
      filled={filled}
      maxLength={255}
    />
  ),
});

export const newSaleControls = (
  program: StoredProgram,
  choice: AffiliateChoice,
  filled: Filled,
): ControlsOf<typeof salePages, 'addSale'> => {
  const { name, email, externalId, externalInvoiceId } = commonControls(undefined, filled);
  return {
    totalEarned: (
      <Field name="totalEarned" label="Amount" filled={filled} required inputMode="decimal" unit={program.currency} />
    ),
    promoCode: (
      <Field name="promoCode" label="Code" hint="The code that the customer used" filled={filled} maxLength={100} />
    ),
    name,
    email,
    affiliateEmail: (
      <AffiliateField
        programId={program.id}
        hint="For sales without a code. Any part of the name, or the email"
        choice={choice}
        filled={filled}
      />
    ),
    chosenAffiliate: withAffiliateEmail,
    referralId: rare(
      <Field
        name="referralId"
        label="Affiliate’s link"
        hint="Such as amara, in place of the affiliate"
        filled={filled}
        maxLength={100}
      />,
    ),
    commissionRate: rare(
      <Field
        name="commissionRate"
        label="Commission rate"
        hint="Leave empty for what otherwise applies to the affiliate"
        filled={filled}
        inputMode="decimal"
        unit="%"
      />,
    ),
    externalId: rare(externalId),
    externalInvoiceId: rare(externalInvoiceId),
    customerId: rare(
      <Field
        name="customerId"
        label="Customer ID"
        hint="Your own ID for the customer"
        filled={filled}
        maxLength={255}
      />,
    ),
  };
};

/** That was set for it, or may have been, in a sale of an earlier version. */
export const ownRateOf = ({ commissionRule, commissionRate }: StoredSale): number | null =>
  commissionRule === null || commissionRule.source === 'SALE' ? commissionRate : null;

export const saleControls = (
  { currency }: StoredProgram,
  sale: StoredSale,
  filled: Filled,
): ControlsOf<typeof salePages, 'editSale'> => {
  const isFixed = sale.payoutBatchId !== null;
  return {
    totalEarned: isFixed ? (
      <p class="hint wide">
        This sale is in a payout batch, so its amounts cannot be changed. You can refund it: the commission is then
        deducted from the affiliate’s next payout.
      </p>
    ) : (
      <Field
        name="totalEarned"
        label="Amount"
        initial={decimalText(sale.totalEarnedMinor, currency)}
        filled={filled}
        required
        inputMode="decimal"
        unit={currency}
      />
    ),
    commissionRate: isFixed ? (
      elsewhere('It cannot be changed either')
    ) : (
      <Field
        name="commissionRate"
        label="Rate of this sale"
        hint={
          ownRateOf(sale) === null
            ? `Leave empty to keep ${commissionTerms(sale, currency)}`
            : 'Leave empty for what otherwise applies to the affiliate'
        }
        initial={String(ownRateOf(sale) ?? '')}
        filled={filled}
        inputMode="decimal"
        unit="%"
      />
    ),
    ...commonControls(sale, filled),
  };
};
