import type * as z from 'zod';
import type { Webhook } from '../../contract/webhooks.ts';
import type { Reveals } from '../../domain/programs/reveals.ts';
import { earliestMissed, type StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled } from '../components/controls.tsx';
import { CopyField } from '../components/copyable.tsx';
import { localTimeOf } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import { SeenBy } from './seen-by.tsx';
import { type Place, webhookPath } from './webhooks.tsx';

/** Asks before a secret is replaced, because receivers must use the new one within a day. */
export const secretRotationView = ({ session, programId }: Place, webhook: StoredWebhook): View => {
  const path = webhookPath(programId, webhook.id);
  return view(
    'Rotate the secret?',
    <Confirmation session={session} action={`${path}/rotate-secret`} button="Rotate secret" back={path}>
      <p>
        Deliveries to <code>{webhook.url}</code> are signed with a new secret, and for 24 hours with the current one
        too. Change the secret in your receiver within that time.
      </p>
      {webhook.previousSecretUntil && (
        <p>
          The secret was rotated before. The older one is valid until <Time at={webhook.previousSecretUntil} />, and
          stops working immediately if you continue.
        </p>
      )}
      <input type="hidden" name="previousSecretUntil" value={webhook.previousSecretUntil ?? ''} />
    </Confirmation>,
  );
};

export const webhookDeletionView = ({ session, programId }: Place, webhook: StoredWebhook): View => {
  const path = webhookPath(programId, webhook.id);
  return view(
    'Delete this endpoint?',
    <Confirmation session={session} action={`${path}/delete`} button="Delete endpoint" back={path}>
      <p>
        No more events are sent to <code>{webhook.url}</code>, and pending retries are cancelled. This cannot be undone.
      </p>
    </Confirmation>,
  );
};

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Since when an endpoint may have missed something, as far as is known; else a day. The form takes at most 30 days. */
export const probablyMissedSince = (webhook: StoredWebhook, now: Date): string => {
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMilliseconds).toISOString();
  const known = [webhook.failingSince, earliestMissed(webhook, now)].filter((at) => at !== null).sort();
  const [since = daysAgo(1)] = known;
  return [since, daysAgo(29)].toSorted()[1] ?? since;
};

export const missedEventsView = (
  { session, programId }: Place,
  webhook: StoredWebhook,
  now: Date,
  filled: Filled,
): View => {
  const path = webhookPath(programId, webhook.id);
  return view(
    'Send missed events',
    <FormCard session={session} action={`${path}/missed`} button="Send missed events" back={path} filled={filled}>
      <p class="wide">
        Sends to <code>{webhook.url}</code> all events since then that failed, were cancelled or are waiting for a
        retry, and those from the time when the service had deactivated the endpoint. Delivered events are not sent
        again.
      </p>
      <Field
        name="since"
        label="Since"
        hint={`In the program’s time zone (${currentFormats().timeZone}), at most 30 days ago`}
        initial={localTimeOf(probablyMissedSince(webhook, now))}
        filled={filled}
        required
        type="datetime-local"
      />
    </FormCard>,
    { trail: [{ label: 'Endpoint', path }] },
  );
};

export const webhookSecretView = (
  programId: string,
  { id, url, secret, ...webhook }: z.input<typeof Webhook>,
  seenBy: Reveals,
): View =>
  view(
    'Signing secret',
    <div class="card form">
      {secret === null ? (
        <p>
          This secret cannot be shown or used any more, so nothing is delivered to <code>{url}</code>. Rotate it, and
          give the receiver the new one.
        </p>
      ) : (
        <>
          <p>
            Deliveries to <code>{url}</code> are signed with this secret. Keep it on the server that receives them.
          </p>
          <CopyField name="secret" label="Secret" text={secret} />
        </>
      )}
      {webhook.previousSecretUntil && (
        <p>
          The previous secret is also valid, until <Time at={webhook.previousSecretUntil} />.
        </p>
      )}
      <p>Seen by</p>
      <SeenBy seenBy={seenBy} />
      <p>
        <a href={webhookPath(programId, id)}>Back to the endpoint</a>
      </p>
    </div>,
  );
