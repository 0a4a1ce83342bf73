import { Webhook } from 'standardwebhooks';
import { readSettings, settingsFile, writeSettings } from './settings.ts';

export interface ForwardedEvent {
  id: string;
  type: string;
  timestamp: string;
  actor?: object | null | undefined;
  data: object;
  previousAttributes?: object | undefined;
}

const timeoutMs = 15_000;

const newSecret = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
};

/** The secret of this machine: the same for every `listen` and `trigger` of the user. */
export const forwardingSecret = (): string => {
  const settings = readSettings(process.env);
  if (settings.webhookSecret) return settings.webhookSecret;
  const webhookSecret = newSecret();
  writeSettings(process.env, { ...settings, webhookSecret });
  return webhookSecret;
};

/** On standard error, which ends in logs: so it says where the secret is, and not which. */
export const secretNotice = (): string => {
  forwardingSecret();
  return `The webhook secret is kept in ${settingsFile(process.env)}; "affiliate-program secret" prints it`;
};

/** Posts an event to an address as the service would, and returns the result as one line of text. Never throws. */
export const forward = async (
  event: ForwardedEvent,
  target: string,
): Promise<{ line: string; isAccepted: boolean }> => {
  const { id, type, timestamp, actor = null, data, previousAttributes } = event;
  const body = JSON.stringify({ id, type, timestamp, actor, data, previousAttributes });
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(forwardingSecret()).sign(id, at, body),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.arrayBuffer();
    return { line: `${type} ${id} -> ${response.status}`, isAccepted: response.ok };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { line: `${type} ${id} -> not sent: ${reason}`, isAccepted: false };
  }
};
