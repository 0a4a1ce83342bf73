import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { AffiliateWithTotals } from '../../domain/affiliates/totals.ts';
import type { PayoutOfAffiliate } from '../../domain/payouts/payouts-of-affiliate.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { Facts, Figures, LinkButton, Section } from '../blocks.tsx';
import { EmptyState, PostForm, State, Table } from '../controls.tsx';
import { Money } from '../money.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';
import { AffiliateState, affiliatePath } from './affiliates.tsx';
import { linkPath } from './links.tsx';
import { paymentMethodWords } from './payment-methods.ts';
import { nameOfBatch, payoutBatchesPath } from './payout-batches.tsx';
import { referralPath } from './referrals.tsx';
import { NewestSales } from './sales.tsx';

export interface AffiliateParts {
  affiliate: AffiliateWithTotals;
  codes: readonly StoredPromotionalCode[];
  referrals: readonly StoredReferral[];
  sales: readonly StoredSale[];
  payouts: readonly PayoutOfAffiliate[];
}

const Actions = ({ session, path, status }: { session: Session; path: string; status: StoredAffiliate['status'] }) => (
  <>
    {status !== 'ACTIVE' && (
      <PostForm session={session} action={`${path}/status`}>
        <input type="hidden" name="status" value="active" />
        <button type="submit">{status === 'BANNED' ? 'Lift the ban' : 'Approve'}</button>
      </PostForm>
    )}
    <LinkButton needs="VIEWER" quiet to={`${path}/statement`}>
      Statement
    </LinkButton>
    <LinkButton quiet to={`${path}/edit`}>
      Edit
    </LinkButton>
    {status === 'ACTIVE' && (
      <LinkButton quiet to={`${path}/status?status=inactive`}>
        Deactivate
      </LinkButton>
    )}
    {status !== 'BANNED' && (
      <LinkButton danger to={`${path}/status?status=banned`}>
        Ban
      </LinkButton>
    )}
    <LinkButton danger to={`${path}/delete`}>
      Delete
    </LinkButton>
  </>
);

const AffiliateFigures = ({ affiliate: one, currency }: { affiliate: AffiliateWithTotals; currency: string }) => {
  const money = (minor: number | bigint) => <Money minor={minor} currency={currency} />;
  return (
    <Figures
      entries={[
        ['Revenue', money(one.totalRevenueMinor)],
        ['Commission earned', money(one.totalCommissionEarnedMinor)],
        ['Unpaid', money(BigInt(one.totalCommissionEarnedMinor) - BigInt(one.totalCommissionPaidMinor))],
        ['Paid', money(one.totalCommissionPaidMinor)],
        ['Referrals', one.numberOfReferredUsers],
      ]}
    />
  );
};

const Links = ({ programId, affiliate, path }: { programId: string; affiliate: StoredAffiliate; path: string }) => (
  <Section
    heading="Links"
    actions={
      <LinkButton quiet to={`${path}/links/new`}>
        Add link
      </LinkButton>
    }
  >
    <Table
      caption="Links"
      items={Object.entries(affiliate.links).sort(([one], [other]) => (one < other ? 1 : -1))}
      keyOf={([id]) => id}
      empty="No links yet."
      columns={[
        {
          heading: 'Link',
          cell: ([id, { link }]) => (
            <a class="row-link" href={linkPath(programId, id)}>
              {link}
            </a>
          ),
        },
        { heading: 'Created', cell: ([, { createdAt }]) => <Time at={createdAt} to="day" /> },
      ]}
    />
  </Section>
);

const Codes = ({
  codes,
  base,
  affiliate,
}: {
  codes: AffiliateParts['codes'];
  base: string;
  affiliate: StoredAffiliate;
}) => (
  <Section
    heading="Codes"
    actions={
      codes.length > 0 && (
        <a href={`${base}/promotional-codes?affiliateEmail=${encodeURIComponent(affiliate.email)}`}>All codes</a>
      )
    }
  >
    <Table
      caption="Codes"
      items={codes}
      keyOf={({ id }) => id}
      empty="No codes yet."
      columns={[
        {
          heading: 'Code',
          cell: ({ id, code }) => (
            <a class="row-link" href={`${base}/promotional-codes/${id}`}>
              <code>{code}</code>
            </a>
          ),
        },
        {
          heading: 'State',
          cell: ({ active }) => <State tone={active ? 'good' : 'plain'}>{active ? 'Active' : 'Inactive'}</State>,
        },
        { heading: 'Redeemed', isNumber: true, cell: ({ timesRedeemed }) => timesRedeemed },
      ]}
    />
  </Section>
);

