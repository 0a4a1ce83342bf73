import { Webhook } from 'standardwebhooks';

interface Signed {
  eventId: string;
  body: string;
  /** One, or two for a day after a rotation. */
  secrets: readonly string[];
  now: Date;
}

/** The headers of a delivery by Standard Webhooks: each secret signs the id, the whole second and the exact body. */
export const signatureHeaders = ({ eventId, body, secrets, now }: Signed): Record<string, string> => ({
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(eventId, now, body)).join(' '),
});
