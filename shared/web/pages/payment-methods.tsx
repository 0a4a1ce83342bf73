import { paymentMethodWords } from '../../contract/payment-methods.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import type { Payee, PaymentMethods } from '../../domain/payouts/payment-methods.ts';
import { FormLink, Section } from '../components/blocks.tsx';
import { Money } from '../components/money.tsx';
import { Table } from '../components/table.tsx';
import { counted } from '../components/text.tsx';
import { affiliatePath } from './affiliates.tsx';

const maxNamed = 20;

const WithoutMethod = ({ programId, payees }: { programId: string; payees: readonly Payee[] }) => (
  <div class="note warn">
    <p>
      {counted(payees.length, 'affiliate')} {payees.length === 1 ? 'has' : 'have'} no payment method, and so{' '}
      {payees.length === 1 ? 'is' : 'are'} in neither the PayPal nor the Wise file. Choose one:
    </p>
    <ul>
      {payees.slice(0, maxNamed).map(({ affiliate }) =>
        affiliate ? (
          <li key={affiliate.id}>
            <FormLink to={`${affiliatePath(programId, affiliate.id)}/edit#paymentMethod`}>
              {fullName(affiliate)}
            </FormLink>
          </li>
        ) : (
          <li>An affiliate whose record is no longer kept</li>
        ),
      )}
      {payees.length > maxNamed && <li>and {payees.length - maxNamed} more</li>}
    </ul>
  </div>
);

/** How many people get how much by which method, and who has none yet. */
export const PayeesByMethod = (props: { programId: string; currency: string; methods: PaymentMethods }) => {
  const { shares, withoutMethod, isComplete } = props.methods;
  if (shares.length === 0) return null;
  return (
    <Section heading="Payment methods">
      {withoutMethod.length > 0 && <WithoutMethod programId={props.programId} payees={withoutMethod} />}
      {!isComplete && <p class="hint">Counted are the first affiliates only, because there are so many.</p>}
      <Table
        caption="Payment methods"
        items={shares}
        keyOf={({ method }) => method ?? ''}
        empty=""
        columns={[
          { heading: 'Method', cell: ({ method }) => (method ? paymentMethodWords[method] : 'Not set') },
          { heading: 'Affiliates', isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
          {
            heading: 'Amount',
            isNumber: true,
            cell: ({ amountMinor }) => <Money minor={amountMinor} currency={props.currency} />,
          },
        ]}
      />
    </Section>
  );
};
