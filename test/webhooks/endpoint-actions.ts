import { createWebhook as creation } from '../../shared/contract/webhooks.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { bodyOf, now } from '../support/domain.ts';

export const url = 'https://example.com/hooks';
export const create = (programId: string, input: { url?: string; eventTypes?: ('*' | 'sale.created')[] } = {}) =>
  createWebhook(programId, bodyOf(creation, { url, eventTypes: ['*'], ...input }), now);
