import { payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { at, newProgram, storeAffiliate, storeReferral, storeSale, type TestProgram } from '../../support/domain.ts';

export const setUp = async (overrides: Partial<StoredSale> = {}) => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const referral = await storeReferral(program, { affiliateId: affiliate.id });
  const sale = await storeSale(program, affiliate.id, { createdAt: at(-1000), referralId: referral.id, ...overrides });
  return {
    program,
    affiliate,
    referral,
    sale,
    stored: async () => sales.get(program.id, sale.id),
  };
};

export const payoutOf = async ({ id }: TestProgram, batch: { id: string }, affiliate: { id: string }) =>
  (await payoutsOf(id, batch.id, [affiliate.id])).get(affiliate.id);
