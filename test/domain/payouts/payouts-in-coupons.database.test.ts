import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { updatePayoutBatch as updateOperation } from '../../../shared/contract/payout-batches.ts';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import type { StoredAffiliate } from '../../../shared/domain/affiliates/rules.ts';
import { deleteCoupon } from '../../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import type { StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { payoutsCsv } from '../../../shared/domain/payouts/csv.ts';
import { PaidByCode, paidByCodeWrite, payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import { newestPayoutsOfAffiliate } from '../../../shared/domain/payouts/payouts-of-affiliate.ts';
import { payoutBatches } from '../../../shared/domain/payouts/repository.ts';
import { batchWithPayouts } from '../../../shared/domain/payouts/responses.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { deletePromotionalCode } from '../../../shared/domain/promotional-codes/delete-promotional-code.ts';
import { newestActiveCode } from '../../../shared/domain/promotional-codes/newest-code.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeSale,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { prepareBatch, workOnBatch } from '../../support/payout-batches.ts';
import { deliver, deliverToTheDying } from './deliver.ts';

const percentage = { name: 'Free month', percentOff: 100 } as const;
const flat = {
  name: 'Store credit',
  couponType: 'FLAT',
  percentOff: null,
  amountOffMinor: 1,
  currency: 'USD',
  limitToProducts: true,
  productIds: ['gift'],
  metadata: { shop: 'main' },
} as const satisfies Partial<StoredCoupon>;

/** A batch that is just PAID, of one payout for each commission. */
const paidBatch = async (terms: Partial<StoredCoupon>, commissions: readonly number[] = [1000, 2550]) => {
  const program = newProgram();
  const source = await storeCoupon(program, { couponCategory: 'PAYOUT', ...terms });
  const people: { affiliate: StoredAffiliate; amountMinor: number }[] = [];
  for (const commissionEarnedMinor of commissions) {
    const affiliate = await storeAffiliate(program, { paymentMethod: 'COUPON' });
    await storeSale(program, affiliate.id, { createdAt: at(-1000), commissionEarnedMinor });
    people.push({ affiliate, amountMinor: commissionEarnedMinor });
  }
  const { id } = await prepareBatch(program, { paymentMethod: 'COUPON', couponId: source.id });
  await updatePayoutBatch(program.id, bodyOf(updateOperation, { payoutBatchId: id, status: 'PAID' }), undefined, now);
  const batch = await payoutBatches.get(program.id, id);
  if (!batch) throw new Error('The batch is gone');
  const codes = async () => Array.fromAsync(promotionalCodes.all(program.id));
  const copies = async () =>
    (await Array.fromAsync(coupons.all(program.id))).filter(({ payoutBatchId }) => payoutBatchId !== null);
  const payouts = () =>
    payoutsOf(
      program.id,
      id,
      people.map(({ affiliate }) => affiliate.id),
    );
  const work = () => workOnBatch(program, id, 'pay');
  return { program, source, people, batch, codes, copies, payouts, work };
};
type Paid = Awaited<ReturnType<typeof paidBatch>>;

/** One code each, on the payout and in the table, over the amount where the coupon is FLAT. */
const expectCodes = async ({ source, people, codes, copies, payouts }: Paid) => {
  const [made, copied, noted] = await Promise.all([codes(), copies(), payouts()]);
  expect(made).toHaveLength(people.length);
  expect(copied).toHaveLength(source.couponType === 'FLAT' ? people.length : 0);
  for (const { affiliate, amountMinor } of people) {
    const code = made.find(({ affiliateId }) => affiliateId === affiliate.id);
    expect(code).toMatchObject({ limitToAffiliate: true, maxRedemptions: 1, active: true });
    expect(noted.get(affiliate.id)).toMatchObject({
      promotionalCode: { id: code?.id, code: code?.code },
      paidCount: 1,
    });
    if (source.couponType === 'FLAT')
      expect(copied.find(({ id }) => id === code?.couponId)).toMatchObject({ amountOffMinor: amountMinor });
    else expect(code?.couponId).toBe(source.id);
  }
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a batch that names a coupon', () => {
  it('pays each affiliate by a code of a percentage, which the payouts show', async () => {
    const paid = await paidBatch(percentage);
    const { program, batch, people, work, codes } = paid;
    await work();
    await expectCodes(paid);
    const [first] = people;
    const { record } = await batchWithPayouts(program.id, batch, { limit: 10 });
    expect(record).toMatchObject({ couponId: paid.source.id, paymentMethod: 'COUPON' });
    for (const code of await codes()) {
      expect(code.code).toMatch(/^[A-Z0-9]{16}$/);
      const payout = record.payouts?.find(({ affiliateId }) => affiliateId === code.affiliateId);
      expect(payout?.promotionalCode).toEqual({ id: code.id, code: code.code });
      expect(code.metadata).toEqual({ payoutBatchId: batch.id, payoutId: payout?.id });
      expect((await payoutsCsv(program.id, batch, undefined)).text).toContain(`"PAID","${code.code}"`);
    }
    const [shown] = await newestPayoutsOfAffiliate(program.id, first?.affiliate.id ?? '', 3);
    expect((await codes()).map(({ id }) => id)).toContain(shown?.promotionalCode?.id);
  });

  it('pays by a copy of an amount over the payout, with the other terms of the coupon', async () => {
    const own = { uncappedUses: 2, cappedSince: at(-9), isCapEdited: true, isSettled: true, automaticSince: at(-9) };
    const paid = await paidBatch({
      ...flat,
      ...own,
      externalId: 'credit',
      importName: 'store credit',
      maxRedemptions: 1,
      redeemBy: at(1000),
    });
    await paid.work();
    await expectCodes(paid);
    for (const copy of await paid.copies()) {
      expect(copy).not.toHaveProperty('importName');
      expect(copy).toMatchObject({
        name: 'Store credit (payout)',
        couponCategory: 'PAYOUT',
        couponType: 'FLAT',
        currency: 'USD',
        maxRedemptions: 1,
        timesRedeemed: 0,
        limitToProducts: true,
        productIds: ['gift'],
        redeemBy: at(1000),
        externalId: null,
        autoCouponRule: null,
        uncappedUses: 0,
        cappedSince: at(0),
        isCapEdited: false,
        isSettled: false,
        automaticSince: null,
        metadata: { shop: 'main' },
        createdAt: at(0),
        version: 1,
      });
    }
    expect(await coupons.get(paid.program.id, paid.source.id)).toEqual(paid.source);
  });

  it('makes codes that the affiliate alone can redeem, once', async () => {
    const { program, people, codes, work } = await paidBatch(flat, [1000]);
    await work();
    const [code] = await codes();
    const sale = (email: string) =>
      outcomeOf(() =>
        createSale(
          program,
          bodyOf(saleOperation, {
            totalEarned: 5,
            promoCode: code?.code ?? '',
            email,
            product: { productId: 'gift', name: 'Gift', quantity: 1, price: 5 },
          }),
          now,
        ),
      );
    const refused = { status: 400, path: 'promoCode' };
    expect(await sale('somebody@example.com')).toEqual({ ...refused, code: 'wrong_affiliate' });
    const own = people[0]?.affiliate.email ?? '';
    expect(await sale(own)).toBe('accepted');
    expect(await sale(own)).toEqual({ ...refused, code: 'code_limit_reached' });
  });

  it('shows none of its codes to the visitors of a link', async () => {
    const { program, source, people, work } = await paidBatch(percentage, [1000]);
    const affiliateId = people[0]?.affiliate.id ?? '';
    const { code } = await storeCode(program, source, { affiliateId, createdAt: at(-1) });
    await work();
    expect(await newestActiveCode(program.id, affiliateId, now)).toBe(code);
  });

  it('without one, as earlier versions made, goes on as before', async () => {
    const paid = await paidBatch(percentage);
    const { program, batch, work, codes, payouts } = paid;
    await writeTogether(payoutBatches.updateWrites(program.id, batch, { ...batch, couponId: null }));
    await work();
    expect(await codes()).toEqual([]);
    for (const payout of (await payouts()).values())
      expect(payout).toMatchObject({ paidCount: 1, promotionalCode: null });
  });
});

