import { fullUrl } from '../../domain/affiliates/link-rules.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { AffiliateWithTotals } from '../../domain/affiliates/totals.ts';
import { isForPayouts, type StoredCoupon } from '../../domain/coupons/rules.ts';
import type { Group } from '../../domain/groups/rules.ts';
import type { OnHold } from '../../domain/payouts/on-hold.ts';
import type { PayoutOfAffiliate } from '../../domain/payouts/payouts-of-affiliate.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import type { Suppression } from '../../platform/mail/addresses.ts';
import { LinkButton, Section } from '../components/blocks.tsx';
import { Copyable, WithCopyButton } from '../components/copyable.tsx';
import { Money } from '../components/money.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { rewardOf } from './coupons.tsx';
import { linkPath } from './link-path.ts';
import type { OwnDays } from './own-days.tsx';
import { CodeOfPayout, nameOfBatch, payoutBatchesPath } from './payout-batches.tsx';
import { referralPath } from './referrals.tsx';
import { NewestSales, salesPath } from './sales.tsx';

export interface AffiliateParts {
  affiliate: AffiliateWithTotals;
  /** Why their address gets no mails, if it does not. */
  suppression: Suppression | undefined;
  group: Group;
  codes: readonly StoredPromotionalCode[];
  coupons: ReadonlyMap<string, StoredCoupon>;
  referrals: readonly StoredReferral[];
  sales: readonly StoredSale[];
  payouts: readonly PayoutOfAffiliate[];
  days: OwnDays;
  onHold: OnHold | undefined;
}

const emailOf = ({ email }: StoredAffiliate): string => new URLSearchParams({ affiliateEmail: email }).toString();

export const LinksOfAffiliate = ({
  program,
  affiliate,
  path,
}: {
  program: StoredProgram;
  affiliate: StoredAffiliate;
  path: string;
}) => {
  const [baseUrl] = program.baseUrls;
  return (
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
              <>
                <a class="row-link" href={linkPath(program.id, id)}>
                  {link}
                </a>
                {baseUrl && (
                  <div class="hint">
                    <Copyable text={fullUrl(baseUrl, link)} label={`the address of ${link}`} />
                  </div>
                )}
              </>
            ),
          },
          { heading: 'Created', cell: ([, { createdAt }]) => <Time at={createdAt} to="day" /> },
        ]}
      />
    </Section>
  );
};

/** Such a code is no code to share. */
const Reward = ({ coupon }: { coupon: StoredCoupon | undefined }) =>
  coupon &&
  isForPayouts(coupon) && (
    <div class="hint">
      {rewardOf(coupon, coupon.amountOffMinor ?? 0, coupon.currency ?? '')}, for the affiliate alone
    </div>
  );

export const CodesOfAffiliate = ({
  codes,
  coupons,
  base,
  affiliate,
}: Pick<AffiliateParts, 'codes' | 'coupons'> & {
  base: string;
  affiliate: StoredAffiliate;
}) => (
  <Section
    heading="Codes"
    actions={
      <>
        {codes.length > 0 && <a href={`${base}/promotional-codes?${emailOf(affiliate)}`}>All codes</a>}
        <LinkButton quiet to={`${base}/promotional-codes/new?${emailOf(affiliate)}`}>
          Add code
        </LinkButton>
      </>
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
          cell: ({ id, code, couponId }) => (
            <>
              <WithCopyButton label={code}>
                <a class="row-link" href={`${base}/promotional-codes/${id}`}>
                  <code>{code}</code>
                </a>
              </WithCopyButton>
              <Reward coupon={coupons.get(couponId)} />
            </>
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

export const PayoutsOfAffiliate = ({
  payouts,
  coupons,
  programId,
  affiliate,
}: Pick<AffiliateParts, 'payouts' | 'coupons'> & {
  programId: string;
  affiliate: AffiliateWithTotals;
}) => (
  <Section
    heading="Payouts"
    actions={
      BigInt(affiliate.totalCommissionEarnedMinor) > BigInt(affiliate.totalCommissionPaidMinor) && (
        <LinkButton quiet to={`${payoutBatchesPath(programId)}/new?${emailOf(affiliate)}`}>
          Pay
        </LinkButton>
      )
    }
  >
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
        {
          heading: 'Paid',
          cell: ({ batch, ...payout }) => (
            <>
              {batch.paidAt ? <Time at={batch.paidAt} to="day" /> : 'Not yet'}
              <CodeOfPayout
                programId={programId}
                payout={payout}
                coupon={coupons.get(batch.couponId ?? '')}
                currency={batch.currency}
              />
            </>
          ),
        },
      ]}
    />
  </Section>
);

export const ReferralsOfAffiliate = (props: {
  programId: string;
  referrals: AffiliateParts['referrals'];
  currency: string;
}) => (
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

export const SalesOfAffiliate = ({
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
      <>
        {sales.length > 0 && <a href={`${salesPath(program.id)}?${emailOf(affiliate)}`}>All sales</a>}
        <LinkButton quiet needs="VIEWER" to={`${salesPath(program.id)}/preview?${emailOf(affiliate)}`}>
          What would a sale earn?
        </LinkButton>
        <LinkButton quiet to={`${salesPath(program.id)}/new?${emailOf(affiliate)}`}>
          Record sale
        </LinkButton>
      </>
    }
    empty={<EmptyState title="No sales yet">Sales that are credited to {fullName(affiliate)} appear here.</EmptyState>}
  />
);
