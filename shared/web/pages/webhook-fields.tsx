import type * as z from 'zod';
import type { Webhook } from '../../contract/webhooks.ts';
import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Copyable } from '../components/copyable.tsx';
import { State } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type DetailsOf, leftOut } from '../lists/record-fields.ts';

export const describedTypes = (types: readonly string[]): string =>
  types.includes('*') ? 'All events' : types.join(', ');

export const WebhookState = ({ webhook }: { webhook: StoredWebhook }) => {
  if (!webhook.active) return <State tone="bad">Inactive</State>;
  return webhook.failingSince ? <State tone="bad">Failing</State> : <State tone="good">Active</State>;
};

const explanationOf = ({ active, deactivationReason, deactivatedAt, failingSince }: StoredWebhook) => {
  if (active) return failingSince && <>Every attempt has failed since {<Time at={failingSince} />}.</>;
  if (!deactivationReason) return 'No events are sent until you activate it.';
  return (
    <>
      {deactivationReason}. It was deactivated {deactivatedAt && <Time at={deactivatedAt} />}. No events are sent until
      you activate it.
    </>
  );
};

const inState = leftOut('The state explains it');
const onItsPage = leftOut('A page of its own shows it, and notes who has seen it');

export const webhookDetails = (webhook: StoredWebhook): DetailsOf<z.output<typeof Webhook>> => ({
  url: ['URL', <Copyable key="url" text={webhook.url} label="the URL" />],
  description: ['Description', webhook.description],
  eventTypes: ['Events', describedTypes(webhook.eventTypes)],
  active: ['State', <WebhookState key="state" webhook={webhook} />, explanationOf(webhook)],
  deactivationReason: inState,
  deactivatedAt: inState,
  createdAt: [
    'Created',
    <>
      <Time at={webhook.createdAt} />
      {webhook.connection && ', by a connected app'}
    </>,
  ],
  secret: onItsPage,
  previousSecretUntil: onItsPage,
  id: leftOut('Nothing in the settings of a receiver asks for it'),
  updatedAt: leftOut('It tells people nothing'),
});
