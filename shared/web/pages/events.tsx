import type { Actor } from '../../contract/actor.ts';
import { eventTypes } from '../../contract/event-types.ts';
import type { PageQuery } from '../../contract/page.ts';
import type { showEvents } from '../../contract/pages/events.ts';
import type { Page } from '../../platform/table/page.ts';
import type { StoredEvent } from '../../webhooks/delivery/repository.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Facts, Section } from '../components/blocks.tsx';
import { FilterForm, MoreFilters, PeriodFields, Select } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { Json } from '../components/text.tsx';
import { Time } from '../components/time.tsx';
import { noMatches, Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import { type Delivery, DeliveryState, deliveryPath, LastResponse } from './deliveries.tsx';

export const eventsPath = (programId: string): string => `/programs/${programId}/events`;
export const eventPath = (programId: string, eventId: string): string => `${eventsPath(programId)}/${eventId}`;

/** Of each payload in the list; the page of the event shows all of it. */
const shownCharacters = 3000;

const sections: Readonly<Record<string, string>> = {
  affiliate: 'affiliates',
  link: 'links',
  coupon: 'coupons',
  promotional_code: 'promotional-codes',
  referral: 'referrals',
  sale: 'sales',
  payout_batch: 'payout-batches',
};

interface Payload {
  /** Absent in older events. */
  actor?: Actor | null;
  data: Record<string, unknown>;
}

/** The record that an event is about: its name for people, and its page unless it was deleted. */
const subjectOf = (programId: string, { type, body }: StoredEvent) => {
  const { data }: Payload = JSON.parse(body);
  const names = [data.name, data.code, data.link, data.email, data.id, data.webhookId];
  const name = String(names.find((one) => (typeof one === 'string' && one !== '') || typeof one === 'number'));
  const [noun = '', verb] = type.split('.');
  if (type === 'webhook.test') return { name: 'Test', path: `/programs/${programId}/webhooks/${data.webhookId}` };
  const section = verb === 'deleted' ? undefined : sections[noun];
  return { name, path: section && `/programs/${programId}/${section}/${data.id}` };
};

const EventEntry = ({ programId, event }: { programId: string; event: StoredEvent }) => (
  <li>
    <div class="entry">
      <a href={eventPath(programId, event.id)}>{event.type}</a>
      <span>{subjectOf(programId, event).name}</span>
      <Time at={event.createdAt} to="second" />
    </div>
    <details>
      <summary aria-label={`Payload of ${event.type}`}>Payload</summary>
      <Json label={`Payload of ${event.type}`} text={event.body} shownCharacters={shownCharacters} />
    </details>
  </li>
);

const typeOptions = [{ value: '', label: 'All types' }, ...eventTypes.map((type) => ({ value: type, label: type }))];

type Filters = PageQuery<typeof showEvents>;

export const eventsView = (programId: string, filters: Filters, part: ListPart, page: Page<StoredEvent>): View => {
  const isFiltered = Object.values(filters).some(Boolean) || part.isFurtherOn || page.next !== undefined;
  const none = isFiltered ? (
    <p class="empty">{noMatches('events', page.next)}</p>
  ) : (
    <EmptyState title="No events yet">
      Every change to an affiliate, a code, a sale and so on is an event. Events of the last 30 days are listed here.
    </EmptyState>
  );
  return view(
    'Events',
    <>
      <FilterForm action={eventsPath(programId)}>
        <Select name="type" label="Type" options={typeOptions} chosen={filters.type ?? ''} />
        <MoreFilters used={[filters.from, filters.to]}>
          <PeriodFields from={filters.from} to={filters.to} />
        </MoreFilters>
      </FilterForm>
      {page.items.length === 0 ? (
        none
      ) : (
        <ul class="log" aria-label="Events">
          {page.items.map((event) => (
            <EventEntry key={event.id} programId={programId} event={event} />
          ))}
        </ul>
      )}
      <Paging part={part} next={page.next} />
    </>,
    {
      lead: (
        <>
          Everything that happened in the last 30 days, whether or not a webhook was sent. The{' '}
          <a href="/docs/webhook-events">documentation</a> describes each type.
        </>
      ),
    },
  );
};

interface Sent {
  part: ListPart;
  page: Page<Delivery>;
  endpoints: readonly StoredWebhook[];
}

const Deliveries = ({ programId, sent: { part, page, endpoints } }: { programId: string; sent: Sent }) => {
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return (
    <Section heading="Deliveries">
      <Table
        caption="Deliveries"
        items={page.items}
        keyOf={({ id }) => id}
        empty="This event was not sent to any endpoint."
        columns={[
          {
            heading: 'Endpoint',
            isWide: true,
            cell: ({ id, webhookId }) => (
              <a class="row-link" href={deliveryPath(programId, webhookId, id)}>
                {urls.get(webhookId) ?? 'Deleted endpoint'}
              </a>
            ),
          },
          { heading: 'Status', cell: ({ status }) => <DeliveryState status={status} /> },
          { heading: 'Attempts', cell: ({ attempts }) => attempts.length },
          { heading: 'Last response', cell: ({ attempts }) => <LastResponse attempts={attempts} /> },
        ]}
      />
      <Paging part={part} next={page.next} />
    </Section>
  );
};

const actorWords: Readonly<Record<Actor['type'], string>> = {
  API_KEY: 'API key',
  CONNECTED_APP: 'Connected app',
  AFFILIATE: 'Affiliate',
  MEMBER: 'In the dashboard',
  SYSTEM: 'Background process',
};

export const eventView = (programId: string, event: StoredEvent, sent: Sent): View => {
  const { name, path } = subjectOf(programId, event);
  const { actor }: Payload = JSON.parse(event.body);
  return view(
    event.type,
    <>
      <Facts
        entries={[
          ['About', path ? <a href={path}>{name}</a> : name],
          ['By', actor && (actor.type === 'SYSTEM' ? 'The system' : actor.id), actor && actorWords[actor.type]],
          ['Time', <Time key="time" at={event.createdAt} to="second" />],
          ['Event ID', <Copyable key="id" text={event.id} label="the event ID" />],
        ]}
      />
      <Section heading="Payload">
        <Json label="Payload" text={event.body} />
      </Section>
      <Deliveries programId={programId} sent={sent} />
    </>,
  );
};
