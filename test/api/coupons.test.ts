import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { nestedCodes } from '../../shared/domain/promotional-codes/nested-codes.ts';
import { codesOfCoupon, promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { storeAll, unnoticed } from '../support/sales.ts';
import { makeStoredAffiliate, makeStoredCode } from '../support/stored-records.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const yesterday = new Date(Date.now() - 86_400_000).toISOString();
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

let api: Api;
beforeAll(async () => {
  api = await makeProgram();
});

describe('POST /coupons', () => {
  it('makes a percentage coupon with every default', async () => {
    const { status, body } = await api.post('/coupons', { name: 'Spring', percentOff: 20 });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      createdAt: expect.stringMatching(time),
      updatedAt: body.createdAt,
      name: 'Spring',
      externalId: null,
      couponType: 'PERCENTAGE',
      percentOff: 20,
      amountOff: null,
      currency: null,
      duration: 'forever',
      durationInMonths: null,
      maxRedemptions: null,
      timesRedeemed: 0,
      couponCategory: 'CUSTOMER',
      limitToProducts: false,
      productIds: [],
      collectionIds: [],
      valid: true,
      redeemBy: null,
      integrationType: null,
      affiliateProgramId: api.programId,
      autoCouponRule: null,
      allowAffiliateCodes: false,
      metadata: {},
      promotionalCodes: [],
    });
  });

  it('keeps every field it is given', async () => {
    const sent = {
      name: 'Summer',
      couponType: 'FLAT',
      amountOff: 12.5,
      currency: 'EUR',
      duration: 'repeating',
      durationInMonths: 6,
      maxRedemptions: 100,
      couponCategory: 'PAYOUT',
      limitToProducts: true,
      productIds: ['p1', 'p2'],
      collectionIds: ['c1'],
      valid: true,
      redeemBy: tomorrow,
      externalId: randomUUID(),
      integrationType: 'STRIPE',
      autoCouponRule: {
        enabled: true,
        codeStructure: { firstName: true, randomChars: true },
        prefix: 'VIP',
        randomCharsLength: 6,
        randomCharsCase: 'uppercase',
        active: false,
        expiresAfterDays: 30,
      },
      metadata: { season: 'summer' },
    };
    const made = await makeCoupon(api, { ...sent, percentOff: null });
    expect(made).toMatchObject({ ...sent, percentOff: null });
    for (const selector of [`id=${made.id}`, `externalId=${sent.externalId}`])
      expect((await api.get(`/coupons?${selector}`)).body).toEqual(made);
  });

  it('fills in what an automatic rule leaves open', async () => {
    const { autoCouponRule } = await makeCoupon(api, {
      autoCouponRule: { enabled: true, codeStructure: { lastName: true } },
    });
    expect(autoCouponRule).toEqual({
      enabled: true,
      codeStructure: { lastName: true },
      randomCharsLength: 4,
      randomCharsCase: 'mixed',
      active: true,
    });
  });

  it.each([
    [12.345, 'USD', 12.35],
    [1.005, 'usd', 1.01],
    [0.5, 'JPY', 1],
    [1999.5, 'JPY', 2000],
    [1.2345, 'KWD', 1.235],
    [0.1, 'EUR', 0.1],
    [1_000_000_000, 'USD', 1_000_000_000],
  ])('rounds %d %s half-up to its minor unit: %d', async (amountOff, currency, rounded) => {
    const made = await makeCoupon(api, { couponType: 'FLAT', percentOff: null, amountOff, currency });
    expect(made).toMatchObject({ amountOff: rounded, currency: currency.toUpperCase() });
  });

  it.each([1, 100, 33.33])('takes %d per cent as it is', async (percentOff) =>
    expect((await makeCoupon(api, { percentOff })).percentOff).toBe(percentOff),
  );

  it.each([
    [0.004, 'USD', 'amountOff rounds to 0 in USD; send at least 0.01'],
    [0.4, 'JPY', 'amountOff rounds to 0 in JPY; send at least 1'],
  ])('refuses %d %s', async (amountOff, currency, error) => {
    const { status, body } = await api.post('/coupons', { name: 'Spring', couponType: 'FLAT', amountOff, currency });
    expect([status, body.error]).toEqual([400, error]);
  });

  it('refuses an integration that is in no list', async () => {
    const { status, body } = await api.post('/coupons', { name: 'A', percentOff: 5, integrationType: 'PAYPAL' });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^integrationType must be one of NONE, /);
  });

  it('refuses an externalId that is already in use, and takes that of another one', async () => {
    const { externalId } = await makeCoupon(api, { externalId: randomUUID() });
    const { status, body } = await api.post('/coupons', { name: 'B', percentOff: 5, externalId });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: `A coupon with the externalId ${externalId} already exists`,
        details: [{ path: 'externalId', message: 'externalId is already in use' }],
      },
    });
    await makeCoupon(await makeProgram(), { externalId });
  });

  it('lets many coupons have one name', async () => {
    const [one, other] = [await makeCoupon(api), await makeCoupon(api)];
    expect(one.id).not.toBe(other.id);
  });
});

