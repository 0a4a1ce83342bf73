import type { StoredWebhook } from '../../webhooks/endpoints/rules.ts';
import { Confirmation } from '../controls.tsx';
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
