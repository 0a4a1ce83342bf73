import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { allGroups, groupOf, type StoredGroups } from '../../domain/groups/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, type Filled } from '../components/controls.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliateControls, newAffiliateControls } from './affiliate-fields.tsx';
import { affiliatePath, affiliatesPath } from './affiliates.tsx';

interface Place {
  session: Session;
  program: StoredProgram;
}

interface FormPlace extends Place {
  groups: StoredGroups;
}

export const newAffiliateView = ({ session, program, groups }: FormPlace, filled: Filled): View => {
  return view(
    'New affiliate',
    <FormCard
      session={session}
      action={`${affiliatesPath(program.id)}/new`}
      button="Create affiliate"
      back={affiliatesPath(program.id)}
      filled={filled}
    >
      <FormControls controls={newAffiliateControls(allGroups(groups, program), filled)} filled={filled} />
    </FormCard>,
  );
};

const trailOf = (program: StoredProgram, affiliate: StoredAffiliate) => [
  { label: fullName(affiliate), path: affiliatePath(program.id, affiliate.id) },
];

export const affiliateEditView = (
  { session, program, groups }: FormPlace,
  affiliate: StoredAffiliate,
  filled: Filled,
): View => {
  const path = affiliatePath(program.id, affiliate.id);
  const choice = { all: allGroups(groups, program), chosen: groupOf(affiliate, groups, program) };
  return view(
    `Edit ${fullName(affiliate)}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls
        controls={affiliateControls(choice, affiliate, filled)}
        filled={filled}
        isOpen={Boolean(affiliate.payoutEmail || affiliate.externalId)}
      />
    </FormCard>,
    { trail: trailOf(program, affiliate) },
  );
};

const questions = {
  active: {
    verb: 'Activate',
    isHarmless: true,
    consequence: 'New sales and referrals are credited to them, and their codes can be redeemed.',
  },
  inactive: {
    verb: 'Deactivate',
    isHarmless: true,
    consequence:
      'New sales and referrals are not credited to them until you approve them again. They keep what they have earned.',
  },
  banned: {
    verb: 'Ban',
    isHarmless: false,
    consequence:
      'New sales and referrals are not credited to them until you lift the ban. They keep what they have earned.',
  },
} as const;

export const affiliateStatusView = (
  { session, program }: Place,
  affiliate: StoredAffiliate,
  status: keyof typeof questions,
): View => {
  const path = affiliatePath(program.id, affiliate.id);
  const { verb, isHarmless, consequence } = questions[status];
  return view(
    `${verb} ${fullName(affiliate)}?`,
    <Confirmation session={session} action={`${path}/status`} button={verb} back={path} isHarmless={isHarmless}>
      <input type="hidden" name="status" value={status} />
      <p>{consequence}</p>
    </Confirmation>,
    { trail: trailOf(program, affiliate) },
  );
};

export const affiliateDeletionView = (
  { session, program }: Place,
  affiliate: StoredAffiliate,
  filled: Filled,
): View => {
  const path = affiliatePath(program.id, affiliate.id);
  return view(
    `Delete ${fullName(affiliate)}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete affiliate" back={path} filled={filled}>
      <p>
        This also deletes their links, referrals and unpaid sales, and cannot be undone. Paid sales stay, and their
        codes stay without an affiliate. To keep everything, deactivate the affiliate instead.
      </p>
    </Confirmation>,
    { trail: trailOf(program, affiliate) },
  );
};
