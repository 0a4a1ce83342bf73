import type { Plan } from '../../domain/programs/accounts.ts';
import { LinkButton } from '../blocks.tsx';
import { Confirmation, Field, type Filled, PostForm, Table } from '../controls.tsx';
import { PlanNote } from '../plan.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';

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
      {
        heading: 'Created',
        cell: ({ createdAt, createdBy }) => (
          <>
            <Time at={createdAt} to="day" />
            {createdBy && <p class="hint">by {createdBy}</p>}
          </>
        ),
      },
      { heading: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
      {
        heading: 'Actions',
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

export const apiKeyView = (programId: string, key: ApiKey, text: string): View =>
  view(
    key.name,
    <div class="card form">
      <div class="field">
        <label for="apiKey">API key</label>
        <p class="hint" id="apiKey-hint">
          Select the text to copy it.
        </p>
        <input id="apiKey" class="secret" readOnly value={text} aria-describedby="apiKey-hint" autocomplete="off" />
      </div>
      <p>
        Created <Time at={key.createdAt} />
        {key.createdBy && ` by ${key.createdBy}`}
      </p>
      <p>
        <a href={apiKeysPath(programId)}>All keys</a>
      </p>
    </div>,
    {
      actions: (
        <LinkButton danger to={`${apiKeysPath(programId)}/${key.id}/delete`}>
          Delete
        </LinkButton>
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
