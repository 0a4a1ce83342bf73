import type * as z from 'zod';
import type { Sale } from '../../contract/sales.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { Facts, Figures, LinkButton } from '../components/blocks.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Money } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type DetailsOf, detailEntries, leftOut, metadataEntries } from '../lists/record-fields.ts';
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

const asFigure = leftOut('It is one of the figures at the top');

const detailsOf = (
  programId: string,
  sale: StoredSale,
  { affiliate, referral, code }: RelatedToSale,
): DetailsOf<z.output<typeof Sale>> => ({
  name: ['Customer', sale.name],
  email: ['Email', sale.email],
  affiliateId: [
    'Affiliate',
    affiliate ? <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a> : 'None',
  ],
  referralId: ['Referral', referral && <a href={referralPath(programId, referral.id)}>{referral.name}</a>],
  promotionalCodeId: ['Code', code && <a href={codePath(programId, code.id)}>{code.code}</a>],
  payoutBatchId: [
    'Payout',
    sale.payoutBatchId ? (
      <a href={`${payoutBatchesPath(programId)}/${sale.payoutBatchId}`}>
        {sale.paidAt ? 'Paid' : 'In a batch that is not paid yet'}
      </a>
    ) : (
      'Not yet'
    ),
  ],
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
      <Facts entries={detailEntries(detailsOf(programId, sale, related))} />
    </>,
    {
      beside: <SaleState status={sale.status} />,
      actions: <SaleActions sale={sale} path={salePath(programId, sale)} />,
    },
  );
};
