import { ApiError, requireRecord } from '../../contract/errors.ts';
import { webhooks } from './repository.ts';
import type { StoredWebhook } from './rules.ts';

/** 409 when an endpoint is switched off. */
export const refuseInactive = ({ active }: StoredWebhook): void => {
  if (!active)
    throw new ApiError('conflict', 'The endpoint is not active. Switch it on with PUT /webhooks and active: true.');
};

/** The endpoint that something is to be sent to: 404 when there is none, 409 when it is switched off. */
export const activeWebhook = async (programId: string, webhookId: string): Promise<StoredWebhook> => {
  const webhook = requireRecord(await webhooks.get(programId, webhookId), 'Webhook');
  refuseInactive(webhook);
  return webhook;
};
