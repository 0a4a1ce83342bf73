import { expect } from 'vitest';
import { reviewSale as reviewOperation } from '../../../shared/contract/sale-review.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import { deleteGroup } from '../../../shared/domain/deletions/delete-group.ts';
import { allPayouts } from '../../../shared/domain/payouts/payouts.ts';
import type { StoredPayoutBatch } from '../../../shared/domain/payouts/rules.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { adjustments, type StoredAdjustment } from '../../../shared/domain/sales/adjustments.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { reviewSale } from '../../../shared/domain/sales/review-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { firstMessage, workOnDeletion } from '../../support/deletions.ts';
import { bodyOf, now, storeCoupon } from '../../support/domain.ts';
import { deleteBatch, payBatch, prepareBatch } from '../../support/payout-batches.ts';
import { isDue, type ModelSale } from './history-model.ts';
import { RandomHistory } from './random-history.ts';

interface Records {
  sales: ReadonlyMap<number, StoredSale>;
  adjustments: readonly StoredAdjustment[];
}

interface Payout {
  amount: bigint;
  sales: ModelSale[];
}

const all = (ids: readonly string[]) => new Set(ids);

/** A random history with reviews, groups that are deleted, and payout batches, some of which pay in coupons. */
export class RandomProgram extends RandomHistory {
  private readonly coupons: string[] = [];
  /** The batch that is neither paid nor deleted, and what is in it. */
  private batch: { stored: StoredPayoutBatch; payouts: ReadonlyMap<string, Payout> } | undefined;
  private readonly unfinished: (() => Promise<void>)[] = [];
  /** What affiliates were paid, in minor units. */
  readonly paid = new Map<string, bigint>();
  /** What rarer things happened. */
  readonly happened = new Set<string>();

  override async begin(): Promise<void> {
    await super.begin();
    const { currency } = this.settings;
    const flat = { couponType: 'FLAT', percentOff: null, amountOffMinor: 1, currency } as const;
    for (const terms of [{ percentOff: 100 }, flat])
      this.coupons.push((await storeCoupon(this.program, { couponCategory: 'PAYOUT', ...terms })).id);
  }

  async readAll(): Promise<Records> {
    const stored = new Map<number, StoredSale>();
    for await (const sale of sales.all(this.program.id)) stored.set(Number(sale.id), sale);
    return { sales: stored, adjustments: await Array.fromAsync(adjustments.all(this.program.id)) };
  }

  private async review(): Promise<void> {
    const held = [...this.sales.values()].filter(({ review }) => review === 'HELD');
    if (held.length === 0) return;
    const sale = this.oneOf(held);
    const decision = this.oneOf(['APPROVE', 'REJECT'] as const);
    await reviewSale(this.program.id, bodyOf(reviewOperation, { saleId: sale.id, decision }), new Date(this.now));
    sale.review = decision === 'APPROVE' ? 'APPROVED' : 'REJECTED';
    this.happened.add(`${decision}${sale.refunded > 0n ? ' of what was refunded' : ''}`);
  }

  /** Affiliates of a deleted group are in the other one at once, whenever the background work gets to them. */
  private async deleteSomeGroup(): Promise<void> {
    const group = this.oneOf(this.groups.filter(({ isDefault }) => !isDefault));
    const place = this.oneOf(this.groups.filter((other) => other !== group));
    const members = this.affiliates.filter((affiliate) => affiliate.group === group);
    await deleteGroup(this.program, { groupId: group.id, moveTo: place.id }, undefined, new Date(this.now));
    this.groups.splice(this.groups.indexOf(group), 1);
    for (const affiliate of members) affiliate.group = place;
    if (members.length > 0)
      this.happened.add(`deletion of a group of some to ${place.isDefault ? 'the default' : 'another'}`);
    const first = firstMessage(this.program.id, group.id, 'GROUP');
    this.unfinished.push(async () => {
      await workOnDeletion(first);
      await workOnDeletion({ ...first, isSweep: true });
    });
    await this.addGroup(`Since ${this.now}`);
  }

  /** Of deleted groups, in any order. */
  private async finishSome(): Promise<void> {
    const [work] = this.unfinished.splice(this.below(this.unfinished.length), 1);
    await work?.();
  }

