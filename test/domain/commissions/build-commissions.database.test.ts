import { describe, expect, it } from 'vitest';
import { readTotals } from '../../../shared/domain/affiliates/totals.ts';
import { firstSaleAtOf, orderWrite } from '../../../shared/domain/attribution/customers.ts';
import { buildCommissionsOf } from '../../../shared/domain/sales/build-commissions.ts';
import { deleteSaleWrites } from '../../../shared/domain/sales/delete-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateItem } from '../../../shared/platform/table/items.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { changeRecord } from '../../support/changes.ts';
import { at, newProgram, now, storeAffiliate, storeSale, type TestProgram } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { count } from '../totals/counted-changes.ts';

const day = 24 * 60 * 60 * 1000;
const email = 'priya@example.com';

/** As an earlier version counted the order of a customer. */
const orderBefore = ({ id }: TestProgram, customer: string) => {
  const { Update } = orderWrite(id, customer, '');
  return updateItem('records', Update?.Key as { pk: string; sk: string }, {
    UpdateExpression: 'ADD orders :one',
    ExpressionAttributeValues: { ':one': 1 },
  });
};

/** Sales of one customer of an earlier version, the oldest 400 days old. */
const withOldSales = async () => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const made: StoredSale[] = [];
  for (const daysAgo of [1, 400, 30]) {
    made.push(await storeSale(program, affiliate.id, { createdAt: at(-daysAgo * day), email }));
    await orderBefore(program, email);
  }
  const numberOfSales = async () => (await readTotals(program.id, [affiliate.id])).get(affiliate.id)?.numberOfSales;
  return { program, affiliate, sales: made, numberOfSales };
};

describe('the build of what commissions depend on', () => {
  it('takes the first sale of each customer from the oldest one, however often and with newer ones between', async () => {
    const { program } = await withOldSales();
    await writeTogether([orderWrite(program.id, email, at(0))]);
    expect(await firstSaleAtOf(program.id, email)).toBe(at(0));
    expect(await buildCommissionsOf(program.id)).toEqual({ programs: 1, sales: 3 });
    expect(await firstSaleAtOf(program.id, email)).toBe(at(-400 * day));
    expect(await buildCommissionsOf(program.id)).toEqual({ programs: 1, sales: 0 });
  });

  it('makes no customer of a sale that no order was counted for', async () => {
    const { program } = await withOldSales();
    const affiliate = await storeAffiliate(program);
    await storeSale(program, affiliate.id, { createdAt: at(-9 * day), customerId: 'c' });
    await buildCommissionsOf(program.id);
    expect(await firstSaleAtOf(program.id, 'ID c')).toBeUndefined();
  });

  it('has each sale counted once for the tiers of its affiliate, and taken away when it is deleted', async () => {
    const { program, sales: made, numberOfSales } = await withOldSales();
    const [first, second] = made;
    if (!first || !second) throw new Error('There are sales');
    for (const sale of made) await count(changeRecord(program, 'SALE', { after: sale }));
    expect(await numberOfSales()).toBe(0);
    await buildCommissionsOf(program.id);
    const marked = await Promise.all(made.map(({ id }) => sales.get(program.id, id)));
    for (const [place, before] of made.entries())
      await count(changeRecord(program, 'SALE', { before, after: marked[place] as StoredSale }));
    expect(await numberOfSales()).toBe(3);
    await count(changeRecord(program, 'SALE', { before: marked[0] as StoredSale }));
    expect(await numberOfSales()).toBe(2);
  });

  it('changes nothing that events or versions tell', async () => {
    const { program, sales: made } = await withOldSales();
    await buildCommissionsOf(program.id);
    for (const sale of made)
      expect(await sales.get(program.id, sale.id)).toEqual({ ...sale, payableAt: sale.createdAt });
  });

  it.each(['deleted', 'marked'] as const)('leaves a sale that was %s meanwhile', async (meanwhile) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program);
    const sale = await storeSale(program, affiliate.id);
    const built = await interrupted(
      () => buildCommissionsOf(program.id),
      async () =>
        meanwhile === 'deleted'
          ? writeTogether(await deleteSaleWrites(program.id, sale, now))
          : buildCommissionsOf(program.id),
    );
    expect(built.sales).toBe(0);
  });
});
