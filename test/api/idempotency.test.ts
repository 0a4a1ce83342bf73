import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { refundSale } from '../../shared/domain/sales/refund-sale.ts';
import { once } from '../../shared/http/idempotency.ts';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';
import { allKeyOperations, freshRequest, makeWorld, send, type World } from './every-operation.ts';

const key = { 'idempotency-key': 'k' };
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true';

const makeSale = async (api: Api) => {
  const { id: referralId } = await makeAffiliate(api);
  const { status, body } = await api.post('/sales', { totalEarned: 100, referralId });
  expect(status).toBe(200);
  return body;
};

describe('an Idempotency-Key', () => {
  it('makes a refund once, however often it is sent', async () => {
    const api = await makeProgram();
    const { id: saleId } = await makeSale(api);
    const first = await api.patch('/sales', { saleId, amount: 10 }, key);
    const again = await api.patch('/sales', { amount: 10, saleId }, key);
    expect([again.status, again.text, isReplayed(again)]).toEqual([200, first.text, true]);
    expect((await api.get(`/sales?id=${saleId}`)).body.refundedAmount).toBe(10);
    const other = await api.patch('/sales', { saleId, amount: 20 }, key);
    expect([other.status, other.body.error]).toEqual([422, 422]);
  });

  it('makes no second refund for one that died after it was made', async () => {
    const api = await makeProgram();
    const { id: saleId } = await makeSale(api);
    const body = { saleId, amount: 10 };
    const keyId = (await allApiKeys(api.programId))[0]?.id ?? '';
    const program = { id: api.programId, currency: 'USD' };
    const died = once(
      {
        programId: api.programId,
        keyId,
        apiKey: api.apiKey,
        endpoint: 'PATCH /api/v1/sales',
        idempotencyKey: 'k',
        content: [body, {}],
        now: new Date(),
      },
      async (idempotency) => {
        await refundSale(program, body, undefined, new Date(), idempotency);
        throw new Error('killed');
      },
    );
    await expect(died).rejects.toThrow('killed');
    const again = await api.patch('/sales', body, key);
    expect([again.status, again.body.refundedAmount]).toEqual([200, 10]);
    expect((await api.get(`/sales?id=${saleId}`)).body.refundedAmount).toBe(10);
  });

  it('works for changes and deletions, each method on its own', async () => {
    const api = await makeProgram();
    const { id: couponId } = await makeCoupon(api);
    const changed = await api.put('/coupons', { couponId, name: 'Autumn' }, key);
    expect(isReplayed(await api.put('/coupons', { couponId, name: 'Autumn' }, key))).toBe(true);
    expect((await api.get(`/coupons?id=${couponId}`)).headers.get('etag')).toBe(changed.headers.get('etag'));

    const deleted = await api.delete('/coupons', { couponId }, key);
    expect([deleted.status, isReplayed(deleted)]).toEqual([200, false]);
    const again = await api.delete('/coupons', { couponId }, key);
    expect([again.status, again.text, isReplayed(again)]).toEqual([200, deleted.text, true]);
    expect((await api.delete('/coupons', { couponId })).status).toBe(404);
  });

  it('takes the same body in another order of its keys, and no other values', async () => {
    const api = await makeProgram();
    const metadata = { a: 1, b: 'two' };
    const first = await api.post('/coupons', { name: 'Spring', percentOff: 20, metadata }, key);
    const reordered = { metadata: { b: 'two', a: 1.0 }, percentOff: 20, name: 'Spring' };
    const again = await api.post('/coupons', reordered, key);
    expect([again.text, isReplayed(again)]).toEqual([first.text, true]);
    expect((await api.post('/coupons', { ...reordered, metadata: { b: 'two', a: '1' } }, key)).status).toBe(422);
  });

  it('is free for a corrected body after a refusal of invalid fields, also where the code behind refuses them', async () => {
    const api = await makeProgram();
    const invalid = [{ name: '' }, { name: 'Spring', couponType: 'FLAT', amountOff: 0.001, currency: 'USD' }];
    for (const body of invalid) expect((await api.post('/coupons', body, key)).status).toBe(400);
    const made = await api.post('/coupons', { name: 'Spring', percentOff: 20 }, key);
    expect([made.status, isReplayed(made)]).toEqual([200, false]);
    expect(isReplayed(await api.post('/coupons', { name: 'Spring', percentOff: 20 }, key))).toBe(true);
  });

  it('keeps a refusal that is no matter of the input alone', async () => {
    const api = await makeProgram();
    const { externalId } = await makeCoupon(api, { externalId: 'taken' });
    const body = { name: 'Spring', percentOff: 20, externalId };
    const first = await api.post('/coupons', body, key);
    const again = await api.post('/coupons', body, key);
    expect([first.status, again.text, isReplayed(again)]).toEqual([400, first.text, true]);
  });

  it('stays usable where the response is too large to keep, and its header says so', async () => {
    const api = await makeProgram();
    const { id: couponId } = await makeCoupon(api);
    const keyId = (await allApiKeys(api.programId))[0]?.id ?? '';
    const asked = {
      programId: api.programId,
      keyId,
      apiKey: api.apiKey,
      endpoint: 'POST /api/v1/large',
      idempotencyKey: 'k',
      content: couponId,
      now: new Date(),
    };
    const large = randomBytes(300 * 1024).toString('base64');
    const run = () => once(asked, async () => ({ statusCode: 200, headers: { etag: '"1"' }, body: large }));
    for (let times = 0; times < 3; times++)
      expect(await run()).toEqual({
        statusCode: 200,
        headers: { etag: '"1"', 'idempotent-kept': 'false' },
        body: large,
      });
  });

  it('stays usable for a bulk with an unknown field of 200 KB', async () => {
    const api = await makeProgram();
    const { id: couponId } = await makeCoupon(api);
    const name = randomBytes(100 * 1024).toString('hex');
    const body = {
      promotionalCodes: [
        { couponId, code: 'ONE' },
        { couponId, code: 'TWO', [name]: 1 },
      ],
    };
    const first = await api.post('/promotional-codes/bulk', body, key);
    expect(first.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 400]);
    expect(first.body.results[1].error).toBe(`${name.slice(0, 100)}… is not a known field`);
    const again = await api.post('/promotional-codes/bulk', body, key);
    expect([again.status, again.text, isReplayed(again)]).toEqual([200, first.text, true]);
  });
});