describe('valid', () => {
  it.each([
    [{}, true],
    [{ valid: false }, false],
    [{ redeemBy: tomorrow }, true],
    [{ redeemBy: yesterday }, false],
    [{ valid: false, redeemBy: tomorrow }, false],
    [{ maxRedemptions: 1 }, true],
  ])('of %j is %j', async (more, valid) => expect((await makeCoupon(api, more)).valid).toBe(valid));
});

describe('GET /coupons', () => {
  it.each([`id=${randomUUID()}`, 'externalId=nothing'])('returns 404 for %s', async (selector) => {
    const { status, body } = await api.get(`/coupons?${selector}`);
    expect({ status, body }).toEqual({ status: 404, body: { error: 'Coupon not found' } });
  });

  it('filters by name case-insensitively, type, category and validity, and by all of them together', async () => {
    const filtered = await makeProgram();
    const flat = { couponType: 'FLAT', percentOff: null, amountOff: 5, currency: 'USD' };
    await makeCoupon(filtered, { name: 'Spring' });
    await makeCoupon(filtered, { name: 'SPRING', ...flat, valid: false });
    await makeCoupon(filtered, { name: 'Spring sale', couponCategory: 'PAYOUT', redeemBy: yesterday });
    await makeCoupon(filtered, { name: 'Autumn', ...flat, couponCategory: 'PAYOUT' });
    const namesOf = async (query: string) => {
      const { status, body } = await filtered.get(`/coupons?${query}`);
      expect(status).toBe(200);
      return body.map(({ name }: { name: string }) => name);
    };
    expect(await namesOf('name=spring')).toEqual(['SPRING', 'Spring']);
    expect(await namesOf('couponType=FLAT')).toEqual(['Autumn', 'SPRING']);
    expect(await namesOf('couponCategory=PAYOUT')).toEqual(['Autumn', 'Spring sale']);
    expect(await namesOf('valid=true')).toEqual(['Autumn', 'Spring']);
    expect(await namesOf('valid=false')).toEqual(['Spring sale', 'SPRING']);
    expect(await namesOf('name=Spring&couponType=FLAT')).toEqual(['SPRING']);
    expect(await namesOf('couponType=FLAT&couponCategory=PAYOUT&valid=true')).toEqual(['Autumn']);
    expect(await namesOf('couponType=FLAT&couponCategory=PAYOUT&valid=false')).toEqual([]);
    expect((await filtered.get('/coupons?valid=yes')).body.error).toBe('valid must be one of true, false');
  });

  it('shows the newest hundred of its codes, newest first, each with its affiliate and without its coupon', async () => {
    const coupon = await makeCoupon(api);
    const affiliate = await makeAffiliate(api);
    const codes = Array.from({ length: 100 }, () =>
      makeStoredCode({ id: newRecordId(new Date()), couponId: coupon.id, code: randomUUID() }),
    );
    await storeAll(unnoticed(codes.flatMap((code) => promotionalCodes.createWrites(api.programId, code))));
    const { coupon: _coupon, ...newest } = await makeCode(api, coupon.id, { affiliateId: affiliate.id });
    const { body } = await api.get(`/coupons?id=${coupon.id}`);
    expect(body.promotionalCodes[0]).toEqual(newest);
    expect(newest.affiliate).toMatchObject({ id: affiliate.id, email: affiliate.email });
    const ids = body.promotionalCodes.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(100);
    const [first, second] = [
      await api.get(`/promotional-codes?couponId=${coupon.id}&limit=100`),
      await api.get(`/promotional-codes?couponId=${coupon.id}&limit=1`),
    ];
    expect(first.body.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(second.body[0].id).toBe(newest.id);
    expect(first.headers.has('link')).toBe(true);
  });
});

describe('what coupons read of their codes', () => {
  /** Bytes that reads of the table have given back. */
  const bytesRead = () => {
    let bytes = 0;
    const send = documents.send.bind(documents);
    vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
      const response: unknown = await send(command);
      bytes += Buffer.byteLength(JSON.stringify(response, (_, value) => (typeof value === 'bigint' ? 0 : value)) ?? '');
      return response;
    }) as typeof documents.send);
    return () => bytes;
  };

  /** Stores the largest codes, each of an affiliate that is as large, past the API. */
  const storeLargest = async (programId: string, couponId: string, count: number) => {
    const metadata = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`key-${at}`, 'x'.repeat(490)]));
    const links = Object.fromEntries(
      Array.from({ length: 100 }, () => [randomUUID(), { link: 'x'.repeat(100), createdAt: '', updatedAt: '' }]),
    );
    const records = Array.from({ length: count }, (_, made) => {
      const now = new Date(Date.UTC(2026, 0, 1) + made);
      const affiliate = makeStoredAffiliate({
        id: newRecordId(now),
        email: `${randomUUID()}@a.example`,
        metadata,
        links,
      });
      const code = makeStoredCode({
        id: newRecordId(now),
        couponId,
        affiliateId: affiliate.id,
        code: randomUUID(),
        metadata,
      });
      return [affiliates.createWrites(programId, affiliate)[0], promotionalCodes.createWrites(programId, code)[0]];
    });
    await storeAll(unnoticed(records.flat().filter((write) => write !== undefined)));
  };

  it('is at most 2 MB, whatever lies there, and shows the newest of each', async () => {
    const { programId } = await makeProgram();
    const ids = Array.from({ length: 6 }, () => randomUUID());
    for (const id of ids) await storeLargest(programId, id, 12);
    const read = bytesRead();
    const shown = await nestedCodes(programId, ids, 10);
    expect(read()).toBeLessThan(2 * 1024 * 1024);
    for (const codes of shown) {
      expect(codes.length).toBeGreaterThan(3);
      expect(codes.length).toBeLessThanOrEqual(10);
      expect(codes.every(({ affiliate, code }) => affiliate?.id === code.affiliateId)).toBe(true);
    }
  });

  it('is at most 2 MB for one coupon with a hundred of them', async () => {
    const { programId } = await makeProgram();
    const id = randomUUID();
    await storeLargest(programId, id, 101);
    const read = bytesRead();
    const [shown = []] = await nestedCodes(programId, [id], 100);
    expect(read()).toBeLessThan(2 * 1024 * 1024);
    expect(shown.length).toBeGreaterThan(20);
    const newest = await promotionalCodes.newestIds(programId, codesOfCoupon(id), 100);
    expect(shown.map(({ code }) => code.id)).toEqual(newest.slice(0, shown.length));
  });

  it('is ten codes of each in a list, and a hundred of one', async () => {
    const { programId, ...owner } = await makeProgram();
    const { id: couponId } = await makeCoupon({ programId, ...owner });
    const body = { promotionalCodes: Array.from({ length: 12 }, () => ({ couponId, code: randomUUID() })) };
    await owner.post('/promotional-codes/bulk', body);
    const [listed] = (await owner.get('/coupons')).body;
    const one = (await owner.get(`/coupons?id=${couponId}`)).body;
    expect([listed.promotionalCodes.length, one.promotionalCodes.length]).toEqual([10, 12]);
    expect(listed.promotionalCodes).toEqual(one.promotionalCodes.slice(0, 10));
  });
});
