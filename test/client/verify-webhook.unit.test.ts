import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../shared/client/webhooks.ts';

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
const body = JSON.stringify({ id: 'one', type: 'coupon.created' });

const headersAt = (at: Date): Record<string, string> => ({
  'webhook-id': 'one',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('one', at, body),
});
const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
const invalid = expect.objectContaining({ code: 'invalid_signature' });

describe('verifyWebhook', () => {
  it('returns the event of a webhook that is signed, as text and as bytes', () => {
    const headers = headersAt(new Date());
    for (const given of [body, new TextEncoder().encode(body)])
      expect(verifyWebhook(given, headers, secret)).toEqual(JSON.parse(body));
    expect(verifyWebhook(body, new Headers(headers), secret)).toEqual(JSON.parse(body));
  });

  it.each(Object.keys(headersAt(new Date())))('refuses one without the header %s', (name) => {
    const headers = headersAt(new Date());
    delete headers[name];
    expect(() => verifyWebhook(body, headers, secret)).toThrow(invalid);
    expect(() => verifyWebhook(body, { ...headers, [name]: '' }, secret)).toThrow(invalid);
  });

  it('takes one of four minutes ago, and refuses one of six, and one of the future', () => {
    expect(verifyWebhook(body, headersAt(secondsAgo(240)), secret)).toEqual(JSON.parse(body));
    expect(() => verifyWebhook(body, headersAt(secondsAgo(360)), secret)).toThrow(invalid);
    expect(() => verifyWebhook(body, headersAt(secondsAgo(-360)), secret)).toThrow(invalid);
  });

  it('refuses another body and another secret', () => {
    const headers = headersAt(new Date());
    expect(() => verifyWebhook(`${body} `, headers, secret)).toThrow(invalid);
    const another = `whsec_${Buffer.from('another secret of many b').toString('base64')}`;
    expect(() => verifyWebhook(body, headers, another)).toThrow(invalid);
  });
});
