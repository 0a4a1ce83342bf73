import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../shared/webhooks/delivery/signature.ts';
import { encryptedSigningSecrets, withNewSecret } from '../../shared/webhooks/endpoints/rules.ts';
import { makeStoredWebhook } from './fixtures.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = '{"id":"1","data":{"name":"Zoë"}}';

it('is the test vector that the Standard Webhooks specification publishes', () => {
  const headers = signatureHeaders({
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    secrets: [secret],
    now: new Date(1_614_265_330_999),
  });
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('is accepted by the library %s, and refused for another body or secret', (_, Verifier) => {
  const headers = signatureHeaders({ eventId: 'event-1', body, secrets: [secret], now: new Date() });
  expect(new Verifier(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Verifier(secret).verify(`${body} `, headers)).toThrow();
  expect(() => new Verifier(otherSecret).verify(body, headers)).toThrow();
});

it('is made with both secrets for as long as a rotated one lives', () => {
  const previousSecretUntil = '2026-01-02T00:00:00.000Z';
  const webhook = makeStoredWebhook({
    sealedSecret: secret,
    previousSealedSecret: otherSecret,
    previousSecretUntil,
  });
  expect(encryptedSigningSecrets(webhook, new Date('2026-01-01T23:59:59.000Z'))).toEqual([secret, otherSecret]);
  expect(encryptedSigningSecrets(webhook, new Date('2026-01-02T00:00:00.000Z'))).toEqual([secret]);

  const headers = signatureHeaders({ eventId: 'event-1', body, secrets: [secret, otherSecret], now: new Date() });
  expect(new StandardWebhook(secret).verify(body, headers)).toBeTruthy();
  expect(new StandardWebhook(otherSecret).verify(body, headers)).toBeTruthy();
});

describe('after a rotation', () => {
  const rotatedAt = new Date('2026-01-01T00:00:00.000Z');
  const newest = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const rotated = withNewSecret(makeStoredWebhook({ sealedSecret: secret }), newest, rotatedAt);
  // The libraries refuse what was signed long ago: the moment decides who signs, the signature is of today.
  const headersAt = (now: Date) =>
    signatureHeaders({ eventId: 'event-1', body, secrets: encryptedSigningSecrets(rotated, now), now: new Date() });
  const verifiers = [StandardWebhook, SvixWebhook];

  it('both libraries accept either secret until 24 hours are over, and the new one alone after that', () => {
    const lastMoment = headersAt(new Date('2026-01-01T23:59:59.999Z'));
    const afterwards = headersAt(new Date('2026-01-02T00:00:00.000Z'));
    for (const Verifier of verifiers) {
      for (const one of [secret, newest]) expect(new Verifier(one).verify(body, lastMoment)).toBeTruthy();
      expect(new Verifier(newest).verify(body, afterwards)).toBeTruthy();
      expect(() => new Verifier(secret).verify(body, afterwards)).toThrow();
    }
  });

  it('a second one within 24 hours ends the oldest secret', () => {
    const twice = withNewSecret(rotated, otherSecret, new Date('2026-01-01T12:00:00.000Z'));
    expect(encryptedSigningSecrets(twice, new Date('2026-01-02T11:59:59.999Z'))).toEqual([otherSecret, newest]);
    expect(encryptedSigningSecrets(twice, new Date('2026-01-02T12:00:00.000Z'))).toEqual([otherSecret]);
  });
});
