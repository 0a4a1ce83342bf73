import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { type Entry, Facts, Figures, LinkButton } from '../components/blocks.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Money } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import { affiliatePath } from './affiliates.tsx';
import { payoutBatchesPath } from './payout-batches.tsx';
import { codePath } from './promotional-codes.tsx';
import { referralPath } from './referrals.tsx';
import { SaleState, salePath } from './sales.tsx';

export interface RelatedToSale {
  affiliate: StoredAffiliate | undefined;
  referral: StoredReferral | undefined;
  code: StoredPromotionalCode | undefined;
}

export const titleOfSale = ({ id }: StoredSale): string => `Sale ${Number(id)}`;

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
    titleOfSale(sale),
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
          ['ID', <Copyable key="id" text={String(Number(sale.id))} label="the ID" />],
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
