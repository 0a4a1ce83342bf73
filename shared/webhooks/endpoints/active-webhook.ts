import { ApiError, requireRecord } from '../../contract/errors.ts';
import { findOwnWebhook } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

export const refuseInactive = ({ active }: StoredWebhook): void => {
  if (!active)
    throw new ApiError('conflict', 'The endpoint is not active. Switch it on with PUT /webhooks and active: true.');
};

/** 404 if there is none, 409 if it is inactive. */
export const activeWebhook = async (programId: string, webhookId: string): Promise<StoredWebhook> => {
  const webhook = requireRecord(await findOwnWebhook(programId, webhookId), 'Webhook');
  refuseInactive(webhook);
  return webhook;
};
