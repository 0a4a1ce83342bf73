import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAffiliate as createAffiliateOperation } from '../../../shared/contract/affiliates.ts';
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
import { createPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import type { StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { createPromotionalCode } from '../../../shared/domain/promotional-codes/create-promotional-code.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { deleteItem, queryItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { costOf } from '../../support/capacity.ts';
import { bodyOf, now, storeAffiliate, storeCoupon, storeSale } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { storeProgram } from '../../support/webhooks.ts';
import {
  addCoupon,
  fill,
  minute,
  most,
  newCoupon,
  numbersIn,
  programWith,
  recordsIn,
  sentence,
  within,
} from './nearly-full-program.ts';

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
    await fill(program, most - (await recordsIn(program)));
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
    const pk = partition(program.id, 'SALE');
    const [last] = (
      await queryItems('records', {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        Limit: 1,
      })
    ).items;
    await deleteItem('records', { pk, sk: String(last?.sk) });
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
