import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { EditAndDelete, Facts, Figures, FormCard } from '../components/blocks.tsx';
import { Confirmation, type Filled } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { Money } from '../components/money.tsx';
import type { AffiliateChoice } from '../forms/affiliate-choice.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { newReferralControls, referralControls, referralDetails } from './referral-fields.tsx';
import { ReferralState, referralPath, referralsPath } from './referrals.tsx';
import { NewestSales } from './sales.tsx';

export const referralView = (
  program: StoredProgram,
  referral: StoredReferral,
  affiliate: StoredAffiliate | undefined,
  sales: readonly StoredSale[],
): View => {
  const { id: programId, currency } = program;
  const path = referralPath(programId, referral.id);
  return view(
    referral.name,
    <>
      <Figures
        entries={[
          ['Revenue', <Money key="revenue" minor={referral.totalRevenueMinor} currency={currency} />],
          ['Commission', <Money key="commission" minor={referral.totalCommissionMinor} currency={currency} />],
        ]}
      />
      <Facts entries={detailEntries(referralDetails(programId, referral, affiliate))} />
      <NewestSales program={program} sales={sales} empty="No sales yet." />
    </>,
    {
      beside: <ReferralState status={referral.subscriptionStatus} />,
      actions: (
        <>
          <HistoryLink programId={programId} recordId={referral.id} />
          <EditAndDelete path={path} />
        </>
      ),
    },
  );
};

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newReferralView = ({ session, program }: Place, choice: AffiliateChoice, filled: Filled): View => {
  return view(
    'New referral',
    <FormCard
      session={session}
      action={`${referralsPath(program.id)}/new`}
      button="Create referral"
      back={referralsPath(program.id)}
      filled={filled}
    >
      <FormControls controls={newReferralControls(program, choice, filled)} filled={filled} />
    </FormCard>,
  );
};

export const referralEditView = ({ session, program }: Place, referral: StoredReferral, filled: Filled): View => {
  const path = referralPath(program.id, referral.id);
  return view(
    `Edit ${referral.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls
        controls={referralControls(referral, filled)}
        filled={filled}
        isOpen={Boolean(referral.plan || referral.referredUserExternalId)}
      />
    </FormCard>,
    { trail: [{ label: referral.name, path }] },
  );
};

export const referralDeletionView = ({ session, program }: Place, referral: StoredReferral, filled: Filled): View => {
  const path = referralPath(program.id, referral.id);
  return view(
    `Delete ${referral.name}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete referral" back={path} filled={filled}>
      <p>This also deletes the person’s unpaid sales, and cannot be undone. Paid sales stay.</p>
    </Confirmation>,
    { trail: [{ label: referral.name, path }] },
  );
};