  /** What a batch has to hold, by the records as they are, without those below the minimum. */
  private expectedPayouts(records: Records, isInCoupons: boolean, minimum: number): Map<string, Payout> {
    const until = Math.min(this.now, now.getTime());
    const payouts = new Map<string, Payout>();
    for (const affiliate of this.affiliates) {
      if (isInCoupons && !affiliate.isPaidInCoupons) continue;
      const earned = (sale: ModelSale) => BigInt(records.sales.get(sale.id)?.commissionEarnedMinor ?? 0);
      const due = [...this.sales.values()].filter(
        (sale) => sale.affiliate === affiliate && isDue(sale, earned(sale), until),
      );
      if (due.length === 0) continue;
      const open = records.adjustments.filter((one) => one.affiliateId === affiliate.id && one.payoutBatchId === null);
      const adjusted = open.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
      const amount = due.reduce((sum, sale) => sum + earned(sale), adjusted);
      if (amount <= 0n || amount < BigInt(minimum)) this.happened.add('too small a payout');
      else payouts.set(affiliate.id, { amount, sales: due });
      if (adjusted !== 0n) this.happened.add('adjusted payout');
    }
    return payouts;
  }

  private async prepare(): Promise<void> {
    const [isInCoupons, minimum] = [this.next() < 0.5, this.next() < 0.3 ? this.below(20_000) : 0];
    const expected = this.expectedPayouts(await this.readAll(), isInCoupons, minimum);
    const stored = await prepareBatch(this.program, {
      periodEnd: new Date(this.now).toISOString(),
      ...(isInCoupons && { paymentMethod: 'COUPON', couponId: this.oneOf(this.coupons) }),
      ...(minimum > 0 && { minimumAmount: this.decimal(minimum) }),
    });
    const payouts = await Array.fromAsync(allPayouts(this.program.id, stored.id));
    expect(new Map(payouts.map(({ affiliateId, amountMinor }) => [affiliateId, amountMinor]))).toEqual(
      new Map([...expected].map(([affiliateId, { amount }]) => [affiliateId, amount])),
    );
    const inBatch = [...(await this.readAll()).sales.values()].filter(
      ({ payoutBatchId }) => payoutBatchId === stored.id,
    );
    const members = [...expected.values()].flatMap((payout) => payout.sales);
    expect(all(inBatch.map(({ id }) => String(Number(id))))).toEqual(all(members.map(({ id }) => String(id))));
    for (const sale of members) sale.batch = stored.id;
    if ([...this.sales.values()].some((sale) => sale.batch === null && sale.payableAt > this.now))
      this.happened.add('hold');
    this.batch = expected.size > 0 ? { stored, payouts: expected } : undefined;
    expect(stored.status).toBe(this.batch ? 'READY' : 'NO_TRANSACTIONS');
  }

  /** One code for each payout, which takes exactly its amount where the coupon is FLAT. */
  private async expectCodes(batch: StoredPayoutBatch, payouts: ReadonlyMap<string, Payout>): Promise<void> {
    const codes = await Array.fromAsync(promotionalCodes.all(this.program.id));
    const own = codes.filter(({ metadata }) => metadata.payoutBatchId === batch.id);
    expect(own.map(({ affiliateId }) => affiliateId).sort()).toEqual([...payouts.keys()].sort());
    for (const { affiliateId, couponId, maxRedemptions, limitToAffiliate } of own) {
      expect([maxRedemptions, limitToAffiliate]).toEqual([1, true]);
      const coupon = await coupons.get(this.program.id, couponId);
      this.happened.add(`code of a ${coupon?.couponType} coupon`);
      if (coupon?.couponType === 'PERCENTAGE') expect(couponId).toBe(batch.couponId);
      else expect(BigInt(coupon?.amountOffMinor ?? 0)).toBe(payouts.get(affiliateId ?? '')?.amount);
    }
  }

  private async endBatch({ stored, payouts }: NonNullable<typeof this.batch>): Promise<void> {
    this.batch = undefined;
    if (this.next() < 0.3) {
      await deleteBatch(this.program, stored);
      for (const sale of this.sales.values()) if (sale.batch === stored.id) sale.batch = null;
      this.happened.add('deleted batch');
      return;
    }
    await payBatch(this.program, stored);
    for (const [affiliateId, { amount }] of payouts)
      this.paid.set(affiliateId, (this.paid.get(affiliateId) ?? 0n) + amount);
    await this.expectCodes(stored, stored.couponId === null ? new Map() : payouts);
  }

  override async step(): Promise<void> {
    this.advance();
    const chance = this.next();
    if (chance < 0.06) await this.review();
    else if (chance < 0.08) await this.deleteSomeGroup();
    else if (chance < 0.1) await this.finishSome();
    else if (chance < 0.17) await (this.batch ? this.endBatch(this.batch) : this.prepare());
    else await super.step();
  }

  async end(): Promise<void> {
    while (this.unfinished.length > 0) await this.finishSome();
  }
}
