import { memberIdOf, type StoredMember } from '../../domain/programs/members.ts';
import type { StoredApiKey, StoredProgram } from '../../domain/programs/repository.ts';
import type { Reveals } from '../../domain/programs/reveals.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { LinkButton, Section } from '../components/blocks.tsx';
import { PostForm } from '../components/controls.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { apiKeysPath } from './api-keys.tsx';
import { membersPath } from './members.tsx';
import { SeenBy } from './seen-by.tsx';
import { webhookPath } from './webhooks.tsx';

/** The keys and endpoints of a program whose secrets its owners and managers can read. */
export interface SharedSecrets {
  keys: readonly StoredApiKey[];
  endpoints: readonly StoredWebhook[];
}

export const seenByMember = (seenBy: Reveals, memberId: string) =>
  seenBy.find(({ email }) => memberIdOf(email) === memberId);

const Seen = ({ seenBy, memberId }: { seenBy: Reveals; memberId: string | undefined }) => {
  if (memberId === undefined) return <SeenBy seenBy={seenBy} />;
  const reveal = seenByMember(seenBy, memberId);
  return reveal ? <Time at={reveal.at} /> : <>Not recorded</>;
};

interface Shown extends SharedSecrets {
  programId: string;
  /** Whose reveals are shown; everybody's without one. */
  memberId?: string | undefined;
  /** If given, each has a button that replaces it. */
  session?: Session;
}

const Keys = ({ programId, keys, memberId, session }: Shown) => {
  const path = apiKeysPath(programId);
  return (
    <Table
      caption="API keys"
      items={keys}
      keyOf={({ id }) => id}
      empty="No API keys."
      columns={[
        { heading: 'API key', cell: ({ id, name }) => <a href={`${path}/${id}`}>{name}</a> },
        { heading: 'Ends in', cell: ({ lastFour }) => <code>{lastFour}</code> },
        { heading: memberId ? 'They saw it' : 'Seen by', cell: ({ seenBy }) => <Seen {...{ seenBy, memberId }} /> },
        ...(session
          ? [
              {
                heading: 'Replace',
                isAction: true,
                cell: ({ id, name }: StoredApiKey) => (
                  <PostForm session={session} action={`${path}/${id}/replace`}>
                    <button class="quiet" type="submit" aria-label={`Replace ${name}`}>
                      Replace
                    </button>
                  </PostForm>
                ),
              },
            ]
          : []),
      ]}
    />
  );
};

const Endpoints = ({ programId, endpoints, memberId, session }: Shown) => (
  <Table
    caption="Webhook secrets"
    items={endpoints}
    keyOf={({ id }) => id}
    empty="No webhook endpoints."
    columns={[
      {
        heading: 'Webhook secret',
        isWide: true,
        cell: ({ id, url }) => <a href={webhookPath(programId, id)}>{url}</a>,
      },
      { heading: memberId ? 'They saw it' : 'Seen by', cell: ({ seenBy }) => <Seen {...{ seenBy, memberId }} /> },
      ...(session
        ? [
            {
              heading: 'Replace',
              isAction: true,
              cell: ({ id, url }: StoredWebhook) => (
                <a
                  class="button quiet"
                  href={`${webhookPath(programId, id)}/rotate-secret`}
                  aria-label={`Rotate the secret of ${url}`}
                >
                  Rotate
                </a>
              ),
            },
          ]
        : []),
    ]}
  />
);

const SecretTables = (shown: Shown) => (
  <div class="stack">
    <Keys {...shown} />
    <Endpoints {...shown} />
  </div>
);

/** On the pages that remove a member or change the role. */
export const ReadableSecrets = (props: { programId: string; member: StoredMember; secrets: SharedSecrets }) => {
  const { programId, member, secrets } = props;
  const count = secrets.keys.length + secrets.endpoints.length;
  if (count === 0) return null;
  return (
    <Section heading="What they could read">
      <p>
        {member.role === 'VIEWER'
          ? 'They saw these keys and secrets and can use them for as long as they exist:'
          : 'Owners and managers can read these keys and secrets. Whoever has read one can use it for as long as it exists, also without access to this program:'}
      </p>
      <SecretTables programId={programId} memberId={member.id} {...secrets} />
      <p class="hint">
        After a removal, or a change to viewer, the next page offers to replace each of them. What was shown is recorded
        since this list exists. The token of connected apps is not shown to members.
      </p>
    </Section>
  );
};

/** What to replace after somebody lost access, each with its button; `memberId` is that person. */
export const replaceSecretsView = (
  session: Session,
  program: StoredProgram,
  secrets: SharedSecrets,
  memberId: string | undefined,
): View => {
  const count = secrets.keys.length + secrets.endpoints.length;
  return view(
    'Replace keys and secrets',
    count === 0 ? (
      <EmptyState title="Everything is replaced">
        No key or secret from before is left. A rotated secret also signs for 24 hours.
      </EmptyState>
    ) : (
      <SecretTables programId={program.id} memberId={memberId} session={session} {...secrets} />
    ),
    {
      lead: memberId
        ? 'The member could read these. Whoever has read one can still use it: replace what they should no longer have. A key leaves this list once it is deleted, a webhook secret once it is rotated.'
        : 'All keys and webhook secrets of this program, and who has seen them.',
      actions: (
        <LinkButton quiet needs="OWNER" to={membersPath(program.id)}>
          Back to members
        </LinkButton>
      ),
    },
  );
};
