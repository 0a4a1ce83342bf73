import { describe, expect, it, vi } from 'vitest';
import { newestActiveCode } from '../../../shared/domain/promotional-codes/newest-code.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../../../shared/domain/promotional-codes/rules.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { at, newProgram, now, storeAffiliate, storeCode, storeCoupon } from '../../support/domain.ts';

/** An affiliate with codes, the oldest first. */
const affiliateWith = async (...codes: Partial<StoredPromotionalCode>[]) => {
  const program = newProgram();
  const { id: affiliateId } = await storeAffiliate(program);
  const coupon = await storeCoupon(program);
  const stored: string[] = [];
  for (const [index, terms] of codes.entries()) {
    const createdAt = new Date(now.getTime() - (codes.length - index) * 1000);
    const id = newRecordId(createdAt);
    stored.push(
      (await storeCode(program, coupon, { affiliateId, id, createdAt: createdAt.toISOString(), ...terms })).code,
    );
  }
  return { stored, newest: () => newestActiveCode(program.id, affiliateId, now) };
};

const payouts = (count: number) => Array.from({ length: count }, () => ({ limitToAffiliate: true, maxRedemptions: 1 }));

describe('the newest code that visitors of a link are told', () => {
  it.each<[is: string, Partial<StoredPromotionalCode>]>([
    ['is not active', { active: false }],
    ['has expired', { expiresAt: at(0) }],
    ['is limited to the affiliate', { limitToAffiliate: true }],
    ['is limited to customers', { limitToCustomers: true }],
    ['is limited to a customer', { limitToCustomers: true, customerId: 'priya' }],
    ['names a customer', { customerId: 'priya' }],
  ])('is none that %s', async (_, terms) => {
    const { stored, newest } = await affiliateWith({}, { expiresAt: at(1) }, terms);
    expect(await newest()).toBe(stored[1]);
    expect(await (await affiliateWith(terms)).newest()).toBeNull();
  });

  it.each([
    { count: 24, pages: 1 },
    { count: 25, pages: 2 },
    { count: 99, pages: 2 },
    { count: 249, pages: 4 },
  ])('is found behind $count codes that are not for them, in reads: $pages', async ({ count, pages }) => {
    const { stored, newest } = await affiliateWith({}, ...payouts(count));
    const read = vi.spyOn(promotionalCodes, 'page');
    expect(await newest()).toBe(stored[0]);
    expect(read).toHaveBeenCalledTimes(pages);
  });

  it('is not looked for among more than 250 codes', async () => {
    const { newest } = await affiliateWith({}, ...payouts(250));
    expect(await newest()).toBeNull();
  });
});