describe.each([
  { kind: 'a percentage', terms: percentage },
  { kind: 'an amount', terms: flat },
])('each payout gets one code of $kind', ({ terms }) => {
  it('from a worker that is killed before and after each of its writes', async () => {
    const paid = await paidBatch(terms, [1000, 2000, 3000]);
    expect(await deliverToTheDying(paid.program.id, paid.batch.id, 'pay')).toBeGreaterThan(4);
    await expectCodes(paid);
  });

  it('from messages that come several times, one after the other and at once', async () => {
    const paid = await paidBatch(terms, [1000, 2000, 3000, 4000]);
    const deliverAll = (copies: number) =>
      deliver(paid.program.id, paid.batch.id, 'pay', { copies, onFailure: () => undefined });
    await Promise.all([deliverAll(1), deliverAll(2), deliverAll(1)]);
    await deliverAll(2);
    await expectCodes(paid);
  });

  it.each([1, 2])('from a message that comes again just before write %i', async (write) => {
    const paid = await paidBatch(terms);
    await interrupted(paid.work, paid.work, write);
    await expectCodes(paid);
  });

  it('of which a deleted one does not come back', async () => {
    const { program, batch, codes, work } = await paidBatch(terms, [1000]);
    await work();
    const [code] = await codes();
    await deletePromotionalCode(program.id, code?.id ?? '', undefined, now);
    await deliver(program.id, batch.id, 'pay');
    expect(await codes()).toEqual([]);
  });

  it('also beyond what one message creates', async () => {
    const paid = await paidBatch(
      terms,
      Array.from({ length: 52 }, (_, index) => index + 1),
    );
    await paid.work();
    await expectCodes(paid);
  });
});

