import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAffiliate as createAffiliateOperation } from '../../../shared/contract/affiliates.ts';
import { bounds } from '../../../shared/contract/bounds.ts';
import { createCoupon as createCouponOperation } from '../../../shared/contract/coupons.ts';
import { createLink as createLinkOperation } from '../../../shared/contract/links.ts';
import { countedKinds, type RecordKind } from '../../../shared/contract/needs.ts';
import { createPayoutBatch as createPayoutBatchOperation } from '../../../shared/contract/payout-batches.ts';
import { createPromotionalCode as createCodeOperation } from '../../../shared/contract/promotional-codes.ts';
import { createReferral as createReferralOperation } from '../../../shared/contract/referrals.ts';
import {
  createSale as createSaleOperation,
  refundSale as refundSaleOperation,
} from '../../../shared/contract/sales.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { createCoupon } from '../../../shared/domain/coupons/create-coupon.ts';
import { deleteCoupon } from '../../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import { createPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import { setPlan } from '../../../shared/domain/programs/programs.ts';
import { withinPlan } from '../../../shared/domain/programs/record-bound.ts';
import { getProgram, type StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { createAutomaticCodes } from '../../../shared/domain/promotional-codes/automatic-codes.ts';
import { createPromotionalCodesInBulk } from '../../../shared/domain/promotional-codes/create-many.ts';
import { createPromotionalCode } from '../../../shared/domain/promotional-codes/create-promotional-code.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { deleteItem, queryAllItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { costOf } from '../../support/capacity.ts';
import { at, bodyOf, newProgram, now, storeAffiliate, storeCoupon, storeSale } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { makeStoredSale, storeAll } from '../../support/sales.ts';
import { storeProgram } from '../../support/webhooks.ts';

const most = bounds.recordsOfFreeProgram;
const sentence = 'This program is full.';
const minute = 60_000;

/** A program with so many records, in which nothing was counted yet. */
const programWith = async (count: number, plan: 'FREE' | 'BUSINESS' = 'FREE'): Promise<StoredProgram> => {
  const program = await storeProgram(plan);
  const stored = Array.from({ length: count }, () => makeStoredSale(randomUUID()));
  await storeAll(stored.flatMap((sale) => sales.createWrites(program.id, sale)));
  return program;
};

type Program = Pick<StoredProgram, 'id' | 'plan'>;

const within = <Result>(program: Program, action: () => Promise<Result>, milliseconds = 0): Promise<Result> =>
  withinPlan(program, { now: new Date(at(milliseconds)), sentence }, action);

const newCoupon = () => bodyOf(createCouponOperation, { name: 'Ten', percentOff: 10, duration: 'once' });
const addCoupon = (program: Program, milliseconds = 0) =>
  within(program, () => createCoupon(program.id, newCoupon(), now), milliseconds);

const numbersIn = async (program: Program): Promise<Partial<Record<RecordKind, number>>> => {
  const numbers: Partial<Record<RecordKind, number>> = {};
  for (const kind of countedKinds) {
    const items = await Array.fromAsync(
      queryAllItems('records', {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': partition(program.id, kind) },
      }),
    );
    if (items.length > 0) numbers[kind] = items.length;
  }
  return numbers;
};
const recordsIn = async (program: Program): Promise<number> =>
  Object.values(await numbersIn(program)).reduce((sum, number) => sum + number, 0);

describe('every kind of record counts', () => {
  /** What creates one record of a kind; it needs the records that `prepare` stores. */
  const creations: Partial<Record<RecordKind, (program: StoredProgram) => Promise<() => Promise<unknown>>>> = {
    AFFILIATE: async ({ id }) => {
      const body = bodyOf(createAffiliateOperation, { firstName: 'Amara', email: `${randomUUID()}@example.com` });
      return () => createAffiliate(id, body, now);
    },
    LINK: async (program) => {
      const { id: affiliateId } = await storeAffiliate(program);
      return () => createLink(program.id, bodyOf(createLinkOperation, { affiliateId, link: randomUUID() }), now);
    },
    COUPON:
      async ({ id }) =>
      () =>
        createCoupon(id, newCoupon(), now),
    PROMOTIONAL_CODE: async (program) => {
      const { id: couponId } = await storeCoupon(program);
      return () => createPromotionalCode(program, bodyOf(createCodeOperation, { couponId, code: randomUUID() }), now);
    },
    REFERRAL: async (program) => {
      const { id: affiliateId } = await storeAffiliate(program);
      const body = { name: 'Lea', email: `${randomUUID()}@example.com`, affiliateId };
      return () => createReferral(program, bodyOf(createReferralOperation, body), now);
    },
    SALE: async (program) => {
      const { id: affiliateId } = await storeAffiliate(program);
      const referral = { name: 'Lea', email: `${randomUUID()}@example.com`, affiliateId };
      const { id: referralId } = await createReferral(program, bodyOf(createReferralOperation, referral), now);
      return () => createSale(program, bodyOf(createSaleOperation, { totalEarned: 10, referralId }), now);
    },
    ADJUSTMENT: async (program) => {
      const { id } = await storeAffiliate(program);
      const sale = await storeSale(program, id, { payoutBatchId: randomUUID() });
      const body = bodyOf(refundSaleOperation, { saleId: Number(sale.id) });
      return () => refundSale(program, body, undefined, now);
    },
    PAYOUT_BATCH: async (program) => () => createPayoutBatch(program, bodyOf(createPayoutBatchOperation, {}), now),
  };

  it('and a new kind does too, or is named as one that does not', () => {
    expect(Object.keys(creations).sort()).toEqual([...countedKinds].sort());
  });

  it.each(Object.entries(creations))('%s: refused in a full program, where nothing is written', async (_, prepare) => {
    const program = await storeProgram('FREE');
    const create = await prepare(program);
    const missing = most - (await recordsIn(program));
    const stored = Array.from({ length: missing }, () => makeStoredSale(randomUUID()));
    await storeAll(stored.flatMap((sale) => sales.createWrites(program.id, sale)));
    const before = await numbersIn(program);
    await expect(within(program, create)).rejects.toMatchObject({ status: 400, message: sentence });
    expect(await numbersIn(program)).toEqual(before);
    // A program on the other plan has no bound.
    await within({ ...program, plan: 'BUSINESS' }, create);
    expect(await recordsIn(program)).toBeGreaterThan(most);
  });

  it('a deletion takes no room, even if it makes an adjustment', async () => {
    const program = await programWith(most - 2);
    const { id: affiliateId } = await storeAffiliate(program);
    const sale = await storeSale(program, affiliateId, { refundedAmountMinor: 500 });
    await expect(addCoupon(program)).rejects.toThrow(sentence);
    await within(program, () => deleteSale(program.id, Number(sale.id), undefined, now));
    expect(await numbersIn(program)).toEqual({ AFFILIATE: 1, SALE: most - 2, ADJUSTMENT: 1 });
  });

  it('an affiliate counts with its first link', async () => {
    const program = await programWith(most - 1);
    const body = bodyOf(createAffiliateOperation, { firstName: 'Amara', email: 'amara@example.com' });
    await expect(within(program, () => createAffiliate(program.id, body, now))).rejects.toThrow(sentence);
    await addCoupon(program);
    expect(await recordsIn(program)).toBe(most);
  });
});

describe('the last places', () => {
  it.each([1, 2, 3])('race %i: go to as many as there are, whoever counts the records', async () => {
    const program = await programWith(most - 7);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, racer) => addCoupon(program, racer * 2 * minute)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    expect(await recordsIn(program)).toBe(most);
  });

  it('of a program that is counted for the first time are not given twice', async () => {
    const program = await programWith(most - 1);
    // The first write is the refused claim, the second one stores what was counted.
    const overtaken = interrupted(
      () => addCoupon(program),
      () => addCoupon(program),
      2,
    );
    await expect(overtaken).rejects.toThrow(sentence);
    expect(await recordsIn(program)).toBe(most);
  });

  it('of a program that is counted again are not given twice', async () => {
    const program = await programWith(most);
    await expect(addCoupon(program)).rejects.toThrow(sentence);
    const [last] = (await sales.page(program.id, { limit: 1 })).items;
    await deleteItem('records', { pk: partition(program.id, 'SALE'), sk: last?.id ?? '' });
    const overtaken = interrupted(
      () => addCoupon(program, 2 * minute),
      () => addCoupon(program, 2 * minute),
      2,
    );
    await expect(overtaken).rejects.toThrow(sentence);
    expect(await recordsIn(program)).toBe(most);
  });
});

