import { usesForRedemption, useWrite } from '../../../shared/domain/uses/counters.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { newProgram, storeCode, storeCoupon } from '../../support/domain.ts';

export const kind = 'PROMOTIONAL_CODE';

export const cappedCode = async (maxRedemptions: number, overrides: Parameters<typeof storeCode>[2] = {}) => {
  const program = newProgram();
  const code = await storeCode(program, await storeCoupon(program), { maxRedemptions, ...overrides });
  const take = async (record = code) => {
    const uses = await usesForRedemption(program.id, kind, record, true);
    if (!uses) throw new Error('The code has no cap');
    await writeTogether([await useWrite(program.id, kind, { record, couponId: code.couponId, uses })]);
  };
  return { program, code, take };
};
