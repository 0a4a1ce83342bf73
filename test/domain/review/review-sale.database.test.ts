import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { reviewStatuses } from '../../../shared/contract/review.ts';
import { reviewSale as operation } from '../../../shared/contract/sale-review.ts';
import { refundSale as refundOperation, updateSale as updateOperation } from '../../../shared/contract/sales.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { newPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import { previewPayouts } from '../../../shared/domain/payouts/prepare/preview.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { listSales } from '../../../shared/domain/sales/list-sales.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { payableSales, reviewPrefix, sales } from '../../../shared/domain/sales/repository.ts';
import { reviewSale } from '../../../shared/domain/sales/review-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { firstMessage, workOnDeletion } from '../../support/deletions.ts';
import {
  at,
  bodyOf,
  newProgram,
  openAdjustmentsIn,
  outcomeOf,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

// docs/behavior.md#review-of-sales

const later = new Date(at(60_000));
const isHeld: Pick<StoredSale, 'reviewStatus' | 'reviewReasons'> = { reviewStatus: 'HELD', reviewReasons: ['BURST'] };

const decide = ({ id: programId }: TestProgram, { id }: Pick<StoredSale, 'id'>, decision: 'APPROVE' | 'REJECT') =>
  reviewSale(programId, bodyOf(operation, { saleId: Number(id), decision }), later);
const refund = (program: TestProgram, { id }: StoredSale, amount: number) =>
  refundSale(program, bodyOf(refundOperation, { saleId: Number(id), amount }), undefined, later);
const update = (program: TestProgram, { id }: StoredSale, totalEarned: number) =>
  updateSale(program, bodyOf(updateOperation, { saleId: Number(id), totalEarned }), undefined, later);

/** A held sale of 100.00 with 10.00 of commission, of a new affiliate. */
const heldSale = async (overrides: Partial<StoredSale> = {}) => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  return { program, affiliate, sale: await storeSale(program, affiliate.id, { ...isHeld, ...overrides }) };
};

/** What a batch would pay now, in minor units. */
const payableIn = async (program: TestProgram): Promise<bigint> => {
  const batch = newPayoutBatch(program.currency, {}, new Date(at(120_000)));
  return (await previewPayouts(program.id, batch)).totalMinor;
};

/** The sales of each status, by entries of their own. */
const entriesIn = async ({ id: programId }: TestProgram) => {
  const found = await Promise.all(
    reviewStatuses.map((status) => sales.valuesBeginningWith(programId, 'REVIEW', reviewPrefix(status), { count: 10 })),
  );
  return Object.fromEntries(reviewStatuses.map((status, place) => [status, found[place]?.map(({ id }) => id)]));
};

describe('a held sale', () => {
  it('is not paid until it is approved', async () => {
    const { program, sale } = await heldSale();
    expect(await payableIn(program)).toBe(0n);
    expect((await sales.page(program.id, { limit: 10 }, payableSales(0))).items).toEqual([]);
    expect(await decide(program, sale, 'APPROVE')).toEqual({
      ...sale,
      reviewStatus: 'APPROVED',
      updatedAt: later.toISOString(),
      version: 2,
    });
    expect(await payableIn(program)).toBe(1000n);
    expect(await entriesIn(program)).toEqual({ HELD: [], APPROVED: [sale.id], REJECTED: [] });
  });

  it('that is rejected earns nothing, keeps its rate, and is never paid', async () => {
    const { program, sale } = await heldSale();
    expect(await decide(program, sale, 'REJECT')).toMatchObject({
      reviewStatus: 'REJECTED',
      reviewReasons: ['BURST'],
      commissionEarnedMinor: 0,
      commissionRate: 10,
    });
    expect(await payableIn(program)).toBe(0n);
    expect(await entriesIn(program)).toEqual({ HELD: [], APPROVED: [], REJECTED: [sale.id] });
  });

  it('that is refunded falls in commission as others, and what is left is decided', async () => {
    const one = await heldSale();
    expect((await refund(one.program, one.sale, 40)).sale).toMatchObject({ ...isHeld, commissionEarnedMinor: 600 });
    expect(await decide(one.program, one.sale, 'APPROVE')).toMatchObject({ commissionEarnedMinor: 600 });
    expect(await payableIn(one.program)).toBe(600n);
    const other = await heldSale();
    await refund(other.program, other.sale, 100);
    expect(await decide(other.program, other.sale, 'REJECT')).toMatchObject({ commissionEarnedMinor: 0 });
  });

  it('is edited as others', async () => {
    const { program, sale } = await heldSale();
    expect(await update(program, sale, 50)).toMatchObject({ ...isHeld, commissionEarnedMinor: 500 });
  });

  it('is deleted with its entry, alone and with its affiliate', async () => {
    const none = { HELD: [], APPROVED: [], REJECTED: [] };
    const one = await heldSale();
    await deleteSale(one.program.id, Number(one.sale.id), undefined, later);
    expect(await entriesIn(one.program)).toEqual(none);
    const { program, affiliate, sale } = await heldSale();
    await deleteAffiliate(program.id, affiliate.id, undefined, later);
    await workOnDeletion(firstMessage(program.id, affiliate.id));
    expect(await sales.get(program.id, sale.id)).toBeUndefined();
    expect(await entriesIn(program)).toEqual(none);
  });
});

