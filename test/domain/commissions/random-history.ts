import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { updateAffiliate as updateAffiliateOperation } from '../../../shared/contract/affiliates.ts';
import {
  createGroup as createGroupOperation,
  updateGroup as updateGroupOperation,
} from '../../../shared/contract/groups.ts';
import { refundSale as refundOperation, updateSale as updateOperation } from '../../../shared/contract/sales.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { createGroup } from '../../../shared/domain/groups/create-group.ts';
import { defaultGroupId } from '../../../shared/domain/groups/rules.ts';
import { updateGroup } from '../../../shared/domain/groups/update-group.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { sell } from '../../support/create-sale.ts';
import { bodyOf, newProgram, storeAffiliate, type TestProgram } from '../../support/domain.ts';
import { storeProgramWithRules } from '../../support/review.ts';
import {
  type Counted,
  countedOf,
  decide,
  earnedOf,
  type ModelAffiliate,
  type ModelGroup,
  type ModelSale,
} from './history-model.ts';
import { RandomTerms } from './random-terms.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const start = Date.UTC(2024, 0, 1, 9, 30);
/** Until the moment at which batches are created. */
const span = 780 * dayMilliseconds;

export interface HistoryOf {
  currency: string;
  digits: number;
  timeZone: string;
  offsetHours: number;
}

/** Random actions on a program, and what other code expects of each. */
export class RandomHistory extends RandomTerms {
  readonly program: TestProgram & { reviewsSales: boolean };
  readonly affiliates: ModelAffiliate[] = [];
  readonly sales = new Map<number, ModelSale>();
  readonly deleted: number[] = [];
  protected readonly groups: ModelGroup[] = [];
  private readonly firstDays = new Map<string, string>();
  private counted: ModelSale[] = [];
  protected now = start;
  protected readonly settings: HistoryOf;
  private readonly stepMilliseconds: number;

  constructor(settings: HistoryOf, steps: number, seed: number) {
    super(settings.digits, seed);
    this.settings = settings;
    this.stepMilliseconds = Math.floor(span / steps);
    const { currency, timeZone } = settings;
    this.program = { ...newProgram({ currency, timeZone, commissionRate: 12.5 }), reviewsSales: true };
  }

  private dayOf(at: number): string {
    return new Date(at + this.settings.offsetHours * 3_600_000).toISOString().slice(0, 10);
  }

  async begin(): Promise<void> {
    await storeProgramWithRules(this.program, { sameDomain: 'HOLD' });
    const base = RandomTerms.ofRate(this.program.commissionRate);
    const none = { months: null, products: new Map(), tiers: [], holdDays: 0 };
    this.groups.push({ id: defaultGroupId(this.program.id), isDefault: true, base, ...none });
    for (const name of ['Partners', 'Press', 'Friends']) await this.addGroup(name);
    for (let count = 0; count < 8; count += 1) {
      const group = this.oneOf(this.groups);
      const rate = this.next() < 0.2 ? this.rate() : null;
      const groupId = group.isDefault ? null : group.id;
      const [company, isPaidInCoupons] = [`company-${randomUUID()}.com`, count % 2 === 0];
      const { id } = await storeAffiliate(this.program, {
        groupId,
        commissionRate: rate,
        email: `partner@${company}`,
        paymentMethod: isPaidInCoupons ? 'COUPON' : null,
      });
      const own = rate === null ? null : RandomTerms.ofRate(rate);
      this.affiliates.push({ id, group, own, company, isPaidInCoupons });
    }
  }

  protected async addGroup(name: string): Promise<void> {
    const [of, { sent, model }] = [this.base(), this.groupTerms()];
    const body = bodyOf(createGroupOperation, { name, ...of.sent, ...sent });
    const { id } = await createGroup(this.program, body, new Date(this.now));
    this.groups.push({ id, isDefault: false, base: of.rule, ...model });
  }

  /** The totals worker has seen all that there is. */
  wasCounted(): void {
    this.counted = [...this.sales.values()].map((sale) => ({ ...sale }));
  }

  private countedOf(affiliate: ModelAffiliate): Counted {
    return countedOf(this.counted, affiliate, this.dayOf(this.now).slice(0, 7));
  }

  private expectSale(model: ModelSale, stored: StoredSale, adjustedMinor = 0): void {
    const { rule, source } = model;
    expect(stored.commissionRule).toMatchObject({
      source,
      type: rule.kind === 'RATE' ? 'PERCENTAGE' : 'FLAT',
      rate: rule.kind === 'RATE' ? Number(rule.thousandths) / 1000 : null,
      amountMinor: rule.kind === 'AMOUNT' ? Number(rule.minor) : null,
    });
    expect(BigInt(stored.commissionEarnedMinor + adjustedMinor)).toBe(earnedOf(model));
    expect(stored.reviewStatus).toBe(model.review);
  }

