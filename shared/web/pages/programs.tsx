import { roleWords } from '../../contract/roles.ts';
import type { Account } from '../../domain/programs/accounts.ts';
import type { Invitation } from '../../domain/programs/members.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { standardAccent } from '../../platform/color/accent.ts';
import { Facts, LinkButton, Section } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, PostForm, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { PlanNote } from '../components/plan.tsx';
import { useIncludesRole } from '../components/role.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { leavingPath } from './members.tsx';
import { portalSettingsPath } from './portal-settings.tsx';
import { ReviewFields } from './review-settings.tsx';
import { HandleField, ShopScript, TrackingFields } from './tracking-settings.tsx';

const NewProgram = () => (
  <a class="button" href="/programs/new">
    New program
  </a>
);

/** Says who invites, and nothing of the program that others could have written. */
const Invitations = ({ session, invitations }: { session: Session; invitations: readonly Invitation[] }) => (
  <>
    {invitations.map(({ programId, invitedBy, role }) => (
      <section key={programId} class="card" aria-label={`Invitation from ${invitedBy}`}>
        <p>
          <strong class="email">{invitedBy}</strong> invites you to work in a program, as{' '}
          {roleWords[role].toLowerCase()}. Its name is shown once you accept. Accept only if you know this address.
        </p>
        <PostForm session={session} action={`/invitations/${programId}`}>
          <div class="actions">
            <button type="submit" name="decision" value="accept">
              Accept
            </button>
            <button class="quiet" type="submit" name="decision" value="decline">
              Decline
            </button>
          </div>
        </PostForm>
      </section>
    ))}
  </>
);

