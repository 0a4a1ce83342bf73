import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';
import { maxWebhooks, StoredWebhook } from './rules.ts';

export class AlreadySubscribed extends ApiError {
  override name = 'AlreadySubscribed';
}

type Subscription = Pick<StoredWebhook, 'url' | 'eventTypes'>;

/** A hash, because a URL can be longer than a key. */
const subscriptionValue = ({ url, eventTypes }: Subscription): string =>
  createHash('sha256')
    .update([url, ...[...new Set(eventTypes)].sort()].join('\n'))
    .digest('base64url');

export const webhooks = recordStore({
  table: 'records',
  kind: 'WEBHOOK',
  keepsActor: true,
  schema: StoredWebhook,
  uniques: {
    SLOT: ({ slot }) => slotOf(slot),
    // See docs/behavior.md#subscriptions
    SUBSCRIPTION: (webhook) =>
      webhook.connection === 'CONNECTOR'
        ? {
            value: subscriptionValue(webhook),
            refusal: () =>
              new AlreadySubscribed('already_exists', 'Another subscription has this url and these eventTypes'),
          }
        : undefined,
  },
});

/** Leaves out what a connection created. docs/behavior.md#subscriptions */
export const isOwn = ({ connection }: StoredWebhook): boolean => connection === null;

export const findOwnWebhook = async (programId: string, webhookId: string): Promise<StoredWebhook | undefined> => {
  const webhook = await webhooks.get(programId, webhookId);
  return webhook && isOwn(webhook) ? webhook : undefined;
};

export const findSubscription = (programId: string, subscription: Subscription): Promise<StoredWebhook | undefined> =>
  webhooks.find(programId, 'SUBSCRIPTION', subscriptionValue(subscription));

export const allWebhooks = async (programId: string): Promise<readonly StoredWebhook[]> =>
  (await webhooks.page(programId, { limit: maxWebhooks })).items;
