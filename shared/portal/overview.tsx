import { linksOf } from '../domain/affiliates/responses.ts';
import type { AffiliateWithTotals } from '../domain/affiliates/totals.ts';
import type { OnHold } from '../domain/payouts/on-hold.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { StoredSale } from '../domain/sales/rules.ts';
import { type Entry, Figures, Section } from '../web/components/blocks.tsx';
import { CopyField } from '../web/components/copyable.tsx';
import { currentFormats } from '../web/components/formats.ts';
import { Money } from '../web/components/money.tsx';
import { EmptyState } from '../web/components/table.tsx';
import { dayText } from '../web/components/time.tsx';
import type { OwnDays } from '../web/pages/own-days.tsx';
import { periodFigures } from '../web/pages/period-figures.tsx';
import { Charts, hasHappened, SalesInNumbers } from '../web/pages/sales-chart.tsx';
import { shareAddress } from '../web/pages/share-address.ts';
import { type View, view } from '../web/responses.ts';
import { sectionPath } from './paths.ts';
import { SalesTable } from './sales.tsx';

/** Whoever does not take part may look, and create nothing. */
export const Standing = ({ status }: Pick<AffiliateWithTotals, 'status'>) =>
  status === 'ACTIVE' ? null : (
    <p class="note warn">
      Your participation is not active: your links and codes earn nothing until the program approves it.
    </p>
  );

export interface PortalOverview {
  affiliate: AffiliateWithTotals;
  days: OwnDays;
  sales: readonly StoredSale[];
  /** Among the newest ones, and whether no older one can be on hold or in review. */
  waiting: { onHold: OnHold | undefined; inReviewMinor: bigint; isAllOnHold: boolean; isAllInReview: boolean };
}

const shownSales = 5;

const owedHint = ({ isAllOnHold, isAllInReview }: PortalOverview['waiting']): string => {
  if (isAllOnHold && isAllInReview) return 'For the next payouts';
  return `At most: more may be ${isAllOnHold ? '' : 'on hold or '}in review`;
};

/** What was earned and not paid, as what waits and what the next payout may have. */
const standingEntries = (
  { affiliate, waiting }: Pick<PortalOverview, 'affiliate' | 'waiting'>,
  currency: string,
): Entry[] => {
  const money = (minor: number | bigint) => <Money minor={minor} currency={currency} />;
  const { onHold, inReviewMinor, isAllOnHold, isAllInReview } = waiting;
  const { totalCommissionEarnedMinor: earned, totalCommissionPaidMinor: paid } = affiliate;
  const unpaid = BigInt(earned) - BigInt(paid);
  const held = onHold?.amountMinor ?? 0n;
  return [
    ['Total earned', money(earned)],
    ['Paid', money(paid)],
    [
      'On hold',
      onHold && money(held),
      onHold && `${isAllOnHold ? 'Until' : 'At least, until'} ${dayText(onHold.until)} at the latest`,
    ],
    [
      'In review',
      inReviewMinor > 0n && money(inReviewMinor),
      `${isAllInReview ? 'Until' : 'At least, until'} the program decides`,
    ],
    ['Owed next', money(unpaid - held - inReviewMinor), owedHint(waiting)],
  ];
};

/** What people come for: the address to share, without a way through the list. */
const OwnLink = ({ program, affiliate }: { program: StoredProgram; affiliate: AffiliateWithTotals }) => {
  const [first] = linksOf(affiliate);
  if (!first || affiliate.status !== 'ACTIVE') return null;
  return (
    <div class="card">
      <CopyField name="own-link" label="Your link" text={shareAddress(program, first.link)} />
    </div>
  );
};

export const overviewView = (program: StoredProgram, { days, sales, ...standing }: PortalOverview, now: Date): View => {
  const { currency } = program;
  const { commissions, clicks, sales: sold, conversion } = periodFigures(days, currency);
  return view(
    'Overview',
    <>
      <Standing status={standing.affiliate.status} />
      <OwnLink program={program} affiliate={standing.affiliate} />
      <Figures entries={standingEntries(standing, currency)} />
      <Section heading="Last 30 days">
        {hasHappened(days.days) ? (
          <>
            <Figures entries={[commissions, sold, clicks, conversion]} />
            <div class="card">
              <Charts days={days.days} currency={currency} />
              <SalesInNumbers days={days.days} currency={currency} hasCodes={false} />
              <p class="hint">
                Days are in the program’s time zone ({currentFormats().timeZone}). New sales appear within seconds.
              </p>
            </div>
          </>
        ) : (
          <EmptyState
            title="Nothing in the last 30 days"
            action={
              <a class="button" href={sectionPath(program, 'links')}>
                Share a link
              </a>
            }
          >
            Clicks and sales that your links and codes bring appear here.
          </EmptyState>
        )}
      </Section>
      {sales.length > 0 && (
        <Section heading="Newest sales" actions={<a href={sectionPath(program, 'sales')}>All sales</a>}>
          <SalesTable sales={sales.slice(0, shownSales)} currency={currency} now={now} />
        </Section>
      )}
    </>,
  );
};
