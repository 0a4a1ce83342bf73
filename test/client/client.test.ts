import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../shared/client/client.ts';
import { AffiliateProgramError } from '../../shared/client/errors.ts';
import { responseOf } from '../../shared/client/response-info.ts';
import type { Client } from '../../shared/client/surface.ts';
import { verifyWebhook } from '../../shared/client/webhooks.ts';
import { makeProgram } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

let client: Client;
let receiver: ScriptedReceiver;
let couponId: string;
beforeAll(async () => {
  const { apiKey } = await makeProgram();
  client = createClient({ apiKey, baseUrl: inject('baseUrl') });
  receiver = await startScriptedReceiver();
  couponId = (await client.coupons.create({ name: 'Spring', percentOff: 20 })).id;
});
afterAll(() => receiver.stop());

const failure = async (call: Promise<unknown>): Promise<AffiliateProgramError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof AffiliateProgramError)) throw new Error(`No error of the API: ${error}`);
  return error;
};

it('a code is created, read by its text, changed, redeemed and deleted', async () => {
  const { id: affiliateId } = await client.affiliates.create({ email: 'noor@example.com', firstName: 'Noor' });
  const code = await client.promotionalCodes.create({ couponId, affiliateId, code: 'NOOR20' });
  expect(await client.promotionalCodes.get('code:NOOR20')).toEqual(code);
  expect(await client.promotionalCodes.update(code.id, { maxRedemptions: 5 })).toMatchObject({ maxRedemptions: 5 });
  expect(await client.promotionalCodes.validate({ code: 'NOOR20', amount: 10 })).toMatchObject({ valid: true });
  const sale = await client.sales.create({ totalEarned: 50, promoCode: 'NOOR20', email: 'a@example.com' });
  expect(await client.sales.refund(sale.id, { amount: 20 })).toMatchObject({ id: sale.id, refundedAmount: 20 });
  expect(await client.promotionalCodes.delete(code.id)).toMatchObject({ deletedCode: { code: 'NOOR20' } });
  expect(await client.affiliates.update({ emailAddress: 'noor@example.com', lastName: 'H' })).toMatchObject({
    lastName: 'H',
  });
});

it('iteration over a list gives every record once, over all pages', async () => {
  const texts = Array.from({ length: 7 }, (_, at) => `MANY-${at}`);
  const promotionalCodes = texts.map((code) => ({ couponId, code }));
  const { results } = await client.promotionalCodes.createInBulk({ promotionalCodes });
  expect(results.map(({ status }) => status)).toEqual(texts.map(() => 200));
  const list = client.promotionalCodes.list({ couponId, limit: 3 });
  const found: string[] = [];
  for await (const { code } of list) found.push(code);
  expect(found.toSorted()).toEqual(texts);
  const sizes: number[] = [];
  for await (const { data } of list.pages()) sizes.push(data.length);
  expect(sizes).toEqual([3, 3, 1]);
});

describe('errors', () => {
  it('have status, code, field and the request id', async () => {
    const invalid = await failure(client.promotionalCodes.create({ couponId: 'none', code: 'X' }));
    expect(invalid).toMatchObject({ status: 400, code: 'bad_request', field: 'couponId' });
    expect(invalid.message).toContain('couponId');
    expect(invalid.requestId).toBeTruthy();
    expect(await failure(client.coupons.delete(randomUUID()))).toMatchObject({ status: 404, code: 'not_found' });
    const unknown = client.sales.create({ totalEarned: 1, promoCode: 'NOBODY' });
    expect(await failure(unknown)).toMatchObject({ status: 400, code: 'code_not_found' });
    const stranger = createClient({ apiKey: randomUUID(), baseUrl: inject('baseUrl') });
    expect(await failure(stranger.program.get())).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('a write with ifMatch fails when the record has changed since', async () => {
    const read = await client.coupons.get(couponId);
    await client.coupons.update(couponId, { name: 'Summer' }, { ifMatch: read });
    const second = client.coupons.update(couponId, { name: 'Autumn' }, { ifMatch: read });
    expect(await failure(second)).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await client.coupons.get(couponId)).name).toBe('Summer');
  });
});

it('a create whose response was lost is retried, and creates one record', async () => {
  let isLost = true;
  const losing: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (!isLost) return response;
    isLost = false;
    await response.arrayBuffer();
    throw new TypeError('fetch failed');
  };
  const { apiKey } = await makeProgram();
  const fragile = createClient({ apiKey, baseUrl: inject('baseUrl'), fetch: losing });
  const affiliate = await fragile.affiliates.create({ email: 'once@example.com', firstName: 'Once' });
  expect(responseOf(affiliate)?.headers.get('idempotent-replayed')).toBe('true');
  expect(await fragile.affiliates.list().toArray({ max: 10 })).toMatchObject([{ id: affiliate.id }]);
});

it('a webhook is verified with the secret of its endpoint, and refused with another or with another body', async () => {
  const { id, secret } = await client.webhooks.create({ url: receiver.url('/client'), eventTypes: ['link.deleted'] });
  await client.webhooks.test(id, { eventType: 'sale.created' });
  const [received] = await receiver.waitFor('/client', 1);
  if (!received) throw new Error('No webhook came');
  const event = verifyWebhook(received.body, received.headers, secret);
  expect(event).toMatchObject({ type: 'webhook.test', data: { webhookId: id, example: { type: 'sale.created' } } });
  const headers = new Headers(Object.entries(received.headers).map(([name, value]) => [name, String(value)]));
  expect(verifyWebhook(new TextEncoder().encode(received.body), headers, secret)).toEqual(event);
  const { secret: another } = await client.webhooks.rotateSecret(id);
  for (const [body, key] of [
    [`${received.body} `, secret],
    [received.body, another],
  ] as const)
    expect(() => verifyWebhook(body, headers, key)).toThrow('The webhook is not authentic');
});