describe('a name that a caller chose', () => {
  let api: Api;
  beforeAll(async () => {
    api = await makeProgram();
  });

  it.each([
    ['a field', (name: string) => ['/coupons', { name: 'a', percentOff: 1, [name]: 1 }] as const],
    ['a query parameter', (name: string) => [`/coupons?${name}=1`, { name: 'a', percentOff: 1 }] as const],
    ['a parameter given twice', (name: string) => [`/coupons?${name}=1&${name}=1`, {}] as const],
    [
      'a key of metadata',
      (name: string) => ['/coupons', { name: 'a', percentOff: 1, metadata: { [name]: [] } }] as const,
    ],
  ])('%s is cut at 100 characters in an error', async (_, ask) => {
    const name = 'x'.repeat(4000);
    const [path, body] = ask(name);
    const { status, text } = await api.post(path, body);
    expect(status).toBe(400);
    expect(text).toContain(`${'x'.repeat(100)}…`);
    expect(text).not.toContain('x'.repeat(101));
  });
});

describe('If-Match', () => {
  let api: Api;
  beforeAll(async () => {
    api = await makeProgram();
  });

  it.each([
    ['the ETag', (etag: string) => etag, 200],
    ['a list with it', (etag: string) => `"999", W/"1", ${etag}`, 200],
    ['anything', () => '*', 200],
    ['another ETag', () => '"999"', 412],
    ['a list without it', () => '"999" , "998"', 412],
    ['a weak ETag', (etag: string) => `W/${etag}`, 412],
    ['what is no ETag', () => '1', 412],
    ['a list with what is none', (etag: string) => `${etag}, x`, 412],
  ])('with %s', async (_, header, expected) => {
    const { id: couponId } = await makeCoupon(api);
    const etag = (await api.get(`/coupons?id=${couponId}`)).headers.get('etag') ?? '';
    const { status } = await api.put('/coupons', { couponId, name: 'Autumn' }, { 'if-match': header(etag) });
    expect(status).toBe(expected);
  });
});

describe('a write that is sent again with its Idempotency-Key gets its first response', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld({ isCompared: false, isListed: false });
  });

  const writes = allKeyOperations.filter(({ method }) => method !== 'GET');
  it.each(writes)('$id', async (operation) => {
    const given = { ...freshRequest(operation, world), headers: { 'idempotency-key': randomUUID() } };
    const first = await send(world.api.apiKey, operation, given);
    const again = await send(world.api.apiKey, operation, given);
    expect([again.status, again.text, isReplayed(again)]).toEqual([first.status, first.text, true]);
  });
});
