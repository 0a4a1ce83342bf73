import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { at, newProgram, storeAffiliate, storeSale } from '../../support/domain.ts';

/** A program with one affiliate and its sales; each earns 10.00 unless it says otherwise. */
export const withSales = async (...each: Partial<StoredSale>[]) => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const made: StoredSale[] = [];
  for (const overrides of each)
    made.push(await storeSale(program, affiliate.id, { createdAt: at(-1000), ...overrides }));
  const batchIdsOfSales = async () =>
    Promise.all(made.map(async ({ id }) => (await sales.get(program.id, id))?.payoutBatchId ?? null));
  return { program, affiliate, sales: made, batchIdsOfSales };
};
