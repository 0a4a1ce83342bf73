import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { createAffiliateCode } from '../../../shared/domain/promotional-codes/create-affiliate-code.ts';
import { deletePromotionalCode } from '../../../shared/domain/promotional-codes/delete-promotional-code.ts';
import { newProgram, now, outcomeOf, storeAffiliate, storeCoupon } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

const setUp = async () => {
  const program = newProgram();
  const [affiliate, coupon] = await Promise.all([
    storeAffiliate(program),
    storeCoupon(program, { allowAffiliateCodes: true }),
  ]);
  const create = () => createAffiliateCode(program.id, affiliate, { couponId: coupon.id, code: randomUUID() }, now);
  const remove = (id: string) => deletePromotionalCode(program.id, id, undefined, now);
  return { create, remove };
};

const full = { status: 400, path: 'couponId' };

it('a code that is deleted twice at once frees its slot once, and not that of the code which has taken it since', async () => {
  const { create, remove } = await setUp();
  const code = await create();
  for (let count = 1; count < bounds.codesOfAffiliateOfCoupon; count++) await create();
  const another = async () => {
    await remove(code.id);
    expect((await create()).affiliateSlot).toBe(code.affiliateSlot);
  };
  expect(await outcomeOf(() => interrupted(() => remove(code.id), another))).toEqual({ status: 404 });
  expect(await outcomeOf(create)).toEqual(full);
});
