import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import { couponResponse, couponResponses } from '../../../shared/domain/promotional-codes/coupon-responses.ts';
import { findCodeWithOwners } from '../../../shared/domain/promotional-codes/find-code.ts';
import {
  findPromotionalCode,
  listPromotionalCodes,
} from '../../../shared/domain/promotional-codes/list-promotional-codes.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { codeResponses, ownerReads } from '../../../shared/domain/promotional-codes/responses.ts';
import type { StoredPromotionalCode } from '../../../shared/domain/promotional-codes/rules.ts';
import { deleteItem, updateItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { costOf } from '../../support/capacity.ts';
import { expectRefusal, newProgram, now, storeAffiliate, storeCode, storeCoupon } from '../../support/domain.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { storeAll } from '../../support/sales.ts';
import { makeStoredCode } from '../../support/stored-records.ts';

const idsOf = (records: readonly { id: string }[] | undefined): string[] => (records ?? []).map(({ id }) => id);

type Query = Parameters<typeof listPromotionalCodes>[1];

/** Of one coupon a redeemed code of Amara and an open code that is off, of another one a code of Priya. */
const setUp = async () => {
  const program = newProgram();
  const [amara, priya] = [await storeAffiliate(program), await storeAffiliate(program)];
  const [spring, summer] = [await storeCoupon(program, { name: 'Spring' }), await storeCoupon(program)];
  const ofAmara = await storeCode(program, spring, {
    affiliateId: amara.id,
    externalId: 'external-1',
    timesRedeemed: 1,
    minimumAmountMinor: 1050,
    minimumAmountCurrency: 'EUR',
  });
  const open = await storeCode(program, spring, { active: false });
  const ofPriya = await storeCode(program, summer, { affiliateId: priya.id });
  return { program, amara, priya, spring, summer, ofAmara, open, ofPriya };
};
type Setup = Awaited<ReturnType<typeof setUp>>;
type CodeName = 'ofAmara' | 'open' | 'ofPriya';

describe('a list of codes', () => {
  it.each<{ by: string; query: (setup: Setup) => Query; kept: CodeName[]; read: number }>([
    { by: 'no filter', query: () => ({}), kept: ['ofAmara', 'open', 'ofPriya'], read: 3 },
    { by: 'coupon', query: ({ spring }) => ({ couponId: spring.id }), kept: ['ofAmara', 'open'], read: 2 },
    { by: 'affiliate', query: ({ amara }) => ({ affiliateId: amara.id }), kept: ['ofAmara'], read: 1 },
    { by: 'its email', query: ({ priya }) => ({ affiliateEmail: priya.email }), kept: ['ofPriya'], read: 1 },
    { by: 'an unknown email', query: () => ({ affiliateEmail: 'nobody@example.com' }), kept: [], read: 0 },
    { by: 'active', query: () => ({ active: true }), kept: ['ofAmara', 'ofPriya'], read: 2 },
    { by: 'not active', query: () => ({ active: false }), kept: ['open'], read: 1 },
    { by: 'redeemed', query: () => ({ redeemed: true }), kept: ['ofAmara'], read: 3 },
    { by: 'never redeemed', query: () => ({ redeemed: false }), kept: ['open', 'ofPriya'], read: 3 },
    {
      by: 'affiliate and another coupon',
      query: ({ amara, summer }) => ({ affiliateId: amara.id, couponId: summer.id }),
      kept: [],
      read: 1,
    },
    {
      by: 'coupon and active',
      query: ({ spring }) => ({ couponId: spring.id, active: true }),
      kept: ['ofAmara'],
      read: 2,
    },
  ])('by $by has what it names, and reads no more than its index', async ({ query, kept, read }) => {
    const setup = await setUp();
    const list = () => listPromotionalCodes(setup.program.id, query(setup), { limit: 10 });
    const ids = (await list()).items.map(({ id }) => id).sort();
    expect(ids).toEqual(kept.map((name) => setup[name].id).sort());
    expect((await roundTripsOf(list)).found).toHaveLength(read);
  });

  it('has a code where it belongs: with its coupon, its state and its affiliate', () => {
    const indexed = (overrides: Partial<StoredPromotionalCode>) => {
      const [write] = promotionalCodes.createWrites('p', makeStoredCode({ couponId: 'c', ...overrides }));
      const keys = Object.entries(write?.Put?.Item ?? {}).filter(([name]) => /^gsi\dpk$/.test(name));
      return keys.map(([name, key]) => `${name} ${String(key).split('#').slice(-2).join(' ')}`).sort();
    };
    expect(indexed({})).toEqual(['gsi1pk COUPON c', 'gsi3pk ACTIVE true']);
    expect(indexed({ affiliateId: 'a', active: false })).toEqual([
      'gsi1pk COUPON c',
      'gsi2pk AFFILIATE a',
      'gsi3pk ACTIVE false',
    ]);
  });
});

describe('one code', () => {
  it('is found by its id, text and external id, and is 404 otherwise', async () => {
    const { program, ofAmara } = await setUp();
    const names = { id: ofAmara.id, code: ofAmara.code, externalId: 'external-1' } as const;
    for (const name of ['id', 'code', 'externalId'] as const) {
      expect(await findPromotionalCode(program.id, { name, value: names[name] })).toEqual(ofAmara);
      await expectRefusal(() => findPromotionalCode(program.id, { name, value: randomUUID() }), { status: 404 });
      await expectRefusal(() => findPromotionalCode(newProgram().id, { name, value: names[name] }), { status: 404 });
    }
  });

  it('comes with coupon and affiliate in two round trips, and in three where its text is from before', async () => {
    const { program, spring, amara, ofAmara, open } = await setUp();
    const owners = async (text: string) => {
      const found = await findCodeWithOwners(program.id, text);
      return { code: found?.code, coupon: await found?.coupon, affiliate: await found?.affiliate };
    };
    const withOwners = { code: ofAmara, coupon: spring, affiliate: amara };
    expect(await owners(ofAmara.code)).toEqual(withOwners);
    expect((await roundTripsOf(() => owners(ofAmara.code))).trips).toHaveLength(2);
    expect(await owners(open.code)).toEqual({ code: open, coupon: spring, affiliate: undefined });
    const [, name] = promotionalCodes.createWrites(program.id, ofAmara);
    const { pk, sk } = name?.Put?.Item ?? {};
    await updateItem(
      'records',
      { pk: String(pk), sk: String(sk) },
      { UpdateExpression: 'REMOVE couponId, affiliateId' },
    );
    expect(await owners(ofAmara.code)).toEqual(withOwners);
    expect((await roundTripsOf(() => owners(ofAmara.code))).trips).toHaveLength(3);
    expect(await findCodeWithOwners(program.id, 'no such code')).toBeUndefined();
    await deleteItem('records', { pk: partition(program.id, 'PROMOTIONAL_CODE'), sk: open.id });
    expect(await findCodeWithOwners(program.id, open.code)).toBeUndefined();
  });
});

describe('the response of a code', () => {
  it('has its coupon and affiliate, as they last were where they were deleted', async () => {
    const { program, amara, spring, ofAmara, open } = await setUp();
    const { promotionalCodes: _none, ...coupon } = await couponResponse(program, spring, now);
    const { id, firstName, lastName, email } = amara;
    const expected = [
      { ...ofAmara, minimumAmount: 10.5, affiliate: { id, firstName, lastName, email }, coupon },
      { ...open, minimumAmount: null, affiliate: null, coupon },
    ];
    expect(await codeResponses(program, [ofAmara, open], now)).toEqual(expected);
    const reads = ownerReads(program.id);
    for (const code of [ofAmara, open]) reads.onFound(code);
    const { trips } = await roundTripsOf(() => codeResponses({ ...program, reads }, [ofAmara, open], now));
    expect(trips.length).toBeLessThanOrEqual(1);
    const orphan = makeStoredCode({ couponId: randomUUID() });
    await expect(codeResponses(program, [orphan], now)).rejects.toThrow('tombstone');
  });

  it('has the exact uses of caps where they are asked for', async () => {
    const program = newProgram();
    const coupon = await storeCoupon(program, { maxRedemptions: 5 });
    const code = await storeCode(program, coupon, { maxRedemptions: 3 });
    const given = (kind: 'COUPON' | 'PROMOTIONAL_CODE', id: string, count: number) => ({
      Update: {
        TableName: process.env.RECORDS_TABLE ?? '',
        Key: { pk: partition(program.id, kind, 'USES'), sk: `${id}#0` },
        UpdateExpression: 'ADD given :count',
        ExpressionAttributeValues: { ':count': count },
      },
      refusal: () => new Error('unconditional'),
    });
    await writeTogether([given('COUPON', coupon.id, 4), given('PROMOTIONAL_CODE', code.id, 2)]);
    const redeemed = async (exactUses: boolean) => {
      const [response] = await codeResponses(program, [code], now, { exactUses });
      return [response?.timesRedeemed, response?.coupon.timesRedeemed];
    };
    expect(await redeemed(true)).toEqual([2, 4]);
    expect(await redeemed(false)).toEqual([0, 0]);
  });
});

describe('the codes inside a coupon', () => {
  it('are its own, newest first, each with its affiliate', async () => {
    const { program, amara, priya, spring, summer, ofAmara, open, ofPriya } = await setUp();
    const idsIn = (nested: { id: string; affiliate?: { id: string } | null }[] | undefined) =>
      (nested ?? []).map(({ id, affiliate }) => [id, affiliate?.id]);
    const newestFirst = [ofAmara, open].toSorted((one, other) => (one.id < other.id ? 1 : -1));
    const ofSpring = newestFirst.map(({ id }) => [id, id === ofAmara.id ? amara.id : undefined]);
    const one = await couponResponse(program, spring, now);
    expect(one).toMatchObject({ id: spring.id, name: 'Spring', affiliateProgramId: program.id });
    expect(idsIn(one.promotionalCodes)).toEqual(ofSpring);
    const both = await couponResponses(program, [summer, spring], now);
    expect(both.map(({ id }) => id)).toEqual([summer.id, spring.id]);
    expect(both.map((coupon) => idsIn(coupon.promotionalCodes))).toEqual([[[ofPriya.id, priya.id]], ofSpring]);
    expect(await couponResponses(program, [], now)).toEqual([]);
  });

  it('are the newest 100 of one, and the newest 10 of each in a list', async () => {
    const program = newProgram();
    const coupon = await storeCoupon(program);
    await Promise.all(Array.from({ length: 102 }, () => storeCode(program, coupon)));
    const ids = (await promotionalCodes.page(program.id, { limit: 200 })).items.map(({ id }) => id);
    const nested = (await couponResponse(program, coupon, now)).promotionalCodes ?? [];
    expect(nested.map(({ id }) => id)).toEqual(ids.slice(0, 100));
    const [listed] = await couponResponses(program, [coupon], now);
    expect(listed?.promotionalCodes?.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  });

  it('of a page of a hundred coupons are read in few calls, and of each the newest ten', async () => {
    const program = newProgram();
    const coupons = await Promise.all(Array.from({ length: 100 }, () => storeCoupon(program)));
    const [first, , ...others] = coupons;
    for (let made = 0; made < 12; made++) await storeCode(program, first as StoredCoupon);
    for (const coupon of others) await storeCode(program, coupon);
    let listed: Awaited<ReturnType<typeof couponResponses>> = [];
    const { calls } = await costOf(async () => {
      listed = await couponResponses(program, coupons, now);
    });
    expect(calls).toBe(1);
    expect(listed.map(({ promotionalCodes: nested = [] }) => nested.length)).toEqual([10, 0, ...Array(98).fill(1)]);
    const { items } = await promotionalCodes.page(program.id, { limit: 200 });
    const ofFirst = items.filter(({ couponId }) => couponId === first?.id);
    expect(idsOf(listed[0]?.promotionalCodes)).toEqual(idsOf(ofFirst.slice(0, 10)));
    expect(listed.slice(2).map(({ id, promotionalCodes: nested }) => nested?.[0]?.couponId === id)).not.toContain(
      false,
    );
  });

  it('of coupons that are older than the newest codes are read coupon by coupon', async () => {
    const program = newProgram();
    const moment = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    const madeAt = (minutes: number) => ({
      id: newRecordId(moment(minutes)),
      createdAt: moment(minutes).toISOString(),
    });
    // Six with an old code each, then more codes of another one than are read at once, then one with a code.
    const old = [];
    for (let made = 0; made < 6; made++) {
      const coupon = await storeCoupon(program, madeAt(100 + made));
      old.push({ coupon, code: await storeCode(program, coupon, madeAt(90)) });
    }
    const busy = await storeCoupon(program, madeAt(80));
    const codes = Array.from({ length: 1005 }, () =>
      makeStoredCode({ ...madeAt(70), code: randomUUID(), couponId: busy.id }),
    );
    await storeAll(codes.flatMap((code) => promotionalCodes.createWrites(program.id, code).slice(0, 1)));
    const fresh = await storeCoupon(program, madeAt(10));
    const empty = await storeCoupon(program, madeAt(5));
    const code = await storeCode(program, fresh, madeAt(1));
    const coupons = [...old.map(({ coupon }) => coupon), busy, fresh, empty];
    let listed: Awaited<ReturnType<typeof couponResponses>> = [];
    const { calls } = await costOf(async () => {
      listed = await couponResponses(program, coupons, now);
    });
    expect(listed.map(({ promotionalCodes: nested }) => idsOf(nested)).slice(0, 6)).toEqual(
      old.map((made) => [made.code.id]),
    );
    expect(idsOf(listed[6]?.promotionalCodes)).toEqual(
      codes
        .map(({ id }) => id)
        .toSorted()
        .toReversed()
        .slice(0, 10),
    );
    expect(listed.slice(7).map(({ promotionalCodes: nested }) => idsOf(nested))).toEqual([[code.id], []]);
    // The newest codes, those of the six old coupons, and their records.
    expect(calls).toBe(1 + 6 + 1);
  });

  it('are no more than a bounded number of bytes, of each coupon in turn', async () => {
    const program = newProgram();
    const coupons = await Promise.all(Array.from({ length: 6 }, () => storeCoupon(program)));
    // Larger than a request can make them: what is read first, 53 codes, is more than 1,280 KB.
    const metadata = { notes: 'x'.repeat(40_000) };
    for (const coupon of coupons)
      await Promise.all(Array.from({ length: 10 }, () => storeCode(program, coupon, { metadata })));
    const counts = (await couponResponses(program, coupons, now)).map(
      ({ promotionalCodes: nested = [] }) => nested.length,
    );
    expect(counts).toEqual([9, 9, 9, 9, 9, 8]);
  });
});
