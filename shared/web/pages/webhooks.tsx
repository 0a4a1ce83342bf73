import type * as z from 'zod';
import { eventTypes } from '../../contract/event-types.ts';
import type { DeliveryStatus, WebhookDelivery } from '../../contract/webhook-deliveries.ts';
import type { Plan } from '../../domain/programs/accounts.ts';
import type { Page } from '../../platform/table/page.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Facts, FormCard, LinkButton } from '../components/blocks.tsx';
import { Field, type Filled, PostForm, Select, TickBox } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { PlanNote } from '../components/plan.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { EventChoices } from '../forms/event-choices.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { DeliveryLog } from './deliveries.tsx';
import { describedTypes, WebhookState, webhookDetails } from './webhook-fields.tsx';

export interface Place {
  session: Session;
  programId: string;
}

export const webhooksPath = (programId: string): string => `/programs/${programId}/webhooks`;
export const webhookPath = (programId: string, webhookId: string): string => `${webhooksPath(programId)}/${webhookId}`;

const AddEndpoint = ({ programId }: { programId: string }) => (
  <LinkButton to={`${webhooksPath(programId)}/new`}>Add endpoint</LinkButton>
);

export const webhooksView = (programId: string, plan: Plan, webhooks: readonly StoredWebhook[]): View =>
  view(
    'Webhooks',
    <>
      <PlanNote plan={plan} />
      <Table
        caption="Webhook endpoints"
        items={webhooks}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No endpoints yet" action={plan !== 'FREE' && <AddEndpoint programId={programId} />}>
            Add one to receive events.
          </EmptyState>
        }
        columns={[
          {
            heading: 'URL',
            cell: ({ id, url }) => (
              <a class="row-link" href={webhookPath(programId, id)}>
                {url}
              </a>
            ),
          },
          { heading: 'Events', cell: ({ eventTypes: types }) => describedTypes(types) },
          {
            heading: 'State',
            cell: (webhook) => (
              <>
                <WebhookState webhook={webhook} />
                {webhook.deactivationReason && <p class="hint">{webhook.deactivationReason}</p>}
              </>
            ),
          },
          { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
    </>,
    {
      lead: (
        <>
          Events of this program are sent to these URLs. The{' '}
          <a href="/docs/webhooks#verify-the-signature">documentation</a> explains how to verify their signatures.
        </>
      ),
      actions: plan !== 'FREE' && webhooks.length > 0 && <AddEndpoint programId={programId} />,
    },
  );

type Beginning = Pick<StoredWebhook, 'url' | 'eventTypes' | 'description'>;

const nothingYet: Beginning = { url: '', eventTypes: ['*'], description: null };

const WebhookFields = ({ beginning, filled }: { beginning: Beginning; filled: Filled }) => {
  const wasSent = filled.message !== undefined;
  const isForAll = wasSent ? filled.values.events !== 'chosen' : beginning.eventTypes.includes('*');
  const isTicked = (type: string) => (wasSent ? filled.values[type] === 'on' : beginning.eventTypes.includes(type));
  const error = filled.errors.events;
  return (
    <>
      <Field
        name="url"
        label="URL"
        hint="A public https URL, on port 443 or 8443"
        initial={beginning.url}
        filled={filled}
        required
        maxLength={2000}
        inputMode="url"
        isWide
      />
      <Field
        name="description"
        label="Description"
        hint="Optional"
        initial={beginning.description ?? ''}
        filled={filled}
        maxLength={500}
        isWide
      />
      <fieldset class="wide" aria-describedby={error && 'events-error'}>
        <legend>Events</legend>
        {error && (
          <p class="problem" id="events-error">
            {error}
          </p>
        )}
        <label class="choice">
          <input type="radio" name="events" value="all" required checked={isForAll} />
          All events, including types that are added later
        </label>
        <label class="choice">
          <input type="radio" name="events" value="chosen" checked={!isForAll} />
          Only these:
        </label>
        <EventChoices isTicked={isTicked} />
      </fieldset>
    </>
  );
};

export const newWebhookView = ({ session, programId }: Place, filled: Filled): View =>
  view(
    'Add endpoint',
    <FormCard
      session={session}
      action={`${webhooksPath(programId)}/new`}
      button="Add endpoint"
      back={webhooksPath(programId)}
      filled={filled}
    >
      <WebhookFields beginning={nothingYet} filled={filled} />
    </FormCard>,
  );

export const webhookChangeView = ({ session, programId }: Place, webhook: StoredWebhook, filled: Filled): View => {
  const path = webhookPath(programId, webhook.id);
  const isActive = filled.message === undefined ? webhook.active : filled.values.active === 'on';
  return view(
    'Edit endpoint',
    <FormCard session={session} action={`${path}/change`} button="Save" back={path} filled={filled}>
      <WebhookFields beginning={webhook} filled={filled} />
      <TickBox name="active" label="Active: events are sent to it" checked={isActive} />
    </FormCard>,
  );
};

const testOptions = [
  { value: '', label: 'None' },
  ...eventTypes.filter((type) => type !== 'webhook.test').map((type) => ({ value: type, label: type })),
];

const TestForm = ({ session, path }: { session: Session; path: string }) => (
  <PostForm session={session} action={`${path}/test`}>
    <h2>Test</h2>
    <Select name="eventType" label="Example event" options={testOptions} chosen="" />
    <button type="submit">Send a test</button>
  </PostForm>
);

interface Log {
  part: ListPart;
  status: DeliveryStatus | undefined;
  page: Page<z.input<typeof WebhookDelivery>>;
}

const WebhookActions = ({ path, plan, isActive }: { path: string; plan: Plan; isActive: boolean }) => (
  <>
    {plan !== 'FREE' && (
      <LinkButton quiet to={`${path}/change`}>
        Edit
      </LinkButton>
    )}
    {plan !== 'FREE' && isActive && (
      <LinkButton quiet to={`${path}/missed`}>
        Send missed events
      </LinkButton>
    )}
    <LinkButton quiet to={`${path}/secret`}>
      Show secret
    </LinkButton>
    {plan !== 'FREE' && (
      <LinkButton quiet to={`${path}/rotate-secret`}>
        Rotate secret
      </LinkButton>
    )}
    <LinkButton danger to={`${path}/delete`}>
      Delete
    </LinkButton>
  </>
);

export const webhookView = ({ session, programId }: Place, plan: Plan, webhook: StoredWebhook, log: Log): View => {
  const path = webhookPath(programId, webhook.id);
  return view(
    'Webhook endpoint',
    <>
      <PlanNote plan={plan} />
      <Facts entries={detailEntries(webhookDetails(webhook))} />
      {!webhook.active && plan !== 'FREE' && (
        <PostForm session={session} action={`${path}/switch-on`}>
          <button type="submit">Activate</button>
        </PostForm>
      )}
      {webhook.active && plan !== 'FREE' && <TestForm session={session} path={path} />}
      <h2>Deliveries</h2>
      <DeliveryLog path={path} {...log} />
    </>,
    {
      actions: (
        <>
          <HistoryLink programId={programId} recordId={webhook.id} />
          <WebhookActions path={path} plan={plan} isActive={webhook.active} />
        </>
      ),
    },
  );
};
