import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { Facts, FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled } from '../components/controls.tsx';
import { Money, moneyText } from '../components/money.tsx';
import type { AffiliateChoice } from '../forms/affiliate-choice.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { titleOfSale } from './sale.tsx';
import { newSaleControls, saleControls } from './sale-fields.tsx';
import { salePath, salesPath } from './sales.tsx';

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newSaleView = ({ session, program }: Place, choice: AffiliateChoice, filled: Filled): View =>
  view(
    'Record sale',
    <FormCard
      session={session}
      action={`${salesPath(program.id)}/new`}
      button="Record sale"
      back={salesPath(program.id)}
      filled={filled}
    >
      <FormControls controls={newSaleControls(program, choice, filled)} filled={filled} />
    </FormCard>,
  );

export const saleEditView = ({ session, program }: Place, sale: StoredSale, filled: Filled): View => {
  const path = salePath(program.id, sale);
  return view(
    `Edit sale ${Number(sale.id)}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls controls={saleControls(program, sale, filled)} filled={filled} />
    </FormCard>,
    { trail: [{ label: titleOfSale(sale), path }] },
  );
};

const RefundChoice = ({ sale, currency, filled }: { sale: StoredSale; currency: string; filled: Filled }) => {
  const left = moneyText(sale.totalEarnedMinor - sale.refundedAmountMinor, currency);
  const commission = moneyText(sale.commissionEarnedMinor, currency);
  const error = filled.errors.scope;
  return (
    <fieldset aria-describedby={error && 'scope-error'}>
      <legend>How much was refunded?</legend>
      {error && (
        <p class="problem" id="scope-error">
          {error}
        </p>
      )}
      <label class="choice">
        <input type="radio" name="scope" value="all" required checked={filled.values.scope === 'all'} />
        <span>
          All of it: {left}.{' '}
          {sale.payoutBatchId
            ? `Its part of the commission of ${commission} is deducted from the next payout.`
            : `The commission of ${commission} becomes ${moneyText(0, currency)}.`}
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="scope" value="part" checked={filled.values.scope === 'part'} />
        <span>Part of it. The commission is reduced in proportion.</span>
      </label>
      <div class="if-part">
        <Field
          name="amount"
          label="Amount"
          hint={`Less than ${left}`}
          filled={filled}
          inputMode="decimal"
          unit={currency}
        />
      </div>
    </fieldset>
  );
};

export const refundView = (
  { session, program: { id: programId, currency } }: Place,
  sale: StoredSale,
  filled: Filled,
): View => {
  const path = salePath(programId, sale);
  const money = (minor: number) => <Money minor={minor} currency={currency} />;
  return view(
    `Refund sale ${Number(sale.id)}`,
    <>
      <Facts
        entries={[
          ['Customer', sale.name],
          ['Email', sale.email],
          ['Amount', money(sale.totalEarnedMinor)],
          ['Already refunded', sale.refundedAmountMinor > 0 && money(sale.refundedAmountMinor)],
          ['Commission', money(sale.commissionEarnedMinor)],
        ]}
      />
      <Confirmation session={session} action={`${path}/refund`} button="Record refund" back={path} filled={filled}>
        <input type="hidden" name="version" value={sale.version} />
        <RefundChoice sale={sale} currency={currency} filled={filled} />
        <p>No money is sent from here: refund the customer where they paid. This cannot be undone.</p>
      </Confirmation>
    </>,
    { trail: [{ label: titleOfSale(sale), path }] },
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
    { trail: [{ label: titleOfSale(sale), path }] },
  );
};
