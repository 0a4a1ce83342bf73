import { expect, it } from 'vitest';
import { namedRecords } from '../../../shared/domain/imports/named-records.ts';
import { recordCalls } from '../../speed/recorded-calls.ts';
import { newProgram, storeCode, storeCoupon } from '../../support/domain.ts';

it('coupons that rows name by their ids, own or external, are read ahead in a few calls, and not again', async () => {
  const program = newProgram();
  const byId = await Promise.all(['A', 'B'].map((name) => storeCoupon(program, { name })));
  const byExternalId = await Promise.all(['c', 'd'].map((externalId) => storeCoupon(program, { externalId })));
  const rows = [
    ...byId.map(({ id }) => ({ couponId: id })),
    ...byExternalId.map(({ externalId }) => ({ couponExternalId: externalId })),
  ];
  const named = namedRecords(program.id);
  // Both are read by their ids, and those of the external ids are found before.
  expect((await recordCalls(() => named.ahead(rows))).calls).toBe(3);
  const found: string[] = [];
  const { calls } = await recordCalls(async () => {
    for (const row of rows) found.push((await named.coupon(row)).id);
  });
  expect(found).toEqual([...byId, ...byExternalId].map(({ id }) => id));
  expect(calls).toBe(0);
});

it('a coupon is found by its name, unless several have it', async () => {
  const program = newProgram();
  const [only] = await Promise.all(['Spring', 'Twice', 'Twice'].map((name) => storeCoupon(program, { name })));
  const { coupon } = namedRecords(program.id);
  expect((await coupon({ couponName: 'Spring' })).id).toBe(only?.id);
  await expect(coupon({ couponName: 'Twice' })).rejects.toMatchObject({
    details: [{ path: 'name', message: 'Several coupons are called Twice. Name the coupon by its external id.' }],
  });
  await expect(coupon({ couponName: 'None' })).rejects.toMatchObject({ code: 'not_found' });
});

it('codes that rows name are read ahead with their coupons in three calls, and not again', async () => {
  const program = newProgram();
  const coupon = await storeCoupon(program);
  const codes = await Promise.all(Array.from({ length: 5 }, () => storeCode(program, coupon)));
  const named = namedRecords(program.id);
  const rows = [...codes.map(({ code }) => ({ promoCode: code })), { promoCode: 'NONE' }];
  expect((await recordCalls(() => named.ahead(rows))).calls).toBe(3);
  const found: (string | undefined)[] = [];
  const { calls } = await recordCalls(async () => {
    for (const { promoCode } of rows) found.push((await named.codeWithCoupon(promoCode))?.coupon?.id);
  });
  expect(found).toEqual([...codes.map(() => coupon.id), undefined]);
  expect(calls).toBe(0);
});
