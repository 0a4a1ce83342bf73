import { expect, it } from 'vitest';
import { maxHoldDays } from '../../../shared/contract/group-rules.ts';
import { pageOfDueSales, salesOnHold } from '../../../shared/domain/sales/payable-sales.ts';
import { at, newProgram, storeSale } from '../../support/domain.ts';

it('a sale with the longest hold is found while it waits, and when its hold ends', async () => {
  const program = newProgram();
  const created = -maxHoldDays * 24 * 60 * 60 * 1000;
  const { id } = await storeSale(program, 'affiliate', { createdAt: at(created), payableAt: at(0) });
  const found = async (periodEnd: string) => {
    const due = await pageOfDueSales(program.id, { periodStart: null, periodEnd }, { limit: 10, after: undefined });
    const onHold = await salesOnHold(program.id, periodEnd, 10);
    return [due.items, onHold.sales].map((sales) => sales.map((sale) => sale.id));
  };
  expect(await found(at(-1))).toEqual([[], [id]]);
  expect(await found(at(0))).toEqual([[id], []]);
});
