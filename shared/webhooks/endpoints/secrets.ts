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

const decryptSecret = async (programId: string, webhookId: string, encrypted: string): Promise<string> => {
  const secret = await decrypt('webhook-secrets', encrypted, contextOf(programId, webhookId));
  if (secret === undefined) throw new Error(`A secret of webhook ${webhookId} cannot be decrypted`);
  return secret;
};

export const signingSecrets = (programId: string, webhook: StoredWebhook, now: Date): Promise<string[]> =>
  Promise.all(
    encryptedSigningSecrets(webhook, now).map((encrypted) => decryptSecret(programId, webhook.id, encrypted)),
  );

export const webhookResponse = async (programId: string, webhook: StoredWebhook): Promise<z.input<typeof Webhook>> => ({
  ...webhook,
  secret: await decryptSecret(programId, webhook.id, webhook.sealedSecret),
});
