import type { Plan } from '../../domain/programs/accounts.ts';
import type { StoredApiKey } from '../../domain/programs/repository.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Confirmation, EmptyState, Table } from '../controls.tsx';
import { PlanNote } from '../plan.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';

interface Connected {
  connection: StoredApiKey | undefined;
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

export const connectedAppsView = (programId: string, plan: Plan, { connection, subscriptions }: Connected): View =>
  view(
    'Connected apps',
    <>
      <PlanNote plan={plan} />
      {connection ? (
        <div class="card">
          <dl class="facts">
            <dt>Connected to</dt>
            <dd>
              <Platforms platforms={connection.platforms} />
            </dd>
            <dt>Connected since</dt>
            <dd>
              <Time at={connection.createdAt} />
            </dd>
          </dl>
          <p>
            <a class="button quiet danger" href={`${connectedAppsPath(programId)}/disconnect`}>
              Disconnect
            </a>
          </p>
        </div>
      ) : (
        <EmptyState title="No app is connected.">
          Begin on the automation platform: choose this application there, and press its own “Connect” button.
        </EmptyState>
      )}
      {subscriptions.length > 0 && (
        <>
          <h2>Subscriptions</h2>
          <Table
            caption="Subscriptions"
            items={subscriptions}
            keyOf={({ id }) => id}
            empty=""
            columns={[
              { heading: 'Address', cell: ({ url }) => url },
              { heading: 'Events', cell: ({ eventTypes }) => eventTypes.join(', ') },
              { heading: 'State', cell: ({ active }) => (active ? 'On' : 'Off') },
              { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        </>
      )}
    </>,
    { lead: 'Automation platforms read and change everything of this program once they are connected.' },
  );

export const disconnectionView = (
  session: Session,
  programId: string,
  plan: Plan,
  { connection, subscriptions }: Connected,
): View => {
  const path = connectedAppsPath(programId);
  if (!connection && subscriptions.length === 0)
    return connectedAppsView(programId, plan, { connection, subscriptions });
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
