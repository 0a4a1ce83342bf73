import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import { type Entry, Facts, Figures, FormCard, LinkButton } from '../blocks.tsx';
import { Confirmation, Field, type Filled } from '../controls.tsx';
import { Money, moneyText } from '../money.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';
import { affiliatePath } from './affiliates.tsx';
import { payoutBatchesPath } from './payout-batches.tsx';
import { codePath } from './promotional-codes.tsx';
import { referralPath } from './referrals.tsx';
import { SaleState, salePath, salesPath } from './sales.tsx';

export interface RelatedToSale {
  affiliate: StoredAffiliate | undefined;
  referral: StoredReferral | undefined;
  code: StoredPromotionalCode | undefined;
}

const titleOf = ({ id }: StoredSale): string => `Sale ${Number(id)}`;

const relations = (programId: string, sale: StoredSale, { affiliate, referral, code }: RelatedToSale): Entry[] => [
  ['Affiliate', affiliate ? <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a> : 'None'],
  ['Referral', referral && <a href={referralPath(programId, referral.id)}>{referral.name}</a>],
  ['Code', code && <a href={codePath(programId, code.id)}>{code.code}</a>],
  [
    'Payout',
    sale.payoutBatchId ? (
      <a href={`${payoutBatchesPath(programId)}/${sale.payoutBatchId}`}>
        {sale.paidAt ? 'Paid' : 'In a batch that is not paid yet'}
      </a>
    ) : (
      'Not yet'
    ),
  ],
];

const SaleActions = ({ sale, path }: { sale: StoredSale; path: string }) => (
  <>
    {sale.status !== 'REFUNDED' && (
      <LinkButton quiet to={`${path}/refund`}>
        Refund
      </LinkButton>
    )}
    <LinkButton quiet to={`${path}/edit`}>
      Edit
    </LinkButton>
    {sale.payoutBatchId === null && (
      <LinkButton danger to={`${path}/delete`}>
        Delete
      </LinkButton>
    )}
  </>
);

export const saleView = (program: StoredProgram, sale: StoredSale, related: RelatedToSale): View => {
  const { id: programId, currency } = program;
  const money = (minor: number) => <Money minor={minor} currency={currency} />;
  return view(
    titleOf(sale),
    <>
      <Figures
        entries={[
          ['Amount', money(sale.totalEarnedMinor)],
          ['Refunded', sale.refundedAmountMinor > 0 && money(sale.refundedAmountMinor)],
          ['Commission', money(sale.commissionEarnedMinor), `${sale.commissionRate} %`],
        ]}
      />
      <Facts
        entries={[
          ['Customer', sale.name],
          ['Email', sale.email],
          ...relations(programId, sale, related),
          ['Products', sale.productsBought.map(({ name, productId }) => name ?? productId).join(', ')],
          ['External ID', sale.externalId],
          ['Invoice ID', sale.externalInvoiceId],
          ['Customer ID', sale.customerId],
          ['Date', <Time key="date" at={sale.createdAt} />],
          ['Refunded', sale.refundedAt && <Time at={sale.refundedAt} />],
          ...Object.entries(sale.metadata).map(([name, value]): Entry => [name, String(value)]),
        ]}
      />
    </>,
    {
      beside: <SaleState status={sale.status} />,
      actions: <SaleActions sale={sale} path={salePath(programId, sale)} />,
    },
  );
};

interface Place {
  session: Session;
  program: StoredProgram;
}

const CustomerFields = ({ sale, filled }: { sale?: StoredSale; filled: Filled }) => (
  <>
    <Field name="name" label="Customer’s name" initial={sale?.name ?? ''} filled={filled} maxLength={200} />
    <Field
      name="email"
      label="Customer’s email"
      hint={sale ? undefined : 'If the customer was referred, their affiliate is credited'}
      initial={sale?.email ?? ''}
      filled={filled}
      maxLength={254}
      inputMode="email"
    />
  </>
);

