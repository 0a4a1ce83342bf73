import { expect, it } from 'vitest';
import { createSale as createSaleOperation } from '../../../shared/contract/sales.ts';
import { creditLookups, creditOf } from '../../../shared/domain/imports/sales/credit.ts';
import type { SaleBody } from '../../../shared/domain/imports/sales/sale-row.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { recordCalls } from '../../speed/recorded-calls.ts';
import {
  bodyOf,
  newProgram,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeReferral,
  type TestProgram,
} from '../../support/domain.ts';
import { importWorld } from './import-world.ts';

const storeReward = async (program: TestProgram) => {
  const affiliate = await storeAffiliate(program);
  const coupon = await storeCoupon(program, { couponCategory: 'PAYOUT' });
  const { id, code } = await storeCode(program, coupon, { affiliateId: affiliate.id, limitToAffiliate: true });
  return { affiliate, code, codeId: id };
};

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

it('a sale with a code that pays its affiliate credits nobody, whatever else its row names', async () => {
  const program = newProgram();
  const { affiliate, code, codeId } = await storeReward(program);
  const referral = await storeReferral(program, { affiliateId: affiliate.id });
  const row = { totalEarned: 50, promoCode: code, affiliateId: affiliate.id, referralId: referral.id } as SaleBody;
  expect(await creditOf(row, referral, creditLookups(program.id))).toEqual({
    affiliate: undefined,
    affiliateLinkId: null,
    referral: undefined,
    promotionalCodeId: codeId,
  });
});

it('imported sales and sign-ups with codes that pay their affiliates are recorded as by their requests', async () => {
  const { program, run } = await importWorld();
  const { affiliate, code, codeId } = await storeReward(program);
  const order = { externalId: 'o-9', totalEarned: 50, email: affiliate.email, promoCode: code };
  await createSale(program, bodyOf(createSaleOperation, order), now);
  const ofSales = await run('sales', [order, { ...order, externalId: 'o-10' }]);
  expect(ofSales.results).toEqual(['2 unchanged', '3 created']);
  expect(ofSales.plan).toEqual(ofSales.results);
  const sale = await sales.find(program.id, 'EXTERNAL_ID', 'o-10');
  expect(sale).toMatchObject({ affiliateId: null, promotionalCodeId: codeId, commissionEarnedMinor: 0 });
  const signUp = { email: 'priya@example.com', name: 'Priya', promoCode: code };
  const ofReferrals = await run('referrals', [signUp]);
  expect(ofReferrals.results).toEqual(['2 created']);
  expect(ofReferrals.plan).toEqual(ofReferrals.results);
  expect(await referrals.find(program.id, 'EMAIL', signUp.email)).toMatchObject({
    affiliateId: null,
    promotionalCodeId: codeId,
    referralMedium: 'COUPON',
    redemption: null,
    attribution: null,
    source: 'IMPORTED',
  });
  expect((await run('referrals', [signUp])).results).toEqual(['2 unchanged']);
});
