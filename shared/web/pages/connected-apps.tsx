import type { Plan } from '../../domain/programs/accounts.ts';
import type { StoredApiKey } from '../../domain/programs/repository.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Facts, LinkButton, Section } from '../components/blocks.tsx';
import { Confirmation } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { PlanNote } from '../components/plan.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { PlatformSetup } from '../session/platforms.ts';
import type { Session } from '../session/session.ts';

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
      Connect an automation platform to send affiliates, referrals and sales to other services without writing code.
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
        { heading: 'URL', isWide: true, cell: ({ url }) => url },
        { heading: 'Events', cell: ({ eventTypes }) => eventTypes.join(', ') },
        {
          heading: 'State',
          cell: ({ active }) => (active ? <State tone="good">Active</State> : <State tone="bad">Inactive</State>),
        },
        { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
      ]}
    />
  </Section>
);

const addressesOf = ({ authorization, token, test, base }: PlatformSetup) =>
  [
    ['Authorization URL', authorization],
    ['Token URL', token],
    ['Test URL', test],
    ['Triggers and actions', base],
  ] as const;

/** For people who use the app on a platform, and for those who have to create it there. */
const HowToConnect = ({ setup }: { setup: PlatformSetup }) => (
  <Section heading="Connect an automation platform">
    <div class="card">
      <ol class="steps">
        <li>
          On the automation platform, such as Zapier or Make, add a step with the app of this service and choose
          “Connect”.
        </li>
        <li>
          The platform opens a page of this dashboard. Sign in with the account that owns this program (other members
          cannot connect it), choose the program and confirm.
        </li>
        <li>You return to the platform. From then on this page shows the connection.</li>
      </ol>
      <p class="hint">
        {setup.hosts.length > 0
          ? `These platforms can connect: ${setup.hosts.join(', ')}.`
          : 'No platform can connect yet. Ask the operator of this service to allow yours.'}
      </p>
      <details>
        <summary>The platform does not have this app yet</summary>
        <p>
          You or a developer can create the app there with these addresses. The{' '}
          <a href="/docs/connector">connector guide</a> describes every field, trigger and action.
        </p>
        <dl class="facts">
          {addressesOf(setup).map(([label, address]) => (
            <>
              <dt>{label}</dt>
              <dd>
                <Copyable text={address} label={label} />
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
    { lead: 'A connected automation platform can read and change everything in this program.' },
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
      <p>These platforms lose access to this program immediately:</p>
      <Platforms platforms={connection?.platforms ?? []} />
      <p>
        {subscriptions.length > 0 &&
          `This also ends ${subscriptions.length} ${subscriptions.length === 1 ? 'subscription' : 'subscriptions'} to events. `}
        To use a platform again, connect it again there.
      </p>
    </Confirmation>,
  );
};
