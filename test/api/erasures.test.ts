import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { itemsWith } from '../support/erasures.ts';
import { eventCounts, eventually } from '../support/events.ts';
import { makePlannedImport } from '../support/imports.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

let receiver: ScriptedReceiver;
beforeAll(async () => {
  // It repeats what it gets, and takes half of it.
  receiver = await startScriptedReceiver(({ path, body }) => ({ status: path.startsWith('/fails') ? 500 : 200, body }));
});
afterAll(() => receiver.stop());

const letters = (length: number): string =>
  Array.from({ length }, () => 'bcdfghjklmnpqrstvwxz'.charAt(Math.floor(Math.random() * 20))).join('');

/** Each part of a name and an email that has six characters or more, and is nothing else. */
const partsOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(/[^a-z]/i)).filter((part) => part.length >= 6 && part !== 'example');

const accepted = async (response: Promise<ResponseBody>): Promise<ResponseBody['body']> => {
  const { status, text, body } = await response;
  expect(status, text).toBe(200);
  return body;
};

const erased = async (api: Api, email: string) => {
  const started = await accepted(api.post('/erasures', { email }));
  expect(started).toMatchObject({ status: expect.stringMatching(/^(RUNNING|DONE)$/), records: expect.any(Number) });
  return eventually('the erasure', async () => {
    const { body } = await api.get(`/erasures/${started.id}`);
    return body.status === 'DONE' && body;
  });
};

const logLines = (texts: readonly string[]): string[] => {
  const folder = inject('logFolder');
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => texts.some((text) => line.toLowerCase().includes(text.toLowerCase()))),
  );
};

it('finds name and email nowhere after an erasure: neither in a table nor in a log', async () => {
  const api = await makeProgram();
  const [firstName, lastName] = [`Q${letters(9)}`, `V${letters(9)}`];
  const email = `${letters(8)}.${letters(8)}@example.com`;
  const name = `${firstName} ${lastName}`;
  const idempotent = () => ({ 'idempotency-key': randomUUID() });
  for (const path of ['/takes', '/fails'])
    await accepted(api.post('/webhooks', { url: receiver.url(`${path}/${randomUUID()}`), eventTypes: ['*'] }));

  const referrer = await makeAffiliate(api);
  const metadata = { about: name };
  const affiliate = await accepted(
    api.post('/affiliates', { email, firstName, lastName, payoutEmail: email, metadata }, idempotent()),
  );
  const coupon = await makeCoupon(api);
  const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id, code: `${firstName}20` });
  await accepted(
    api.put('/affiliates', { affiliateId: affiliate.id, lastName: `${lastName}y`, affiliateLink: `${firstName}-too` }),
  );
  const former = await accepted(api.post('/referrals', { name, email, affiliateId: referrer.id, metadata }));
  await accepted(api.put('/referrals', { referralId: former.id, notes: `Formerly ${name}` }));
  await accepted(api.delete('/referrals', { referralId: former.id }));
  const referral = await accepted(
    api.post(
      '/referrals',
      { name, email, affiliateId: referrer.id, metadata, referredUserExternalId: lastName },
      idempotent(),
    ),
  );
  await accepted(api.put('/referrals', { referralId: referral.id, notes: `About ${name}` }));
  const sale = await accepted(
    api.post('/sales', { totalEarned: 49.9, email, name, metadata, externalId: randomUUID() }, idempotent()),
  );
  const deleted = await accepted(api.post('/sales', { totalEarned: 10, email, name }));
  await accepted(api.delete('/sales', { saleId: deleted.id }));
  // Somebody of the same email, who was deleted before.
  const before = await accepted(api.post('/affiliates', { email: `${letters(8)}@example.com`, firstName, lastName }));
  await accepted(api.put('/affiliates', { affiliateId: before.id, metadata: { alias: email } }));

  await makePlannedImport(api.programId, 'people.csv', new Date(), `${email} has a referral already`);

  await eventually('all events', async () => {
    const counts = await eventCounts(api.programId);
    return (
      (counts['sale.deleted'] ?? 0) >= 1 &&
      (counts['affiliate.updated'] ?? 0) >= 2 &&
      (counts['referral.updated'] ?? 0) >= 2 &&
      (counts['referral.deleted'] ?? 0) >= 1 &&
      (counts['promotional_code.created'] ?? 0) >= 1
    );
  });
  await eventually('all deliveries', async () => {
    const { body } = await api.get('/webhook-deliveries?limit=100&status=PENDING');
    return body.length === 0;
  });
  await accepted(api.delete('/affiliates', { affiliateId: before.id }));
  await eventually('the deletion', async () => ((await eventCounts(api.programId))['affiliate.deleted'] ?? 0) >= 1);
  await eventually('the last deliveries', async () => {
    const { body } = await api.get('/webhook-deliveries?limit=100&status=PENDING');
    return body.length === 0;
  });
  const counted = await eventCounts(api.programId);
  const total = await accepted(api.get(`/affiliates/${referrer.id}`));

  // The other affiliate has the same name and another email.
  await erased(api, before.email);
  const erasure = await erased(api, email);
  expect(erasure).toMatchObject({
    erased: { affiliates: 1, links: 2, promotionalCodes: 1, referrals: 1, sales: 1 },
    remains: expect.arrayContaining([expect.stringContaining('Backups')]),
  });
  expect(erasure.erased.events).toBeGreaterThan(8);
  expect(erasure.erased.deliveries).toBeGreaterThan(8);

  await eventually('the code of the links renamed', async () => {
    const { body } = await api.get(`/links?affiliateId=${affiliate.id}`);
    const codesOnLinks = body.flatMap((link: { promotionalCodes: { code: string }[] }) => link.promotionalCodes);
    return codesOnLinks.length === 2 && codesOnLinks.every((one: { code: string }) => one.code.startsWith('ERASED'));
  });
  const texts = [firstName, lastName, name, email, ...partsOf([name, email])];
  expect(await itemsWith(texts)).toEqual([]);
  expect(logLines(texts)).toEqual([]);

  // It made no events, and moved no amount.
  const { body: list } = await api.get(`/sales/${sale.id}`);
  expect(list).toMatchObject({ totalEarned: 49.9, affiliateId: referrer.id, name: 'erased', customerId: null });
  expect(await accepted(api.get(`/affiliates/${referrer.id}`))).toEqual(total);
  await accepted(api.post('/groups', { name: 'Made after it', commissionRate: 5 }));
  const after = await eventually('the last event', async () => {
    const { 'group.created': made, ...others } = await eventCounts(api.programId);
    return made === 1 && others;
  });
  expect(after).toEqual(counted);
  const { body: codes } = await api.get(`/promotional-codes/${code.id}`);
  expect(codes).toMatchObject({ active: false, affiliate: { firstName: 'erased' } });
  const again = await accepted(api.post('/affiliates', { email, firstName: 'Ada', lastName: 'B' }));
  expect(again.id).not.toBe(affiliate.id);
});

it('refuses what is no email, and a name that is not an erasure of the program', async () => {
  const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
  for (const body of [{}, { email: '' }, { email: 'nobody' }, { email: null }, { email: 'a@example.com', name: 'A' }])
    expect((await api.post('/erasures', body)).status).toBe(400);
  const { body } = await other.post('/erasures', { email: ' Nobody@Example.com ' });
  expect(body).toMatchObject({ records: 0 });
  expect((await api.get(`/erasures/${body.id}`)).status).toBe(404);
  expect((await other.get(`/erasures/${body.id}`)).status).toBe(200);
});
