import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventCounts, eventsUntil } from '../support/events.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';

const setUp = async (overrides: Record<string, unknown> = {}) => {
  const api = await makeProgram();
  const coupon = await makeCoupon(api);
  const code = await makeCode(api, coupon.id, overrides);
  const put = (change: object) => api.put('/promotional-codes', { promotionalCodeId: code.id, ...change });
  return { api, coupon, code, put };
};

describe('PUT /promotional-codes', () => {
  it('changes the given fields, leaves the others and says in its event what they were', async () => {
    const {
      api,
      code: before,
      put,
    } = await setUp({ metadata: { from: 'mail' }, maxRedemptions: 3, externalId: 'e-1' });
    const change = {
      code: 'AFTER',
      active: false,
      expiresAt: '2040-01-01T00:00:00.000Z',
      maxRedemptions: null,
      firstTimeOrder: true,
      minimumAmount: 19.99,
      limitToCustomers: true,
      customerId: 'cus-1',
      limitToAffiliate: true,
      externalId: 'e-2',
    };
    const response = await put(change);
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('etag')).toBe('"2"');
    const after = { ...before, ...change, minimumAmountCurrency: 'USD', updatedAt: expect.any(String) };
    expect(response.body).toEqual(after);
    expect((await api.get('/promotional-codes?code=AFTER')).body).toEqual(response.body);
    const [event] = await eventsUntil(api.programId, 'promotional_code.updated', 1);
    expect(event?.data).toEqual(response.body);
    expect(event?.previousAttributes).toEqual(
      Object.fromEntries([...Object.keys(change), 'minimumAmountCurrency'].map((name) => [name, before[name]])),
    );
  });

  it('frees the old code and the old externalId, and takes none that is taken', async () => {
    const { api, coupon, code, put } = await setUp({ code: 'OLD', externalId: 'old' });
    await makeCode(api, coupon.id, { code: 'TAKEN', externalId: 'taken' });
    const taken = await put({ code: 'TAKEN', active: false });
    expect([taken.status, taken.body]).toEqual([
      400,
      {
        error: 400,
        message: 'The code TAKEN already exists in this program',
        details: [{ path: 'code', message: 'code already exists in this program' }],
      },
    ]);
    expect((await put({ externalId: 'taken' })).body.details[0].path).toBe('externalId');
    expect((await api.get(`/promotional-codes?id=${code.id}`)).body).toEqual(code);
    expect((await put({ code: 'taken', externalId: null })).body).toMatchObject({ code: 'taken', externalId: null });
    expect((await api.get('/promotional-codes?code=OLD')).status).toBe(404);
    await makeCode(api, coupon.id, { code: 'OLD', externalId: 'old' });
  });

  it('gives a code to exactly one of many that want it', async () => {
    const { api, coupon } = await setUp();
    const made = await Promise.all(Array.from({ length: 8 }, () => makeCode(api, coupon.id)));
    const responses = await Promise.all(
      made.map(({ id }) => api.put('/promotional-codes', { promotionalCodeId: id, code: 'WANTED' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
  });

  it('keeps amount and currency of a minimum together', async () => {
    const { put } = await setUp();
    const minimum = async (change: object) => {
      const { status, body } = await put(change);
      return status === 200 ? [body.minimumAmount, body.minimumAmountCurrency] : body.details[0].path;
    };
    expect(await minimum({ minimumAmountCurrency: 'EUR' })).toEqual([null, null]);
    expect(await minimum({ minimumAmount: 10.005 })).toEqual([10.01, 'USD']);
    expect(await minimum({ minimumAmountCurrency: 'EUR' })).toEqual([10.01, 'EUR']);
    expect(await minimum({ minimumAmount: 20 })).toEqual([20, 'EUR']);
    expect(await minimum({ minimumAmountCurrency: 'JPY' })).toEqual([20, 'JPY']);
    expect(await minimum({ minimumAmountCurrency: null })).toEqual([20, 'USD']);
    expect(await minimum({ minimumAmount: 0 })).toEqual([null, null]);
    expect(await minimum({ minimumAmount: 20 })).toEqual([20, 'USD']);
    expect(await minimum({ minimumAmount: null, minimumAmountCurrency: 'EUR' })).toEqual([null, null]);
    expect(await minimum({ minimumAmount: null })).toEqual([null, null]);
  });

  it('never stores a minimum that rounds to 0', async () => {
    const { put } = await setUp();
    const refusal = async (change: object) => {
      const { status, body } = await put(change);
      return [status, body.details?.[0].path, body.message];
    };
    const inUsd = 'minimumAmount rounds to 0 in USD; send at least 0.01';
    expect(await refusal({ minimumAmount: 0.004 })).toEqual([400, 'minimumAmount', inUsd]);
    expect((await put({ minimumAmount: 0.4 })).body).toMatchObject({
      minimumAmount: 0.4,
      minimumAmountCurrency: 'USD',
    });
    const inYen = 'minimumAmount rounds to 0 in JPY; send at least 1';
    expect(await refusal({ minimumAmountCurrency: 'JPY' })).toEqual([400, 'minimumAmount', inYen]);
    expect((await put({ code: 'UNCHANGED' })).body).toMatchObject({ minimumAmount: 0.4, minimumAmountCurrency: 'USD' });
  });

  it('deactivates a code at once and keeps it', async () => {
    const { api, code, put } = await setUp();
    expect((await put({ active: false })).body.active).toBe(false);
    const refused = await api.post('/sales', { totalEarned: 10, promoCode: code.code });
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'code_inactive']);
    expect((await put({ active: true })).status).toBe(200);
    expect((await api.post('/sales', { totalEarned: 10, promoCode: code.code })).status).toBe(200);
  });

  it('moves nothing else: coupon, affiliate and generated marks stay, and unknown fields are refused', async () => {
    const { put } = await setUp();
    for (const field of ['couponId', 'affiliateId', 'isAutoGenerated', 'timesRedeemed'])
      expect((await put({ [field]: randomUUID() })).body).toMatchObject({ error: 400, details: [{ path: field }] });
    expect((await put({ code: 'with space' })).status).toBe(400);
  });

  it("returns the same 404 for what is not there and what is another program's", async () => {
    const { api } = await setUp();
    const { code: foreign } = await setUp();
    const missing = await api.put('/promotional-codes', { promotionalCodeId: randomUUID(), active: false });
    expect(missing.body).toEqual({ error: 404, message: 'Promotional code not found' });
    expect((await api.put('/promotional-codes', { promotionalCodeId: foreign.id, active: false })).text).toBe(
      missing.text,
    );
  });

  it('returns 200 where nothing changes, and makes no event', async () => {
    const { api, code, put } = await setUp();
    expect((await put({ code: code.code, active: true })).status).toBe(200);
    await put({ active: false });
    await eventsUntil(api.programId, 'promotional_code.updated', 1);
    expect((await eventCounts(api.programId))['promotional_code.updated']).toBe(1);
  });
});

describe('POST /promotional-codes/bulk', () => {
  it('creates each entry by itself and returns the results in order', async () => {
    const { api, coupon } = await setUp({ code: 'TAKEN' });
    const affiliate = await makeAffiliate(api);
    const structure = { firstName: true, discountAmount: true };
    const response = await api.post('/promotional-codes/bulk', {
      promotionalCodes: [
        { couponId: coupon.id, code: 'ONE', affiliateId: affiliate.id },
        { couponId: coupon.id },
        { couponId: coupon.id, code: 'TAKEN' },
        { couponId: randomUUID(), code: 'TWO' },
        { couponId: coupon.id, code: 'ONE' },
        { couponId: coupon.id, code: 'THREE', minimumAmount: -1, typo: true },
        { couponId: coupon.id, isAutoGenerated: true, affiliateEmail: affiliate.email, codeStructure: structure },
      ],
    });
    expect(response.status, response.text).toBe(200);
    const { results } = response.body;
    expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 400, 400, 404, 400, 400, 200]);
    const { coupon: _coupon, ...stored } = (await api.get('/promotional-codes?code=ONE')).body;
    expect(results[0]).toEqual({ status: 200, promotionalCode: stored });
    expect(stored.affiliate.id).toBe(affiliate.id);
    const codeRequired = 'code is required unless isAutoGenerated is true';
    expect(results[1]).toEqual({
      status: 400,
      error: codeRequired,
      details: [{ path: 'code', message: codeRequired }],
    });
    expect(results[2].error).toBe('The code TAKEN already exists in this program');
    expect(results[3]).toEqual({ status: 404, error: 'Coupon not found' });
    expect(results[4].error).toBe('The code ONE already exists in this program');
    expect(results[5].details.map(({ path }: { path: string }) => path).sort()).toEqual(['minimumAmount', 'typo']);
    expect(results[6].promotionalCode).toMatchObject({ code: 'AMARA20', isAutoGenerated: true });
    expect((await api.get('/promotional-codes')).body).toHaveLength(3);
  });

  it('makes 100 codes with one request against the limit, each with its event', async () => {
    const { api, coupon } = await setUp();
    const entries = Array.from({ length: 100 }, (_, at) => ({ couponId: coupon.id, code: `BULK-${at}` }));
    const response = await api.post('/promotional-codes/bulk', { promotionalCodes: entries });
    const codes = response.body.results.map(
      ({ promotionalCode }: { promotionalCode: { code: string } }) => promotionalCode.code,
    );
    expect(codes).toEqual(entries.map(({ code }) => code));
    const limit = Number(response.headers.get('ratelimit-limit'));
    expect(Number(response.headers.get('ratelimit-remaining'))).toBe(limit - 1);
    await eventsUntil(api.programId, 'promotional_code.created', 101);
  });

  it('takes 1 to 100 entries, which are objects', async () => {
    const { api, coupon } = await setUp();
    const post = (promotionalCodes: unknown) => api.post('/promotional-codes/bulk', { promotionalCodes });
    expect((await post([])).status).toBe(400);
    expect((await post(Array(101).fill({ couponId: coupon.id }))).status).toBe(400);
    expect((await post(['CODE'])).status).toBe(400);
    expect((await api.post('/promotional-codes/bulk', {})).body.error).toBe('promotionalCodes is required');
  });
});