const Payouts = ({ payouts, programId }: { payouts: AffiliateParts['payouts']; programId: string }) => (
  <Section heading="Payouts">
    <Table
      caption="Payouts"
      items={payouts}
      keyOf={({ batch }) => batch.id}
      empty="Not in any recent payout batch."
      columns={[
        {
          heading: 'Batch',
          cell: ({ batch }) => (
            <a class="row-link" href={`${payoutBatchesPath(programId)}/${batch.id}`}>
              {nameOfBatch(batch)}
            </a>
          ),
        },
        {
          heading: 'Amount',
          isNumber: true,
          cell: ({ batch, amountMinor }) => <Money minor={amountMinor} currency={batch.currency} />,
        },
        { heading: 'Paid', cell: ({ batch }) => (batch.paidAt ? <Time at={batch.paidAt} to="day" /> : 'Not yet') },
      ]}
    />
  </Section>
);

const Referrals = (props: { programId: string; referrals: AffiliateParts['referrals']; currency: string }) => (
  <Section heading="Newest referrals">
    <Table
      caption="Referrals"
      items={props.referrals}
      keyOf={({ id }) => id}
      empty="No referrals yet."
      columns={[
        {
          heading: 'Person',
          cell: ({ id, name }) => (
            <a class="row-link" href={referralPath(props.programId, id)}>
              {name}
            </a>
          ),
        },
        { heading: 'Email', isForDesk: true, cell: ({ email }) => <div class="email">{email}</div> },
        {
          heading: 'Revenue',
          isNumber: true,
          cell: ({ totalRevenueMinor }) => <Money minor={totalRevenueMinor} currency={props.currency} />,
        },
        { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
      ]}
    />
  </Section>
);

const Sales = ({
  program,
  affiliate,
  sales,
}: {
  program: StoredProgram;
  affiliate: StoredAffiliate;
  sales: AffiliateParts['sales'];
}) => (
  <NewestSales
    program={program}
    sales={sales}
    actions={
      sales.length > 0 && (
        <a href={`/programs/${program.id}/sales?affiliateEmail=${encodeURIComponent(affiliate.email)}`}>All sales</a>
      )
    }
    empty={<EmptyState title="No sales yet">Sales that are credited to {fullName(affiliate)} appear here.</EmptyState>}
  />
);

/** One affiliate with their links, and their newest codes, sales, referrals and payouts. */
export const affiliateView = (session: Session, program: StoredProgram, parts: AffiliateParts): View => {
  const { affiliate, codes, referrals, sales, payouts } = parts;
  const { id: programId, currency } = program;
  const path = affiliatePath(programId, affiliate.id);
  const { payoutEmail, paymentMethod, externalId, commissionRate, createdAt, metadata } = affiliate;
  const hasMetadata = Object.keys(metadata).length > 0;
  return view(
    fullName(affiliate),
    <>
      <AffiliateFigures affiliate={affiliate} currency={currency} />
      <div class="columns">
        <div>
          <Links programId={programId} affiliate={affiliate} path={path} />
          <Codes codes={codes} base={`/programs/${programId}`} affiliate={affiliate} />
        </div>
        <div>
          <Section heading="Details">
            <Facts
              entries={[
                ['Email', affiliate.email],
                [
                  'Rate',
                  `${commissionRate ?? program.commissionRate} %`,
                  commissionRate === null && 'The program’s rate',
                ],
                ['Payment method', paymentMethod && paymentMethodWords[paymentMethod]],
                ['Payout email', payoutEmail],
                ['External ID', externalId],
                ['Joined', <Time key="joined" at={createdAt} to="day" />],
                ...(hasMetadata ? Object.entries(metadata).map(([name, value]) => [name, String(value)] as const) : []),
              ]}
            />
          </Section>
        </div>
      </div>
      <Sales program={program} affiliate={affiliate} sales={sales} />
      <div class="columns even">
        <div>
          <Referrals programId={programId} referrals={referrals} currency={currency} />
        </div>
        <div>
          <Payouts payouts={payouts} programId={programId} />
        </div>
      </div>
    </>,
    {
      beside: <AffiliateState status={affiliate.status} />,
      actions: <Actions session={session} path={path} status={affiliate.status} />,
    },
  );
};