describe('a rejected sale', () => {
  it('earns nothing whatever becomes of its amounts, and makes no adjustment', async () => {
    const { program, sale } = await heldSale();
    await decide(program, sale, 'REJECT');
    expect(await update(program, sale, 200)).toMatchObject({ totalEarnedMinor: 20_000, commissionEarnedMinor: 0 });
    expect((await refund(program, sale, 50)).sale).toMatchObject({ commissionEarnedMinor: 0 });
    expect((await refund(program, sale, 150)).sale).toMatchObject({ status: 'REFUNDED', commissionEarnedMinor: 0 });
    expect(await openAdjustmentsIn(program)).toEqual([]);
    expect(await payableIn(program)).toBe(0n);
  });

  it('keeps what makes up for an adjustment in another batch', async () => {
    // Of 10.00, a refund of 4.00 is an adjustment elsewhere.
    const refunded = { refundedAmountMinor: 4000, status: 'PARTIALLY_REFUNDED' } as const;
    const { program, sale } = await heldSale({ ...refunded, commissionEarnedMinor: 1000 });
    expect(await decide(program, sale, 'REJECT')).toMatchObject({ commissionEarnedMinor: 400 });
    expect(await payableIn(program)).toBe(400n);
  });
});

describe('a decision', () => {
  it.each([
    ['APPROVE', 'REJECT'],
    ['REJECT', 'APPROVE'],
  ] as const)('%s again changes nothing, and %s after it is a 409', async (decision, other) => {
    const { program, sale } = await heldSale();
    const decided = await decide(program, sale, decision);
    expect(await decide(program, sale, decision)).toEqual(decided);
    expect(await outcomeOf(() => decide(program, sale, other))).toEqual({ status: 409 });
    expect(await sales.get(program.id, sale.id)).toEqual(decided);
  });

  it('about a sale that was not held is a 409, about none a 404', async () => {
    const { program, sale } = await heldSale({ reviewStatus: null, reviewReasons: [] });
    expect(await outcomeOf(() => decide(program, sale, 'APPROVE'))).toEqual({ status: 409 });
    expect(await outcomeOf(() => decide(program, { id: '1' }, 'APPROVE'))).toEqual({ status: 404 });
  });

  it('that is overtaken by the other one is a 409, by a refund decides what is left', async () => {
    const { program, sale } = await heldSale();
    const overtaken = () =>
      interrupted(
        () => decide(program, sale, 'APPROVE'),
        () => decide(program, sale, 'REJECT'),
      );
    expect(await outcomeOf(overtaken)).toEqual({ status: 409 });
    expect(await entriesIn(program)).toEqual({ HELD: [], APPROVED: [], REJECTED: [sale.id] });
    const other = await heldSale();
    const approved = await interrupted(
      () => decide(other.program, other.sale, 'APPROVE'),
      () => refund(other.program, other.sale, 40),
    );
    expect(approved).toMatchObject({ reviewStatus: 'APPROVED', commissionEarnedMinor: 600 });
  });

  it('that is overtaken by the same one is made once', async () => {
    const { program, sale } = await heldSale();
    const approve = () => decide(program, sale, 'APPROVE');
    expect(await interrupted(approve, approve)).toMatchObject({ reviewStatus: 'APPROVED', version: 2 });
    expect(await entriesIn(program)).toEqual({ HELD: [], APPROVED: [sale.id], REJECTED: [] });
  });
});

describe('a list of sales by what became of their review', () => {
  it('has those of the status, newest first, in pages, beside other filters', async () => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program);
    const store = (milliseconds: number, fields: Partial<StoredSale>, affiliateId = affiliate.id) =>
      storeSale(program, affiliateId, { createdAt: at(milliseconds), ...fields });
    const first = await store(1, isHeld);
    const second = await store(2, { ...isHeld, status: 'PARTIALLY_REFUNDED' });
    const third = await store(3, isHeld, randomUUID());
    const approved = await store(4, { ...isHeld, reviewStatus: 'APPROVED' });
    await store(5, {});
    const list = async (query: Parameters<typeof listSales>[1], request = {}) => {
      const page = await listSales(program.id, query, { limit: 10, ...request });
      return { ids: page.items.map(({ id }) => id), next: page.next };
    };
    const { ids, next } = await list({ reviewStatus: 'HELD' }, { limit: 2 });
    expect(ids).toEqual([third.id, second.id]);
    expect((await list({ reviewStatus: 'HELD' }, { limit: 2, after: next })).ids).toEqual([first.id]);
    expect((await list({ reviewStatus: 'HELD' }, { isOldestFirst: true })).ids).toEqual(
      [first, second, third].map(({ id }) => id),
    );
    expect((await list({ reviewStatus: 'HELD' }, { createdAfter: at(3) })).ids).toEqual([third.id]);
    expect((await list({ reviewStatus: 'HELD', status: 'ACTIVE' })).ids).toEqual([third.id, first.id]);
    expect((await list({ reviewStatus: 'HELD', affiliateId: affiliate.id })).ids).toEqual([second.id, first.id]);
    expect((await list({ reviewStatus: 'APPROVED' })).ids).toEqual([approved.id]);
    expect((await list({ reviewStatus: 'REJECTED' })).ids).toEqual([]);
  });
});
