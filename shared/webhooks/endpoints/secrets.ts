import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import type { Webhook } from '../../contract/webhooks.ts';
import { decrypt, encrypt } from '../../platform/secrets/encryption.ts';
import { encryptedSigningSecrets, type StoredWebhook } from './rules.ts';

/** Decrypted only to sign or to respond. */

const contextOf = (programId: string, webhookId: string): string => `${programId}/${webhookId}`;

/** Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export const newEncryptedSecret = (programId: string, webhookId: string): Promise<string> =>
  encrypt('webhook-secrets', `whsec_${randomBytes(32).toString('base64')}`, contextOf(programId, webhookId));

const decryptSecret = (programId: string, webhookId: string, encrypted: string): Promise<string | undefined> =>
  decrypt('webhook-secrets', encrypted, contextOf(programId, webhookId));

/** Throws if none can be decrypted; a previous secret that cannot be signs nothing. */
export const signingSecrets = async (programId: string, webhook: StoredWebhook, now: Date): Promise<string[]> => {
  const found = await Promise.all(
    encryptedSigningSecrets(webhook, now).map((encrypted) => decryptSecret(programId, webhook.id, encrypted)),
  );
  const secrets = found.filter((secret) => secret !== undefined);
  if (secrets.length === 0) throw new Error(`No secret of webhook ${webhook.id} can be decrypted`);
  return secrets;
};

/** One secret that cannot be decrypted must not hide the others. docs/behavior.md#signatures */
export const webhookResponse = async (programId: string, webhook: StoredWebhook): Promise<z.input<typeof Webhook>> => ({
  ...webhook,
  secret: (await decryptSecret(programId, webhook.id, webhook.sealedSecret)) ?? null,
});

/** Of an endpoint whose secret was just made. */
export const newSecretResponse = async (programId: string, webhook: StoredWebhook) => {
  const { secret, ...others } = await webhookResponse(programId, webhook);
  if (secret === null) throw new Error(`The new secret of webhook ${webhook.id} cannot be decrypted`);
  return { ...others, secret };
};
