import { earliestMissed, type StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { FormCard } from '../blocks.tsx';
import { Confirmation, Field, type Filled } from '../controls.tsx';
import { type View, view } from '../responses.ts';
import { Time } from '../time.tsx';
import { type Place, webhookPath } from './webhooks.tsx';

/** Asks before a secret is replaced, because receivers must be changed over within a day. */
export const secretRotationView = ({ session, programId }: Place, webhook: StoredWebhook): View => {
  const path = webhookPath(programId, webhook.id);
  return view(
    'Rotate the secret?',
    <Confirmation session={session} action={`${path}/rotate-secret`} button="Rotate secret" back={path}>
      <p>
        <code>{webhook.url}</code> gets a new secret. For 24 hours the present one signs too; change the receiver over
        within that time.
      </p>
      {webhook.previousSecretUntil && (
        <p>
          The secret was rotated before: the older one signs until <Time at={webhook.previousSecretUntil} />, and stops
          at once if you go on.
        </p>
      )}
      <input type="hidden" name="previousSecretUntil" value={webhook.previousSecretUntil ?? ''} />
    </Confirmation>,
  );
};

/** Asks before an endpoint is deleted, because that cannot be taken back. */
export const webhookDeletionView = ({ session, programId }: Place, webhook: StoredWebhook): View => {
  const path = webhookPath(programId, webhook.id);
  return view(
    'Delete this endpoint?',
    <Confirmation session={session} action={`${path}/delete`} button="Delete endpoint" back={path}>
      <p>
        Nothing more is sent to <code>{webhook.url}</code>, for good. What waits to be tried again is dropped.
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

/** Asks since when an endpoint gets again what it has missed. */
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
        <code>{webhook.url}</code> gets everything that failed, was cancelled or waits for a retry since then, and what
        happened while it was switched off by the service. What was delivered is not sent again.
      </p>
      <Field
        name="since"
        label="Since (UTC)"
        hint="At most 30 days ago"
        initial={probablyMissedSince(webhook, now).slice(0, 16)}
        filled={filled}
        required
        type="datetime-local"
      />
    </FormCard>,
    { trail: [{ label: 'Endpoint', path }] },
  );
};