const IdFields = ({ sale, filled }: { sale?: StoredSale; filled: Filled }) => (
  <>
    <Field
      name="externalId"
      label="External ID"
      hint="Your own ID for this sale"
      initial={sale?.externalId ?? ''}
      filled={filled}
      maxLength={255}
    />
    <Field
      name="externalInvoiceId"
      label="Invoice ID"
      initial={sale?.externalInvoiceId ?? ''}
      filled={filled}
      maxLength={255}
    />
  </>
);

export const newSaleView = ({ session, program }: Place, filled: Filled): View =>
  view(
    'Record sale',
    <FormCard
      session={session}
      action={`${salesPath(program.id)}/new`}
      button="Record sale"
      back={salesPath(program.id)}
      filled={filled}
    >
      <Field name="totalEarned" label="Amount" filled={filled} required inputMode="decimal" unit={program.currency} />
      <Field name="promoCode" label="Code" hint="The code that the customer used" filled={filled} maxLength={100} />
      <CustomerFields filled={filled} />
      <Field
        name="referralId"
        label="Affiliate’s link"
        hint="Such as amara, for sales without a code"
        filled={filled}
        maxLength={100}
      />
      <Field
        name="commissionRate"
        label="Commission rate"
        hint="Leave empty for the affiliate’s rate"
        filled={filled}
        inputMode="decimal"
        unit="%"
      />
      <IdFields filled={filled} />
      <Field
        name="customerId"
        label="Customer ID"
        hint="Your own ID for the customer"
        filled={filled}
        maxLength={255}
      />
    </FormCard>,
  );

export const saleEditView = ({ session, program }: Place, sale: StoredSale, filled: Filled): View => {
  const path = salePath(program.id, sale);
  return view(
    `Edit sale ${Number(sale.id)}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      {sale.payoutBatchId === null ? (
        <>
          <Field
            name="totalEarned"
            label="Amount"
            initial={decimalText(sale.totalEarnedMinor, program.currency)}
            filled={filled}
            required
            inputMode="decimal"
            unit={program.currency}
          />
          <Field
            name="commissionRate"
            label="Commission rate"
            initial={String(sale.commissionRate)}
            filled={filled}
            required
            inputMode="decimal"
            unit="%"
          />
        </>
      ) : (
        <p class="hint wide">
          This sale is in a payout batch, so its amounts cannot be changed. You can refund it: the commission is then
          deducted from the affiliate’s next payout.
        </p>
      )}
      <CustomerFields sale={sale} filled={filled} />
      <IdFields sale={sale} filled={filled} />
    </FormCard>,
    { trail: [{ label: titleOf(sale), path }] },
  );
};

export const refundView = ({ session, program }: Place, sale: StoredSale, filled: Filled): View => {
  const path = salePath(program.id, sale);
  const left = moneyText(sale.totalEarnedMinor - sale.refundedAmountMinor, program.currency);
  return view(
    `Refund sale ${Number(sale.id)}?`,
    <Confirmation session={session} action={`${path}/refund`} button="Refund" back={path} filled={filled}>
      <p>
        The commission is reduced accordingly.{' '}
        {sale.payoutBatchId && 'It is deducted from the affiliate’s next payout. '}
        This cannot be undone. No money is sent from here: refund the customer where they paid.
      </p>
      <input type="hidden" name="version" value={sale.version} />
      <Field
        name="amount"
        label="Amount"
        hint={`Leave empty to refund all that is left, ${left}`}
        filled={filled}
        inputMode="decimal"
        unit={program.currency}
      />
    </Confirmation>,
    { trail: [{ label: titleOf(sale), path }] },
  );
};

export const saleDeletionView = ({ session, program }: Place, sale: StoredSale, filled: Filled): View => {
  const path = salePath(program.id, sale);
  return view(
    `Delete sale ${Number(sale.id)}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete sale" back={path} filled={filled}>
      <p>
        The sale is removed from all figures, and nobody earns a commission for it. Its code still counts as redeemed.
        To keep a record of the sale, refund it instead.
      </p>
    </Confirmation>,
    { trail: [{ label: titleOf(sale), path }] },
  );
};