it('a deletion makes room within a minute, and a full program is counted once a minute', async () => {
  const program = await programWith(most - 1);
  const coupon = await addCoupon(program);
  await expect(addCoupon(program)).rejects.toThrow(sentence);
  await deleteCoupon(program.id, coupon.id, undefined, now);
  const refused = await costOf(() => expect(addCoupon(program, minute - 1)).rejects.toThrow(sentence));
  expect(refused.readUnits).toBe(0);
  await addCoupon(program, minute);
  expect(await recordsIn(program)).toBe(most);
});

describe('a change of the plan', () => {
  it('to FREE loses nothing and lets nothing be created beyond the bound; back to BUSINESS lets it', async () => {
    const program = await programWith(most - 1);
    await addCoupon(program);
    await setPlan(program.ownerEmail, 'BUSINESS');
    for (let count = 0; count < 3; count++) await addCoupon(await getProgram(program.id));
    await setPlan(program.ownerEmail, 'FREE');
    const free = await getProgram(program.id);
    await expect(addCoupon(free, 2 * minute)).rejects.toThrow(sentence);
    expect(await recordsIn(program)).toBe(most + 3);
    await setPlan(program.ownerEmail, 'BUSINESS');
    await addCoupon(await getProgram(program.id));
  });

  it('to FREE counts what was created on BUSINESS', async () => {
    const program = await programWith(0);
    await addCoupon(program);
    await setPlan(program.ownerEmail, 'BUSINESS');
    const stored = Array.from({ length: most - 1 }, () => makeStoredSale(randomUUID()));
    await storeAll(stored.flatMap((sale) => sales.createWrites(program.id, sale)));
    await setPlan(program.ownerEmail, 'FREE');
    await expect(addCoupon(await getProgram(program.id))).rejects.toThrow(sentence);
  });
});

