import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { LinkButton } from '../components/blocks.tsx';
import { Icon } from '../components/icons.tsx';
import { useCanEdit, useIncludesRole } from '../components/role.tsx';
import { affiliatePath, affiliatesPath } from './affiliates.tsx';
import { couponsPath } from './coupons.tsx';
import type { Overview, Setup } from './overview-figures.ts';
import { salesPath } from './sales.tsx';

interface Step {
  isDone: boolean;
  title: string;
  text: string;
  to: string;
  button: string;
  isForOwner?: boolean;
}

const shareStep = (program: StoredProgram, isDone: boolean, newest: StoredAffiliate | undefined): Step => ({
  isDone,
  title: 'Share a link',
  text: newest ? `Send ${fullName(newest)} their link or code.` : 'Send an affiliate their link or code.',
  to: newest ? affiliatePath(program.id, newest.id) : affiliatesPath(program.id),
  button: newest ? 'Copy link' : 'View affiliates',
});

const stepsOf = (program: StoredProgram, overview: Overview, setup: Setup): Step[] => {
  const newestAffiliate = overview.affiliates.get(overview.newestAffiliateId ?? '');
  const path = `/programs/${program.id}`;
  const hasSale = overview.newest.length > 0;
  const hasReferred = hasSale || overview.totals.some(({ numberOfReferredUsers }) => numberOfReferredUsers > 0);
  return [
    {
      isDone: program.baseUrls.length > 0,
      title: 'Add the address of your site',
      text: 'Links of affiliates lead to it.',
      to: `${path}/settings`,
      button: 'Open settings',
      isForOwner: true,
    },
    {
      isDone: setup.hasCoupon,
      title: 'Create a coupon',
      text: 'The discount that customers get with an affiliate’s code.',
      to: `${couponsPath(program.id)}/new`,
      button: 'New coupon',
    },
    {
      isDone: overview.totals.length > 0,
      title: 'Add an affiliate',
      text: 'Somebody who recommends what you sell.',
      to: `${affiliatesPath(program.id)}/new`,
      button: 'New affiliate',
    },
    shareStep(program, hasReferred, newestAffiliate),
    hasSale || program.plan === 'FREE'
      ? {
          isDone: hasSale,
          title: 'Record the first sale',
          text: 'Its affiliate earns a commission.',
          to: `${salesPath(program.id)}/new`,
          button: 'Record sale',
        }
      : {
          isDone: setup.hasKey,
          title: 'Send sales from your shop',
          text: 'With an API key, or record the first sale by hand.',
          to: `${path}/settings/advanced/api-keys`,
          button: 'Create API key',
        },
    {
      isDone: setup.hasMember,
      title: 'Invite a colleague',
      text: 'As owner, manager or viewer of this program.',
      to: `${path}/members`,
      button: 'Invite',
      isForOwner: true,
    },
  ];
};

/** What a new program needs, until all of it is done. With the first sale it becomes one line. */
export const Checklist = ({ program, overview }: { program: StoredProgram; overview: Overview }) => {
  const [canEdit, isOwner] = [useCanEdit(), useIncludesRole('OWNER')];
  if (!canEdit || !overview.setup) return null;
  const steps = stepsOf(program, overview, overview.setup).filter(({ isForOwner }) => isOwner || !isForOwner);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <details class="card checklist" open={overview.newest.length === 0}>
      <summary>
        <strong>Set up your program</strong>
        <span class="hint">
          {done} of {steps.length} done
        </span>
      </summary>
      <ol>
        {steps.map((step) => (
          <li key={step.title} class={step.isDone ? 'done' : undefined}>
            <span class="mark">{step.isDone && <Icon name="done" />}</span>
            <div>
              <strong>{step.title}</strong>
              {step.isDone ? <span class="unseen"> (done)</span> : <p class="hint">{step.text}</p>}
            </div>
            {!step.isDone && (
              <LinkButton quiet={step !== next} to={step.to}>
                {step.button}
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
};
