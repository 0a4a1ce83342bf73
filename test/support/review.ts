import { randomUUID } from 'node:crypto';
import type { ReviewRules } from '../../shared/contract/review.ts';
import { programs, type StoredProgram } from '../../shared/domain/programs/repository.ts';
import { reviewsSales } from '../../shared/domain/programs/review-rules.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { storedSaleId } from '../../shared/domain/sales/sale-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { newProgram, now, type TestProgram } from './domain.ts';

/** Rules of which only those are on that a test names. */
const rulesWith = (rules: Partial<ReviewRules>): ReviewRules => ({
  selfReferral: 'OFF',
  sameDomain: 'OFF',
  burst: { mode: 'OFF', sales: 3 },
  refundRate: { mode: 'OFF', percent: 30 },
  ...rules,
});

/** Stores the program with these rules on. */
export const storeProgramWithRules = async (
  program: TestProgram,
  rules: Partial<ReviewRules>,
): Promise<StoredProgram> => {
  const at = now.toISOString();
  const reviewRules = rulesWith(rules);
  const stored = programs.schema.parse({
    ...program,
    createdAt: at,
    updatedAt: at,
    version: 1,
    name: 'Reviewed',
    baseUrls: [],
    allowSelfReferral: reviewRules.selfReferral === 'OFF',
    reviewRules,
    ownerEmail: `${randomUUID()}@example.com`,
  });
  await writeTogether(programs.createWrites(program.id, stored));
  return stored;
};

/** A stored program with these rules on, as an action gets it. */
export const programWithRules = async (
  rules: Partial<ReviewRules>,
): Promise<TestProgram & { reviewsSales: boolean }> => {
  const program = newProgram();
  return { ...program, reviewsSales: reviewsSales(await storeProgramWithRules(program, rules)) };
};

const editReview = async (
  programId: string,
  saleId: number,
  reviewStatus: StoredSale['reviewStatus'],
  options: { isEdit: boolean },
): Promise<void> => {
  const sale = await sales.get(programId, storedSaleId(saleId));
  if (!sale) throw new Error(`Sale ${saleId} was not recorded`);
  const edited: StoredSale = { ...sale, reviewStatus, reviewReasons: ['BURST'] };
  await writeTogether(sales.updateWrites(programId, sale, edited, options));
};

/** As a rule holds it. `saleId` is the number of the sale in the API. */
export const holdSale = (programId: string, saleId: number) => editReview(programId, saleId, 'HELD', { isEdit: true });

/** So that approving it again is accepted and changes nothing. It makes no event. */
export const approveQuietly = (programId: string, saleId: number) =>
  editReview(programId, saleId, 'APPROVED', { isEdit: false });
