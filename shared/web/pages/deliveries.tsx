import type * as z from 'zod';
import { type DeliveryStatus, deliveryStatuses, type WebhookDelivery } from '../../contract/webhook-deliveries.ts';
import type { Plan } from '../../domain/programs/accounts.ts';
import type { Page } from '../../platform/table/page.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { choicesOf, FilterForm, PostForm, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { PlanNote } from '../components/plan.tsx';
import { State, Table } from '../components/table.tsx';
import { Json, Text } from '../components/text.tsx';
import { Time } from '../components/time.tsx';
import { noMatches, Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

export type Delivery = z.input<typeof WebhookDelivery>;
type Attempt = Delivery['attempts'][number];

export const deliveryPath = (programId: string, webhookId: string, deliveryId: string): string =>
  `/programs/${programId}/webhooks/${webhookId}/deliveries/${deliveryId}`;

const words = { PENDING: 'Waiting', SUCCEEDED: 'Delivered', FAILED: 'Failed', CANCELLED: 'Cancelled' } as const;
const tones = { PENDING: 'plain', SUCCEEDED: 'good', FAILED: 'bad', CANCELLED: 'plain' } as const;

export const DeliveryState = ({ status }: { status: DeliveryStatus }) => (
  <State tone={tones[status]}>{words[status]}</State>
);

const outcomeOf = ({ responseStatus, error }: Attempt): string =>
  responseStatus === null ? (error ?? 'No response') : `HTTP ${responseStatus}`;

const excerptCharacters = 120;

const excerptOf = (text: string): string =>
  text.length > excerptCharacters ? `${text.slice(0, excerptCharacters)}…` : text;

export const LastResponse = ({ attempts }: { attempts: readonly Attempt[] }) => {
  const last = attempts.at(-1);
  return last ? (
    <>
      {outcomeOf(last)}, <Time at={last.attemptedAt} />
      {last.responseBody && <p class="hint">{excerptOf(last.responseBody)}</p>}
    </>
  ) : (
    <>None yet</>
  );
};

export const DeliveryLog = (props: {
  path: string;
  part: ListPart;
  status: DeliveryStatus | undefined;
  page: Page<Delivery>;
}) => (
  <>
    <FilterForm action={props.path}>
      <Select name="status" label="Status" options={choicesOf(deliveryStatuses, words)} chosen={props.status} />
    </FilterForm>
    <Table
      caption="Deliveries"
      items={props.page.items}
      keyOf={({ id }) => id}
      empty={
        props.status || props.page.next
          ? noMatches('deliveries', props.page.next)
          : 'Nothing was sent in the last 30 days. Send a test to see a delivery here.'
      }
      columns={[
        {
          heading: 'Event',
          cell: ({ id, eventType }) => (
            <a class="row-link" href={`${props.path}/deliveries/${id}`}>
              {eventType}
            </a>
          ),
        },
        { heading: 'Status', cell: ({ status }) => <DeliveryState status={status} /> },
        { heading: 'Attempts', cell: ({ attempts }) => attempts.length },
        { heading: 'Last response', isWide: true, cell: ({ attempts }) => <LastResponse attempts={attempts} /> },
        { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
    <Paging part={props.part} next={props.page.next} shown={props.page.items.length} />
  </>
);

const AttemptDetails = ({ attempt }: { attempt: Attempt }) => (
  <>
    <dl>
      <dt>Time</dt>
      <dd>
        <Time at={attempt.attemptedAt} to="second" />
        {attempt.manual && ', resent manually'}
      </dd>
      <dt>Duration</dt>
      <dd>{attempt.durationMilliseconds} ms</dd>
      <dt>Response</dt>
      <dd>{attempt.responseStatus ?? 'None'}</dd>
      {attempt.error && (
        <>
          <dt>Error</dt>
          <dd>{attempt.error}</dd>
        </>
      )}
    </dl>
    {attempt.responseBody && (
      <details>
        <summary>Response body</summary>
        <Text label="Response body">{attempt.responseBody}</Text>
      </details>
    )}
  </>
);

interface Beside {
  webhook: StoredWebhook | undefined;
  sent: string | undefined;
  askedAt: string | undefined;
}

/** A subscription of a connected app has no page. */
const pageOf = (programId: string, webhook: StoredWebhook | undefined): string | undefined =>
  webhook?.connection === null ? `/programs/${programId}/webhooks/${webhook.id}` : undefined;

const Endpoint = ({ programId, webhook }: { programId: string; webhook: StoredWebhook | undefined }) => {
  if (!webhook) return <>Deleted</>;
  const path = pageOf(programId, webhook);
  return path ? (
    <a href={path}>{webhook.url}</a>
  ) : (
    <>
      {webhook.url}
      <p class="hint">Created by a connected app</p>
    </>
  );
};

const DeliveryFacts = ({
  programId,
  delivery,
  webhook,
}: {
  programId: string;
  delivery: Delivery;
  webhook: StoredWebhook | undefined;
}) => (
  <dl class="card facts">
    <dt>Status</dt>
    <dd>
      <DeliveryState status={delivery.status} />
      {delivery.cancellationReason && <p class="hint">{delivery.cancellationReason}</p>}
    </dd>
    <dt>Endpoint</dt>
    <dd>
      <Endpoint programId={programId} webhook={webhook} />
    </dd>
    <dt>Event</dt>
    <dd>
      <a href={`/programs/${programId}/events/${delivery.eventId}`}>{delivery.eventType}</a>, created{' '}
      <Time at={delivery.createdAt} />
    </dd>
    <dt>Event ID</dt>
    <dd>
      <Copyable text={delivery.eventId} label="the event ID" />
    </dd>
    {delivery.nextAttemptAt && (
      <>
        <dt>Next attempt</dt>
        <dd>
          <Time at={delivery.nextAttemptAt} to="second" />
        </dd>
      </>
    )}
  </dl>
);

export const deliveryView = (
  { session, programId, plan }: { session: Session; programId: string; plan: Plan },
  delivery: Delivery,
  { webhook, sent, askedAt }: Beside,
): View => {
  const path = deliveryPath(programId, delivery.webhookId, delivery.id);
  const endpointPath = pageOf(programId, webhook);
  const isUnderWay = askedAt !== undefined && !delivery.attempts.some(({ attemptedAt }) => attemptedAt >= askedAt);
  return view(
    'Delivery',
    <>
      {isUnderWay && (
        <p class="note" role="status">
          The event is being sent. <a href={`${path}?asked=${askedAt}`}>Refresh this page</a> in a moment.
        </p>
      )}
      <DeliveryFacts programId={programId} delivery={delivery} webhook={webhook} />
      <PlanNote plan={plan} />
      {webhook?.active && plan !== 'FREE' ? (
        <PostForm session={session} action={`${path}/resend`}>
          <button type="submit">Resend</button>
        </PostForm>
      ) : (
        plan !== 'FREE' && (
          <p>
            {webhook
              ? 'Activate the endpoint to resend this event.'
              : 'The endpoint was deleted: this event cannot be resent.'}
          </p>
        )
      )}
      <h2>Attempts</h2>
      {delivery.attempts.length === 0 && <p class="empty">No attempts yet.</p>}
      <ol class="attempts">
        {delivery.attempts.map((attempt) => (
          <li key={attempt.attemptedAt}>
            <AttemptDetails attempt={attempt} />
          </li>
        ))}
      </ol>
      {sent && (
        <>
          <h2>Payload</h2>
          <Json label="Payload" text={sent} />
        </>
      )}
    </>,
    { trail: endpointPath ? [{ label: 'Endpoint', path: endpointPath }] : [] },
  );
};