describe('codes in bulk', () => {
  const entries = (couponId: string, count: number) =>
    Array.from({ length: count }, () => ({ couponId, code: randomUUID() }));
  const addCodes = (program: StoredProgram, couponId: string, count: number) =>
    within(program, () => createPromotionalCodesInBulk(program, entries(couponId, count), now));

  it('take room for all of them at once', async () => {
    const program = await programWith(0);
    const { id: couponId } = await storeCoupon(program);
    const one = await costOf(() => addCodes(program, couponId, 1));
    const hundred = await costOf(() => addCodes(program, couponId, 100));
    const unbounded = await costOf(() => addCodes({ ...program, plan: 'BUSINESS' }, couponId, 100));
    expect(one.calls).toBeGreaterThan(0);
    expect(hundred.calls - unbounded.calls).toBe(1);
    expect(hundred.writeUnits - unbounded.writeUnits).toBe(1);
    expect(await recordsIn(program)).toBe(202);
  });

  it('fill what is left, and each of the others says why it was not created', async () => {
    const program = await programWith(most - 5);
    const { id: couponId } = await storeCoupon(program);
    const results = await addCodes(program, couponId, 10);
    expect(results.filter(({ status }) => status === 200)).toHaveLength(4);
    const refused = results.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(6);
    for (const result of refused) expect(result).toMatchObject({ error: sentence });
    expect(await recordsIn(program)).toBe(most);
  });

  it('that were refused for another reason leave their room to the next ones of the action', async () => {
    const program = await programWith(0);
    const { id: couponId } = await storeCoupon(program);
    const [taken, ...free] = entries(couponId, 3);
    await within(program, () =>
      createPromotionalCodesInBulk(
        program,
        [taken, taken, ...free].filter((entry) => entry !== undefined),
        now,
      ),
    );
    expect(await recordsIn(program)).toBe(4);
  });
});

it('automatic codes stop at the bound, and the message is done', async () => {
  const program = await programWith(most - 4);
  const rule = {
    enabled: true,
    prefix: 'A',
    randomCharsLength: 8,
    randomCharsCase: 'uppercase' as const,
    active: true,
    codeStructure: {
      firstName: false,
      lastName: false,
      email: false,
      discountAmount: false,
      couponName: false,
      randomChars: true,
    },
    expiresAfterDays: null,
  };
  for (const automaticSlot of [0, 1])
    await storeCoupon(program, { autoCouponRule: rule, automaticSince: at(0), automaticSlot });
  const affiliate = await storeAffiliate(program);
  expect(await createAutomaticCodes(program.id, affiliate.id, undefined, now)).toBeUndefined();
  expect((await promotionalCodes.page(program.id, { limit: 10 })).items).toHaveLength(1);
  expect(await recordsIn(program)).toBe(most);
});

it('a program on the BUSINESS plan reads and writes nothing for it', async () => {
  const program = await programWith(1, 'BUSINESS');
  const without = await costOf(() => createCoupon(program.id, newCoupon(), now));
  expect(await costOf(() => addCoupon(program))).toEqual(without);
  expect((await coupons.page(program.id, { limit: 10 })).items).toHaveLength(2);
});

it('an action without a program has no bound', async () => {
  await createCoupon(newProgram().id, newCoupon(), now);
});
