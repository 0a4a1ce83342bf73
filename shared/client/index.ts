export { createClient } from './client.ts';
export { AffiliateProgramError, type ErrorDetail } from './errors.ts';
export type { ClientSettings, CsvOptions, RequestOptions } from './options.ts';
export type { CsvPage, List, Page } from './pages.ts';
export { type ResponseInfo, responseOf } from './response-info.ts';
export type * from './surface.ts';
export type { WebhookEvent } from './webhook-event.ts';
export { verifyWebhook, type WebhookHeaders } from './webhooks.ts';
