import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../shared/contract/errors.ts';
import { createSale as operation } from '../../shared/contract/sales.ts';
import { createSale } from '../../shared/domain/sales/create-sale.ts';
import { bodyOf, type TestProgram } from './domain.ts';

export interface Redemption {
  /** `sold`, or why not: the stable code of the refusal, or the status. */
  outcome: string;
  milliseconds: number;
}

const redeem = async (program: TestProgram, promoCode: string): Promise<Redemption> => {
  const start = performance.now();
  const body = bodyOf(operation, { totalEarned: 10, promoCode, email: `${randomUUID()}@example.com` });
  let outcome = 'sold';
  try {
    await createSale(program, body, new Date());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    outcome = error.details?.[0]?.code ?? String(error.status);
  }
  return { outcome, milliseconds: performance.now() - start };
};

/** Sells with a code at a steady rate, by the action of the domain in this process, whatever becomes of the sales before. */
export const redeemAtRate = async (plan: {
  program: TestProgram;
  code: string;
  perSecond: number;
  count: number;
}): Promise<Redemption[]> => {
  const { program, code, perSecond, count } = plan;
  const start = performance.now();
  const redemptions: Promise<Redemption>[] = [];
  for (let at = 0; at < count; at++) {
    await sleep(Math.max(0, start + (at * 1000) / perSecond - performance.now()));
    redemptions.push(redeem(program, code));
  }
  return Promise.all(redemptions);
};