describe('a coupon that is deleted once the batch is paid', () => {
  const deleted = async (terms: Partial<StoredCoupon>) => {
    const paid = await paidBatch(terms);
    await deleteCoupon(paid.program.id, paid.source.id, undefined, now);
    return paid;
  };

  it('takes the codes of a percentage with it, also those that are not created yet', async () => {
    const { work, codes, payouts } = await deleted(percentage);
    await work();
    expect(await codes()).toEqual([]);
    for (const payout of (await payouts()).values())
      expect(payout).toMatchObject({ paidCount: 1, promotionalCode: null });
  });

  it('race: just before a code of it is created, leaves no code of a coupon that is gone', async () => {
    const { program, source, work, codes } = await paidBatch(percentage);
    await interrupted(work, () => deleteCoupon(program.id, source.id, undefined, now));
    expect(await codes()).toEqual([]);
  });

  it('leaves the copies of an amount, which pay what is owed', async () => {
    const paid = await deleted(flat);
    await paid.work();
    await expectCodes(paid);
  });
});

it('an affiliate cannot be deleted until the code is there', async () => {
  const { program, people, work } = await paidBatch(percentage, [1000]);
  const remove = () => outcomeOf(() => deleteAffiliate(program.id, people[0]?.affiliate.id ?? '', undefined, now));
  expect(await remove()).toEqual({ status: 409 });
  await work();
  expect(await remove()).toBe('accepted');
});

it('a payout takes one code, and does not come back by a late one', async () => {
  const { program, batch, people, payouts, work } = await paidBatch(percentage, [1000]);
  const affiliateId = people[0]?.affiliate.id ?? '';
  await work();
  const before = await payouts();
  for (const id of [affiliateId, randomUUID()]) {
    const write = paidByCodeWrite(program.id, batch.id, id, { id: randomUUID(), code: 'X' });
    await expect(writeTogether([write])).rejects.toBeInstanceOf(PaidByCode);
    expect((await payoutsOf(program.id, batch.id, [id])).get(id)).toEqual(before.get(id));
  }
});
