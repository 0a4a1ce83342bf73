import { expect, it } from 'vitest';
import { creditLookups, creditOf } from '../../../shared/domain/imports/sales/credit.ts';
import type { SaleBody } from '../../../shared/domain/imports/sales/sale-row.ts';
import { recordCalls } from '../../speed/recorded-calls.ts';
import { newProgram, storeAffiliate, storeCode, storeCoupon } from '../../support/domain.ts';

it('affiliates that rows of sales name by id, email or code are read ahead, and not again', async () => {
  const program = newProgram();
  const owners = await Promise.all(Array.from({ length: 6 }, () => storeAffiliate(program)));
  const coupon = await storeCoupon(program);
  const rows: SaleBody[] = await Promise.all(
    owners.map(async ({ id: affiliateId, email }, at): Promise<SaleBody> => {
      const sale = { totalEarned: 10 } as SaleBody;
      if (at < 2) return { ...sale, affiliateId };
      if (at < 4) return { ...sale, affiliateEmail: email };
      const { code } = await storeCode(program, coupon, { affiliateId });
      return { ...sale, promoCode: code };
    }),
  );
  const lookups = creditLookups(program.id);
  await lookups.ahead(rows.map((body) => ({ body })));
  const credited: (string | undefined)[] = [];
  const { calls } = await recordCalls(async () => {
    for (const body of rows) credited.push((await creditOf(body, undefined, lookups)).affiliate?.id);
  });
  expect(credited).toEqual(owners.map(({ id }) => id));
  expect(calls).toBe(0);
});
