import type { StoredProgram } from '../../domain/programs/repository.ts';
import { commissionUnlessRejected, type StoredSale } from '../../domain/sales/rules.ts';
import { Facts, Figures, LinkButton } from '../components/blocks.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { Money, moneyText } from '../components/money.tsx';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { commissionTerms } from './commission-rule.tsx';
import { type RelatedToSale, saleDetails } from './sale-fields.tsx';
import { Decision } from './sale-review.tsx';
import { SaleState, salePath } from './sales.tsx';

export const titleOfSale = ({ id }: StoredSale): string => `Sale ${Number(id)}`;

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

export const saleView = (
  { session, program }: { session: Session; program: StoredProgram },
  sale: StoredSale,
  related: RelatedToSale,
): View => {
  const { id: programId, currency } = program;
  const money = (minor: number) => <Money minor={minor} currency={currency} />;
  return view(
    titleOfSale(sale),
    <>
      <Decision session={session} programId={programId} sale={sale} />
      <Figures
        entries={[
          ['Amount', money(sale.totalEarnedMinor)],
          ['Refunded', sale.refundedAmountMinor > 0 && money(sale.refundedAmountMinor)],
          [
            'Commission',
            money(sale.commissionEarnedMinor),
            sale.reviewStatus === 'REJECTED'
              ? `${moneyText(commissionUnlessRejected(sale), currency)} if it were not rejected`
              : commissionTerms(sale, currency),
          ],
        ]}
      />
      <Facts entries={detailEntries(saleDetails(program, sale, related))} />
    </>,
    {
      beside: <SaleState {...sale} />,
      actions: (
        <>
          <HistoryLink programId={programId} recordId={Number(sale.id)} />
          <SaleActions sale={sale} path={salePath(programId, sale)} />
        </>
      ),
    },
  );
};
