import { createSale as operation } from '../../shared/contract/sales.ts';
import { createSale } from '../../shared/domain/sales/create-sale.ts';
import { bodyOf, now, type TestProgram } from './domain.ts';

export type SaleInput = Parameters<typeof bodyOf<typeof operation.body>>[1];

/** Creates a sale of 100.00, unless the input says otherwise, as `POST /sales` does. */
export const sell = (program: TestProgram, input: Partial<SaleInput>, when = now) =>
  createSale(program, bodyOf(operation, { totalEarned: 100, ...input }), when);