  private async sellSome(): Promise<void> {
    const affiliate = this.oneOf(this.affiliates);
    const product = this.oneOf(['mug', 'pen', 'cup', null]);
    const isOfCompany = this.next() < 0.2;
    const domain = isOfCompany ? `shop.${affiliate.company}` : 'example.com';
    const customer = this.next() < 0.2 ? null : `customer-${this.below(25)}@${domain}`;
    const minor = 1 + this.below(50_000);
    const own = this.next() < 0.1 ? this.rate() : null;
    const stored = await sell(
      this.program,
      {
        referralId: affiliate.id,
        totalEarned: this.decimal(minor),
        email: customer,
        commissionRate: own,
        product: product === null ? null : { productId: product },
      },
      new Date(this.now),
    );
    const day = this.dayOf(this.now);
    const sold = { affiliate, day, product, total: BigInt(minor) };
    const first = customer === null ? undefined : this.firstDays.get(customer);
    const decided = decide(sold, own === null ? null : RandomTerms.ofRate(own), first, this.countedOf(affiliate));
    const payableAt = this.now + affiliate.group.holdDays * dayMilliseconds;
    const review = isOfCompany && customer !== null ? ('HELD' as const) : null;
    const sale = { id: Number(stored.id), payableAt, review, batch: null, customer, refunded: 0n, ...sold, ...decided };
    if (customer !== null && first === undefined) this.firstDays.set(customer, day);
    this.sales.set(sale.id, sale);
    this.expectSale(sale, stored);
    expect(Date.parse(stored.payableAt ?? '')).toBe(payableAt);
  }

  private chosenSale(): ModelSale | undefined {
    return this.sales.size === 0 ? undefined : this.oneOf([...this.sales.values()]);
  }

  private async refundSome(): Promise<void> {
    const sale = this.chosenSale();
    if (!sale || sale.refunded === sale.total) return;
    const left = Number(sale.total - sale.refunded);
    const part = this.next() < 0.5 ? left : 1 + this.below(left);
    const body = { saleId: sale.id, amount: this.decimal(part) };
    await refundSale(this.program, bodyOf(refundOperation, body), undefined, new Date(this.now));
    sale.refunded += BigInt(part);
  }

  /** A sale that is in no batch, so that its amounts may change. */
  private openSale(): ModelSale | undefined {
    const sale = this.chosenSale();
    return sale?.batch === null ? sale : undefined;
  }

  private async editSome(): Promise<void> {
    const sale = this.openSale();
    if (!sale) return;
    const change = (sent: object) =>
      updateSale(this.program, bodyOf(updateOperation, { saleId: sale.id, ...sent }), undefined, new Date(this.now));
    const kind = this.below(3);
    if (kind === 0) {
      sale.total = sale.refunded + BigInt(1 + this.below(20_000));
      await change({ totalEarned: this.decimal(Number(sale.total)) });
      return;
    }
    const rate = kind === 1 ? this.rate() : null;
    await change({ commissionRate: rate });
    const first = sale.customer === null ? undefined : this.firstDays.get(sale.customer);
    const own = rate === null ? null : RandomTerms.ofRate(rate);
    Object.assign(sale, decide(sale, own, first, this.countedOf(sale.affiliate)));
  }

  private async editGroup(): Promise<void> {
    const group = this.oneOf(this.groups);
    const [of, { sent, model }] = [this.base(), this.groupTerms()];
    const body = bodyOf(updateGroupOperation, { groupId: group.id, ...(!group.isDefault && of.sent), ...sent });
    await updateGroup(this.program, body, undefined, new Date(this.now));
    Object.assign(group, model, !group.isDefault && { base: of.rule });
  }

  private async moveAffiliate(): Promise<void> {
    const affiliate = this.oneOf(this.affiliates);
    const group = this.oneOf(this.groups);
    const body = { affiliateId: affiliate.id, groupId: group.id };
    await updateAffiliate(this.program.id, bodyOf(updateAffiliateOperation, body), undefined, new Date(this.now));
    affiliate.group = group;
  }

  private async deleteSome(): Promise<void> {
    const sale = this.openSale();
    if (!sale) return;
    await deleteSale(this.program.id, sale.id, undefined, new Date(this.now));
    this.sales.delete(sale.id);
    this.deleted.push(sale.id);
  }

  protected advance(): void {
    this.now += 1 + this.below(2 * this.stepMilliseconds - 1);
  }

  async step(): Promise<void> {
    const chance = this.next();
    if (chance < 0.52) await this.sellSome();
    else if (chance < 0.72) await this.refundSome();
    else if (chance < 0.84) await this.editSome();
    else if (chance < 0.91) await this.editGroup();
    else if (chance < 0.96) await this.moveAffiliate();
    else await this.deleteSome();
  }

  /** Each sale with what its adjustments are: together they are what the sale is worth. */
  expectAll(stored: ReadonlyMap<number, StoredSale>, adjusted: ReadonlyMap<number, number>): void {
    expect([...stored.keys()].sort()).toEqual([...this.sales.keys()].sort());
    for (const sale of this.sales.values())
      this.expectSale(sale, stored.get(sale.id) as StoredSale, adjusted.get(sale.id) ?? 0);
  }

  expectedTotals(affiliate: ModelAffiliate) {
    const own = [...this.sales.values()].filter((sale) => sale.affiliate === affiliate);
    return {
      numberOfSales: own.length,
      revenue: own.reduce((sum, { total, refunded }) => sum + total - refunded, 0n),
      refunds: own.reduce((sum, { refunded }) => sum + refunded, 0n),
      commission: own.reduce((sum, sale) => sum + earnedOf(sale), 0n),
    };
  }

  /** What adjustments take of sales that are still there: statistics do not know it. */
  adjustedOf(affiliate: ModelAffiliate, adjusted: ReadonlyMap<number, number>): bigint {
    const own = [...this.sales.values()].filter((sale) => sale.affiliate === affiliate);
    return own.reduce((sum, { id }) => sum + BigInt(adjusted.get(id) ?? 0), 0n);
  }
}
