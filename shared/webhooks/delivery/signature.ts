import { Webhook } from 'standardwebhooks';

interface Signed {
  eventId: string;
  body: string;
  secrets: readonly string[];
  now: Date;
}

/** See docs/behavior.md#signatures */
export const signatureHeaders = ({ eventId, body, secrets, now }: Signed): Record<string, string> => ({
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(eventId, now, body)).join(' '),
});
