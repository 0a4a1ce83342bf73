import type { ModelTier, Rule } from './history-model.ts';

const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Terms of commissions by chance, as the API takes them and as the model has them. */
export class RandomTerms {
  protected readonly next: () => number;
  private readonly digits: number;

  /** `digits` is how many decimals the currency has. */
  constructor(digits: number, seed: number) {
    this.digits = digits;
    this.next = random(seed);
  }

  protected below(bound: number): number {
    return Math.floor(this.next() * bound);
  }
  protected oneOf<One>(from: readonly One[]): One {
    const one = from[this.below(from.length)];
    if (one === undefined) throw new Error('There is nothing to choose from');
    return one;
  }
  protected decimal(minor: number): number {
    return Number(`${minor}e-${this.digits}`);
  }
  protected rate(): number {
    return this.below(40_000) / 1000;
  }
  static ofRate(rate: number): Rule {
    return { kind: 'RATE', thousandths: BigInt(Math.round(rate * 1000)) };
  }

  /** A rule as the API takes it, and as the model has it. */
  protected terms(): { sent: { rate: number } | { amount: number }; rule: Rule } {
    if (this.next() < 0.5) {
      const rate = this.rate();
      return { sent: { rate }, rule: RandomTerms.ofRate(rate) };
    }
    const minor = 1 + this.below(5000);
    return { sent: { amount: this.decimal(minor) }, rule: { kind: 'AMOUNT', minor: BigInt(minor) } };
  }

  protected groupTerms() {
    const products = ['mug', 'pen'].filter(() => this.next() < 0.5).map((id) => ({ id, ...this.terms() }));
    const tiers = Array.from({ length: this.below(4) }, (_, at) => {
      const [of, period] = [this.oneOf(['revenue', 'sales'] as const), this.oneOf(['ALL_TIME', 'MONTH'] as const)];
      const minimum = of === 'sales' ? at * 4 + 1 + this.below(4) : (at * 40 + 1 + this.below(40)) * 1000;
      return { of, period, minimum, ...this.terms() };
    });
    const months = this.next() < 0.5 ? null : 1 + this.below(6);
    const holdDays = this.below(3) * 15;
    return {
      sent: {
        commissionMonths: months,
        holdDays,
        productRules: products.map(({ id, sent }) => ({ productIds: [id], ...sent })),
        tiers: tiers.map(({ of, period, minimum, sent }) => ({
          ...(of === 'sales' ? { minimumSales: minimum } : { minimumRevenue: this.decimal(minimum) }),
          period,
          ...sent,
        })),
      },
      model: {
        months,
        holdDays,
        products: new Map(products.map(({ id, rule }) => [id, rule])),
        tiers: tiers.map(
          ({ of, period, minimum, rule }): ModelTier => ({ of, period, minimum: BigInt(minimum), rule }),
        ),
      },
    };
  }

  protected base() {
    const { sent, rule } = this.terms();
    const own =
      'rate' in sent
        ? ({ commissionType: 'PERCENTAGE', commissionRate: sent.rate } as const)
        : ({ commissionType: 'FLAT', commissionAmount: sent.amount } as const);
    return { sent: own, rule };
  }
}
