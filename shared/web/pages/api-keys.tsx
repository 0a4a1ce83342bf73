import type { Plan } from '../../domain/programs/accounts.ts';
import type { Reveals } from '../../domain/programs/reveals.ts';
import { LinkButton } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, PostForm } from '../components/controls.tsx';
import { CopyField } from '../components/copyable.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { PlanNote } from '../components/plan.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { SeenBy } from './seen-by.tsx';

interface ApiKey {
  id: string;
  name: string;
  lastFour: string;
  createdAt: string;
  createdBy: string | null;
}

interface UsedKey extends ApiKey {
  lastUsedAt: string | null;
}

export const apiKeysPath = (programId: string): string => `/programs/${programId}/settings/advanced/api-keys`;

const KeyTable = ({ path, keys }: { path: string; keys: readonly UsedKey[] }) => (
  <Table
    caption="API keys"
    items={keys}
    keyOf={({ id }) => id}
    empty="No API keys yet."
    columns={[
      {
        heading: 'Name',
        cell: ({ id, name }) => (
          <a class="row-link" href={`${path}/${id}`}>
            {name}
          </a>
        ),
      },
      { heading: 'Ends in', cell: ({ lastFour }) => <code>{lastFour}</code> },
      { heading: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
      {
        heading: 'Created',
        isWide: true,
        cell: ({ createdAt, createdBy }) => (
          <>
            <Time at={createdAt} to="day" />
            {createdBy && <p class="hint">by {createdBy}</p>}
          </>
        ),
      },
      {
        heading: 'Actions',
        isAction: true,
        cell: ({ id, name }) => (
          <a href={`${path}/${id}/delete`} aria-label={`Delete ${name}`}>
            Delete
          </a>
        ),
      },
    ]}
  />
);

export const apiKeysView = (
  { session, programId, plan }: { session: Session; programId: string; plan: Plan },
  keys: readonly UsedKey[],
  filled: Filled,
): View => {
  const path = apiKeysPath(programId);
  return view(
    'API keys',
    <>
      <PlanNote plan={plan} />
      <KeyTable path={path} keys={keys} />
      <div class="card">
        <h2>New key</h2>
        <PostForm session={session} action={path} filled={filled}>
          <Field
            name="name"
            label="Name"
            hint="What uses the key, such as the name of your server"
            filled={filled}
            required
            maxLength={200}
          />
          <button type="submit">Create key</button>
        </PostForm>
      </div>
    </>,
    {
      lead: 'A key can read and change everything in this program. Keep it secret, and use it on your servers only.',
    },
  );
};

/** `replaced` is the key that this one was made to replace, until it is deleted. */
export const apiKeyView = (
  programId: string,
  key: ApiKey & { seenBy: Reveals },
  text: string,
  replaced: Pick<ApiKey, 'id' | 'name' | 'lastFour'> | undefined,
): View =>
  view(
    key.name,
    <>
      {replaced && (
        <div class="note warn">
          <p>
            The key that ends in <code>{replaced.lastFour}</code> still works. Put this one in its place, then delete
            it.
          </p>
          <LinkButton danger to={`${apiKeysPath(programId)}/${replaced.id}/delete`}>
            Delete the old key
          </LinkButton>
        </div>
      )}
      <div class="card form">
        <CopyField name="apiKey" label="API key" text={text} />
        <p>
          Created <Time at={key.createdAt} />
          {key.createdBy && ` by ${key.createdBy}`}
        </p>
        <p>Seen by</p>
        <SeenBy seenBy={key.seenBy} />
        <p>
          <a href={apiKeysPath(programId)}>All keys</a>
        </p>
      </div>
    </>,
    {
      actions: (
        <>
          <HistoryLink programId={programId} recordId={key.id} />
          <LinkButton danger to={`${apiKeysPath(programId)}/${key.id}/delete`}>
            Delete
          </LinkButton>
        </>
      ),
    },
  );

export const apiKeyDeletionView = (session: Session, programId: string, key: ApiKey): View => {
  const path = apiKeysPath(programId);
  return view(
    `Delete ${key.name}?`,
    <Confirmation session={session} action={`${path}/${key.id}/delete`} button="Delete key" back={path}>
      <p>
        The key that ends in <code>{key.lastFour}</code> stops working immediately. This cannot be undone.
      </p>
    </Confirmation>,
  );
};
