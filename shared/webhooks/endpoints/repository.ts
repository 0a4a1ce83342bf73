import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';
import { mostWebhooks, StoredWebhook } from './rules.ts';

/** Thrown when an automation platform has a subscription of the same address and types. */
export class AlreadySubscribed extends ApiError {
  override name = 'AlreadySubscribed';
}

type Subscription = Pick<StoredWebhook, 'url' | 'eventTypes'>;

/** A hash, since an address can be longer than a key. */
const subscriptionValue = ({ url, eventTypes }: Subscription): string =>
  createHash('sha256')
    .update([url, ...[...new Set(eventTypes)].sort()].join('\n'))
    .digest('base64url');

/** The endpoints of programs. Their slots are unique values, which is what keeps them to a number. */
export const webhooks = recordStore({
  table: 'records',
  kind: 'WEBHOOK',
  schema: StoredWebhook,
  uniques: {
    SLOT: ({ slot }) => slotOf(slot),
    // What subscribes again is the same subscription. Decisions, section 6.
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

/** The subscription of an automation platform by its address and types, or undefined. */
export const findSubscription = (programId: string, subscription: Subscription): Promise<StoredWebhook | undefined> =>
  webhooks.find(programId, 'SUBSCRIPTION', subscriptionValue(subscription));

/** Every endpoint of a program, in one read. */
export const allWebhooks = async (programId: string): Promise<readonly StoredWebhook[]> =>
  (await webhooks.page(programId, { limit: mostWebhooks })).items;
