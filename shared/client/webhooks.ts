import { Webhook } from 'standardwebhooks';
import { AffiliateProgramError } from './errors.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** The headers of Node's `request.headers`, or of a `Request`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const read = (headers: WebhookHeaders, name: string): string =>
  (headers instanceof Headers ? headers.get(name) : headers[name])?.toString() ?? '';

/** The event of a webhook: `body` as it came. Throws `invalid_signature` for another sender, or after five minutes. */
export const verifyWebhook = (body: string | Uint8Array, headers: WebhookHeaders, secret: string): WebhookEvent => {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, read(headers, name)]));
  try {
    // The signature vouches for the shape.
    return new Webhook(secret).verify(text, signed) as WebhookEvent;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no reason given';
    throw new AffiliateProgramError(`The webhook is not authentic: ${reason}`, { code: 'invalid_signature', cause });
  }
};
