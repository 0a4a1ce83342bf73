import type { Plan } from '../../domain/programs/accounts.ts';
import type { StoredApiKey } from '../../domain/programs/repository.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Facts, LinkButton, Section } from '../blocks.tsx';
import { Confirmation, EmptyState, State, Table } from '../controls.tsx';
import { PlanNote } from '../plan.tsx';
import type { PlatformSetup } from '../platforms.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';

interface Connected {
  connection: StoredApiKey | undefined;
  lastUsedAt: string | undefined;
  subscriptions: readonly StoredWebhook[];
}

export const connectedAppsPath = (programId: string): string => `/programs/${programId}/settings/connected-apps`;

const Platforms = ({ platforms }: Pick<StoredApiKey, 'platforms'>) => (
  <ul>
    {platforms.map((host) => (
      <li key={host}>{host}</li>
    ))}
  </ul>
);

const Connection = ({ path, connected: { connection, lastUsedAt } }: { path: string; connected: Connected }) =>
  connection ? (
    <>
      <Facts
        entries={[
          ['Connected to', <Platforms key="to" platforms={connection.platforms} />],
          [
            'Connected since',
            <Time key="since" at={connection.createdAt} />,
            connection.createdBy && `by ${connection.createdBy}`,
          ],
          ['Last used', lastUsedAt ? <Time key="used" at={lastUsedAt} /> : 'Never'],
        ]}
      />
      <p>
        <LinkButton danger to={`${path}/disconnect`}>
          Disconnect
        </LinkButton>
      </p>
    </>
  ) : (
    <EmptyState title="No app is connected yet">
      Connect an automation platform to pass on affiliates, referrals and sales to other services without code.
    </EmptyState>
  );

const Subscriptions = ({ subscriptions }: Pick<Connected, 'subscriptions'>) => (
  <Section heading="Subscriptions">
    <Table
      caption="Subscriptions"
      items={subscriptions}
      keyOf={({ id }) => id}
      empty=""
      columns={[
        { heading: 'Address', isWide: true, cell: ({ url }) => url },
        { heading: 'Events', cell: ({ eventTypes }) => eventTypes.join(', ') },
        {
          heading: 'State',
          cell: ({ active }) => (active ? <State tone="good">On</State> : <State tone="bad">Off</State>),
        },
        { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
      ]}
    />
  </Section>
);

const addressesOf = ({ authorization, token, test, base }: PlatformSetup) => [
  ['Authorization URL', authorization],
  ['Token URL', token],
  ['Test URL', test],
  ['Triggers and actions', base],
];

/** For whoever uses an app on a platform, and for whoever sets one up there. */
const HowToConnect = ({ setup }: { setup: PlatformSetup }) => (
  <Section heading="Connect an automation platform">
    <div class="card">
      <ol class="steps">
        <li>
          On the automation platform (Zapier, Make, n8n and the like), add a step with the app of this affiliate
          program, and press “Connect” there.
        </li>
        <li>The platform leads you here: sign in, choose this program, and confirm.</li>
        <li>You are back on the platform. What it is connected to, and since when, is shown on this page.</li>
      </ol>
      <p class="hint">
        {setup.hosts.length > 0
          ? `These platforms may connect here: ${setup.hosts.join(', ')}.`
          : 'No platform may connect here yet: whoever operates this service names their hosts at deploy.'}
      </p>
      <details>
        <summary>There is no such app on the platform yet</summary>
        <p>
          Set one up with these addresses. The <a href="/docs/connector">guide to the connector</a> describes every
          field, trigger and action.
        </p>
        <dl class="facts">
          {addressesOf(setup).map(([label, address]) => (
            <>
              <dt>{label}</dt>
              <dd>
                <code>{address}</code>
              </dd>
            </>
          ))}
        </dl>
      </details>
    </div>
  </Section>
);

export const connectedAppsView = (programId: string, plan: Plan, connected: Connected, setup: PlatformSetup): View =>
  view(
    'Connected apps',
    <>
      <PlanNote plan={plan} />
      <Connection path={connectedAppsPath(programId)} connected={connected} />
      {connected.subscriptions.length > 0 && <Subscriptions subscriptions={connected.subscriptions} />}
      <HowToConnect setup={setup} />
    </>,
    { lead: 'Automation platforms read and change everything of this program once they are connected.' },
  );

export const disconnectionView = (
  session: Session,
  programId: string,
  plan: Plan,
  connected: Connected,
  setup: PlatformSetup,
): View => {
  const path = connectedAppsPath(programId);
  const { connection, subscriptions } = connected;
  if (!connection && subscriptions.length === 0) return connectedAppsView(programId, plan, connected, setup);
  return view(
    'Disconnect?',
    <Confirmation session={session} action={`${path}/disconnect`} button="Disconnect" back={path}>
      <p>These platforms lose access to this program with the next request, for good:</p>
      <Platforms platforms={connection?.platforms ?? []} />
      <p>
        What they subscribed to ends too: {subscriptions.length}{' '}
        {subscriptions.length === 1 ? 'subscription' : 'subscriptions'}. To use one of them again, connect anew on that
        platform.
      </p>
    </Confirmation>,
  );
};
