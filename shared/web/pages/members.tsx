import type { ComponentChildren } from 'preact';
import { type Role, roles, roleWords } from '../../contract/roles.ts';
import type { StoredMember } from '../../domain/programs/members.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { sendsMails } from '../../platform/mail/send-mail.ts';
import { FormCard, LinkButton } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, optionsOf, PostForm, Select } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { MailProblem, type Suppressions } from '../components/mail-problem.tsx';
import { State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

export const membersPath = (programId: string): string => `/programs/${programId}/settings/members`;

const roleHint =
  'Owners can do everything. Managers can work with affiliates, codes, sales, payouts, webhooks and API keys. Viewers can only look.';

const RoleField = ({ chosen, filled }: { chosen: Role; filled: Filled }) => (
  <Select
    name="role"
    label="Role"
    hint={roleHint}
    filled={filled}
    options={optionsOf(roles, roleWords)}
    chosen={chosen}
  />
);

interface Place {
  session: Session;
  program: StoredProgram;
}

interface Members {
  members: readonly StoredMember[];
  suppressions: Suppressions;
}

const MemberTable = ({ program, members, suppressions }: Members & { program: StoredProgram }) => {
  const path = membersPath(program.id);
  const owner = { id: '', email: program.ownerEmail, role: 'OWNER' as const, acceptedAt: program.createdAt };
  return (
    <Table
      caption="Members"
      items={[owner, ...members]}
      keyOf={({ email }) => email}
      empty=""
      columns={[
        {
          heading: 'Email',
          isWide: true,
          cell: ({ id, email }) => (
            <>
              {id ? (
                <a class="row-link" href={`${path}/${id}`}>
                  {email}
                </a>
              ) : (
                email
              )}
              <MailProblem suppression={suppressions.get(email)} />
            </>
          ),
        },
        { heading: 'Role', cell: ({ id, role }) => (id ? roleWords[role] : 'Account owner') },
        {
          heading: 'Since',
          cell: ({ acceptedAt }) =>
            acceptedAt ? <Time at={acceptedAt} to="day" /> : <State tone="warn">Has not accepted yet</State>,
        },
      ]}
    />
  );
};

export const membersView = ({ session, program }: Place, members: Members, filled: Filled): View =>
  view(
    'Members',
    <>
      <MemberTable program={program} {...members} />
      <div class="card">
        <h2>Invite a member</h2>
        <PostForm session={session} action={membersPath(program.id)} filled={filled}>
          <div class="fields">
            <Field name="email" label="Email" filled={filled} required maxLength={254} inputMode="email" />
            <RoleField chosen="MANAGER" filled={filled} />
          </div>
          <button type="submit">Invite</button>
        </PostForm>
      </div>
    </>,
    {
      actions: (
        <LinkButton quiet needs="OWNER" to={`${membersPath(program.id)}/secrets`}>
          Keys and secrets
        </LinkButton>
      ),
      lead: sendsMails()
        ? 'People who work in this program. Whoever is invited gets a mail, and finds the invitation after signing in with that address.'
        : 'People who work in this program. No mails are sent here: whoever is invited finds the invitation after signing in with that address.',
    },
  );

export const memberView = (
  { session, program }: Place,
  { member, secrets }: { member: StoredMember; secrets: ComponentChildren },
  filled: Filled,
): View => {
  const path = `${membersPath(program.id)}/${member.id}`;
  return view(
    member.email,
    <>
      <FormCard session={session} action={path} button="Save" back={membersPath(program.id)} filled={filled}>
        <RoleField chosen={member.role} filled={filled} />
        <p class="wide hint">
          Invited <Time at={member.createdAt} to="day" /> by {member.invitedBy}
        </p>
      </FormCard>
      {secrets}
    </>,
    {
      actions: (
        <>
          <HistoryLink programId={program.id} recordId={member.id} />
          <LinkButton danger needs="OWNER" to={`${path}/remove`}>
            Remove
          </LinkButton>
        </>
      ),
    },
  );
};

export const leavingPath = (programId: string): string => `/programs/${programId}/settings/leave`;

/** Asks a member before they leave. The owner of the account cannot. */
export const leavingView = ({ session, program }: Place): View =>
  view(
    `Leave ${program.name}?`,
    program.ownerEmail === session.email ? (
      <>
        <p>You own this program, so you cannot leave it.</p>
        <p>
          <a href="/programs">All programs</a>
        </p>
      </>
    ) : (
      <Confirmation
        session={session}
        action={leavingPath(program.id)}
        button="Leave program"
        back="/programs"
        needs="VIEWER"
      >
        <p>
          You lose access to the program of {program.ownerEmail} immediately. To come back, you need a new invitation.
          API keys that you created keep working.
        </p>
      </Confirmation>
    ),
  );

export const memberRemovalView = (
  { session, program }: Place,
  { member, secrets }: { member: StoredMember; secrets: ComponentChildren },
): View => {
  const path = `${membersPath(program.id)}/${member.id}`;
  return view(
    `Remove ${member.email}?`,
    <>
      <Confirmation session={session} action={`${path}/remove`} button="Remove member" back={path}>
        <p>They lose access to this program immediately. Keys and secrets that they have read keep working.</p>
      </Confirmation>
      {secrets}
    </>,
    { trail: [{ label: member.email, path }] },
  );
};