/** `next` is the position after which there are more programs of others. */
export const programsView = (
  { session, account: { email, plan } }: { session: Session; account: Account },
  programs: readonly StoredProgram[],
  invitations: readonly Invitation[],
  { part, next }: { part: ListPart; next: string | undefined },
): View =>
  view(
    'Programs',
    <>
      <PlanNote plan={plan} />
      <Invitations session={session} invitations={invitations} />
      <Table
        caption="Programs"
        items={programs}
        keyOf={({ id }) => id}
        empty={
          part.isFurtherOn || next ? (
            'No programs on this page of the list.'
          ) : (
            <EmptyState title="Create your first program" action={<NewProgram />}>
              A program has its own affiliates, codes, sales and payouts, in one currency.
            </EmptyState>
          )
        }
        columns={[
          {
            heading: 'Name',
            cell: ({ id, name, ownerEmail }) => (
              <>
                <a class="row-link" href={`/programs/${id}`}>
                  {name}
                </a>
                {ownerEmail !== email && (
                  <div class="hint">
                    Owned by {ownerEmail} ·{' '}
                    <a href={leavingPath(id)} aria-label={`Leave ${name}`}>
                      Leave
                    </a>
                  </div>
                )}
              </>
            ),
          },
          { heading: 'Currency', cell: ({ currency }) => currency },
          { heading: 'Default rate', isNumber: true, cell: ({ commissionRate }) => `${commissionRate} %` },
          { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={next} />
    </>,
    programs.length > 0 ? { actions: <NewProgram /> } : {},
  );

type Beginning = Pick<StoredProgram, 'name' | 'currency' | 'commissionRate'>;

const ProgramFields = ({ beginning, filled }: { beginning: Beginning; filled: Filled }) => (
  <div class="fields">
    <Field name="name" label="Name" initial={beginning.name} filled={filled} required maxLength={200} isWide />
    <Field
      name="currency"
      label="Currency"
      hint="Three letters, such as USD. Cannot be changed after the first sale."
      initial={beginning.currency}
      filled={filled}
      required
      maxLength={3}
    />
    <Field
      name="commissionRate"
      label="Default commission rate"
      hint="Used unless the group, the affiliate or the sale has its own"
      initial={String(beginning.commissionRate)}
      filled={filled}
      required
      inputMode="decimal"
      unit="%"
    />
  </div>
);

export const newProgramView = (session: Session, filled: Filled): View =>
  view(
    'New program',
    <div class="card form">
      <PostForm session={session} action="/programs/new" filled={filled}>
        <ProgramFields beginning={{ name: '', currency: 'USD', commissionRate: 20 }} filled={filled} />
        <div class="form-actions">
          <button type="submit">Create program</button>
          <a href="/programs">Cancel</a>
        </div>
      </PostForm>
    </div>,
  );

const timeZones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

export const programSettingsPath = (programId: string): string => `/programs/${programId}/settings`;

const Deletion = ({ programId }: { programId: string }) =>
  useIncludesRole('OWNER') && (
    <Section heading="Delete program">
      <p>All of it is deleted, for all members. The next page says what, and asks for the name of the program.</p>
      <LinkButton danger needs="OWNER" to={`${programSettingsPath(programId)}/delete`}>
        Delete program
      </LinkButton>
    </Section>
  );

export const programSettingsView = (session: Session, program: StoredProgram, filled: Filled): View =>
  view(
    'Settings',
    <>
      <div class="card form">
        <PostForm session={session} action={programSettingsPath(program.id)} filled={filled}>
          <ProgramFields beginning={program} filled={filled} />
          <HandleField program={program} filled={filled} />
          <Field
            name="baseUrls"
            label="Base URLs"
            hint="The pages that affiliates send people to, one per line, such as https://shop.example/. Each affiliate link is shown with its full address on every page."
            initial={program.baseUrls.join('\n')}
            filled={filled}
            lines={4}
            maxLength={5000}
          />
          <Field
            name="accentColor"
            label="Accent color"
            hint="The color of buttons and links on this program’s pages and statements. It is made darker or lighter where text would be hard to read."
            initial={program.accentColor ?? standardAccent}
            filled={filled}
            type="color"
          />
          <Select
            name="timeZone"
            label="Time zone"
            hint="Times are shown, and days begin and end, in this time zone. Sales that exist keep the day on which they were counted."
            options={timeZones().map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
            chosen={program.timeZone}
            filled={filled}
          />
          <TrackingFields program={program} filled={filled} />
          <ReviewFields program={program} filled={filled} />
          <div class="form-actions">
            <button type="submit">Save</button>
          </div>
        </PostForm>
      </div>
      <Facts entries={[['Program ID', <Copyable key="id" text={program.id} label="the program ID" />]]} />
      <ShopScript programId={program.id} />
      <Deletion programId={program.id} />
    </>,
    {
      actions: (
        <>
          <LinkButton quiet needs="OWNER" to={portalSettingsPath(program.id)}>
            Portal
          </LinkButton>
          <HistoryLink programId={program.id} recordId={program.id} />
        </>
      ),
    },
  );

/** Typing the name shows that this program is meant. */
export const programDeletionView = (session: Session, program: StoredProgram, filled: Filled): View => {
  const path = programSettingsPath(program.id);
  return view(
    'Delete this program?',
    <Confirmation
      session={session}
      action={`${path}/delete`}
      button="Delete program"
      back={path}
      needs="OWNER"
      filled={filled}
    >
      <p>This deletes for all members, and cannot be undone:</p>
      <ul>
        <li>affiliates, links, referrals, coupons, codes and sales</li>
        <li>payout batches, also the paid ones</li>
        <li>members and invitations</li>
        <li>webhooks, API keys and connected apps, which stop working immediately</li>
      </ul>
      <p>
        What stays: files that you downloaded, and what receivers of webhooks have stored. Events and deliveries can no
        longer be read and are removed within 30 days. Backups are kept as long as the operator of this service keeps
        them. Affiliates are neither paid nor notified.
      </p>
      <p>
        To keep your figures, first download <a href={`/programs/${program.id}/affiliates.csv`}>affiliates</a>,{' '}
        <a href={`/programs/${program.id}/sales.csv`}>sales</a> and{' '}
        <a href={`/programs/${program.id}/payout-batches.csv`}>payouts</a>.
      </p>
      <Field
        name="name"
        label="Name of the program"
        hint={
          <>
            To confirm, type <strong>{program.name}</strong>
          </>
        }
        filled={filled}
        required
        maxLength={200}
      />
    </Confirmation>,
  );
};
