import { fullName, isWaiting, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { AffiliateState } from '../components/affiliate-state.tsx';
import { Facts, Figures, LinkButton, Section } from '../components/blocks.tsx';
import { PostForm } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { MailProblem } from '../components/mail-problem.tsx';
import { Money } from '../components/money.tsx';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliateDetails } from './affiliate-fields.tsx';
import {
  type AffiliateParts,
  CodesOfAffiliate,
  LinksOfAffiliate,
  PayoutsOfAffiliate,
  ReferralsOfAffiliate,
  SalesOfAffiliate,
} from './affiliate-records.tsx';
import { affiliatePath } from './affiliates.tsx';
import { ApplicationOf, DecisionButtons } from './applications.tsx';
import { onHoldText } from './on-hold.tsx';
import { OwnDaysSection } from './own-days.tsx';

interface ActionsProps {
  session: Session;
  program: StoredProgram;
  path: string;
  affiliate: StoredAffiliate;
}

const Actions = ({ session, program, path, affiliate }: ActionsProps) => {
  const { status } = affiliate;
  return (
    <>
      {isWaiting(affiliate) && <DecisionButtons session={session} program={program} affiliate={affiliate} />}
      {status !== 'ACTIVE' && !isWaiting(affiliate) && (
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
};

const AffiliateFigures = ({
  affiliate: one,
  onHold,
  currency,
}: Pick<AffiliateParts, 'affiliate' | 'onHold'> & { currency: string }) => {
  const money = (minor: number | bigint) => <Money minor={minor} currency={currency} />;
  return (
    <Figures
      entries={[
        ['Revenue', money(one.totalRevenueMinor)],
        ['Commission earned', money(one.totalCommissionEarnedMinor)],
        [
          'Unpaid',
          money(BigInt(one.totalCommissionEarnedMinor) - BigInt(one.totalCommissionPaidMinor)),
          onHoldText(onHold, currency),
        ],
        ['Paid', money(one.totalCommissionPaidMinor)],
        ['Clicks', one.numberOfClicks],
        ['Referrals', one.numberOfReferredUsers],
      ]}
    />
  );
};

export const affiliateView = (session: Session, program: StoredProgram, parts: AffiliateParts): View => {
  const { affiliate, group, codes, coupons, referrals, sales, payouts, days } = parts;
  const { id: programId, currency } = program;
  const path = affiliatePath(programId, affiliate.id);
  return view(
    fullName(affiliate),
    <>
      <AffiliateFigures affiliate={affiliate} onHold={parts.onHold} currency={currency} />
      <OwnDaysSection own={days} path={path} currency={currency} />
      <div class="columns">
        <div>
          <LinksOfAffiliate program={program} affiliate={affiliate} path={path} />
          <CodesOfAffiliate codes={codes} coupons={coupons} base={`/programs/${programId}`} affiliate={affiliate} />
        </div>
        <div>
          <Section heading="Details">
            <Facts entries={detailEntries(affiliateDetails(affiliate, group))} />
          </Section>
          <ApplicationOf affiliate={affiliate} />
        </div>
      </div>
      <SalesOfAffiliate program={program} affiliate={affiliate} sales={sales} />
      <div class="columns even">
        <div>
          <ReferralsOfAffiliate programId={programId} referrals={referrals} currency={currency} />
        </div>
        <div>
          <PayoutsOfAffiliate payouts={payouts} coupons={coupons} programId={programId} affiliate={affiliate} />
        </div>
      </div>
    </>,
    {
      beside: (
        <>
          <AffiliateState status={affiliate.status} />
          <MailProblem suppression={parts.suppression} />
        </>
      ),
      actions: (
        <>
          <HistoryLink programId={programId} recordId={affiliate.id} />
          <Actions session={session} program={program} path={path} affiliate={affiliate} />
        </>
      ),
    },
  );
};
