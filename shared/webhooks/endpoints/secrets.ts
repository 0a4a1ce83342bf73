import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import type { Webhook } from '../../contract/webhooks.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import { type StoredWebhook, sealedSigningSecrets } from './rules.ts';

/** Decrypted only to sign or to respond. */

const contextOf = (programId: string, webhookId: string): string => `${programId}/${webhookId}`;

/** Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export const newSealedSecret = (programId: string, webhookId: string): Promise<string> =>
  seal('webhook-secrets', `whsec_${randomBytes(32).toString('base64')}`, contextOf(programId, webhookId));

const openSecret = async (programId: string, webhookId: string, sealed: string): Promise<string> => {
  const secret = await open('webhook-secrets', sealed, contextOf(programId, webhookId));
  if (secret === undefined) throw new Error(`A secret of webhook ${webhookId} cannot be decrypted`);
  return secret;
};

export const signingSecrets = (programId: string, webhook: StoredWebhook, now: Date): Promise<string[]> =>
  Promise.all(sealedSigningSecrets(webhook, now).map((sealed) => openSecret(programId, webhook.id, sealed)));

export const webhookAnswer = async (programId: string, webhook: StoredWebhook): Promise<z.input<typeof Webhook>> => ({
  ...webhook,
  secret: await openSecret(programId, webhook.id, webhook.sealedSecret),
});
