import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCoupon } from '../../../shared/domain/coupons/create-coupon.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import { setPlan } from '../../../shared/domain/programs/programs.ts';
import { getProgram, type StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { createAutomaticCodes } from '../../../shared/domain/promotional-codes/automatic-codes.ts';
import { createPromotionalCodesInBulk } from '../../../shared/domain/promotional-codes/create-many.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { costOf } from '../../support/capacity.ts';
import { at, newProgram, now, storeAffiliate, storeCoupon } from '../../support/domain.ts';
import {
  addCoupon,
  fill,
  minute,
  most,
  newCoupon,
  programWith,
  recordsIn,
  sentence,
  within,
} from './nearly-full-program.ts';

describe('a change of the plan', () => {
  it('to FREE loses nothing and lets nothing be created beyond the bound; back to BUSINESS lets it', async () => {
    const program = await programWith(most - 1);
    await addCoupon(program);
    await setPlan(program.ownerEmail, 'BUSINESS');
    for (let count = 0; count < 3; count++) await addCoupon(await getProgram(program.id));
    await setPlan(program.ownerEmail, 'FREE');
    const free = await getProgram(program.id);
    await expect(addCoupon(free, 2 * minute)).rejects.toThrow(sentence);
    expect(await recordsIn(program)).toBe(most + 3);
    await setPlan(program.ownerEmail, 'BUSINESS');
    await addCoupon(await getProgram(program.id));
  });

  it('to FREE counts what was created on BUSINESS', async () => {
    const program = await programWith(0);
    await addCoupon(program);
    await setPlan(program.ownerEmail, 'BUSINESS');
    await fill(program, most - 1);
    await setPlan(program.ownerEmail, 'FREE');
    await expect(addCoupon(await getProgram(program.id))).rejects.toThrow(sentence);
  });
});

describe('codes in bulk', () => {
  const entries = (couponId: string, count: number) =>
    Array.from({ length: count }, () => ({ couponId, code: randomUUID() }));
  const addCodes = (program: StoredProgram, couponId: string, count: number) =>
    within(program, () => createPromotionalCodesInBulk(program, entries(couponId, count), now));

  it('take room for all of them at once', async () => {
    const program = await programWith(0);
    const { id: couponId } = await storeCoupon(program);
    const one = await costOf(() => addCodes(program, couponId, 1));
    const hundred = await costOf(() => addCodes(program, couponId, 100));
    const unbounded = await costOf(() => addCodes({ ...program, plan: 'BUSINESS' }, couponId, 100));
    expect(one.calls).toBeGreaterThan(0);
    expect(hundred.calls - unbounded.calls).toBe(1);
    expect(hundred.writeUnits - unbounded.writeUnits).toBe(1);
    expect(await recordsIn(program)).toBe(202);
  });

  it('fill what is left, and each of the others says why it was not created', async () => {
    const program = await programWith(most - 5);
    const { id: couponId } = await storeCoupon(program);
    const results = await addCodes(program, couponId, 10);
    expect(results.filter(({ status }) => status === 200)).toHaveLength(4);
    const refused = results.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(6);
    for (const result of refused) expect(result).toMatchObject({ error: sentence });
    expect(await recordsIn(program)).toBe(most);
  });

  it('that were refused for another reason leave their room to the next ones of the action', async () => {
    const program = await programWith(0);
    const { id: couponId } = await storeCoupon(program);
    const [taken, ...free] = entries(couponId, 3);
    await within(program, () =>
      createPromotionalCodesInBulk(
        program,
        [taken, taken, ...free].filter((entry) => entry !== undefined),
        now,
      ),
    );
    expect(await recordsIn(program)).toBe(4);
  });
});

it('automatic codes stop at the bound, and the message is done', async () => {
  const program = await programWith(most - 4);
  const rule = {
    enabled: true,
    prefix: 'A',
    randomCharsLength: 8,
    randomCharsCase: 'uppercase' as const,
    active: true,
    codeStructure: {
      firstName: false,
      lastName: false,
      email: false,
      discountAmount: false,
      couponName: false,
      randomChars: true,
    },
    expiresAfterDays: null,
  };
  for (const automaticSlot of [0, 1])
    await storeCoupon(program, { autoCouponRule: rule, automaticSince: at(0), automaticSlot });
  const affiliate = await storeAffiliate(program);
  expect(await createAutomaticCodes(program.id, affiliate.id, undefined, now)).toBeUndefined();
  expect((await promotionalCodes.page(program.id, { limit: 10 })).items).toHaveLength(1);
  expect(await recordsIn(program)).toBe(most);
});

it('a program on the BUSINESS plan reads and writes nothing for it', async () => {
  const program = await programWith(1, 'BUSINESS');
  const without = await costOf(() => createCoupon(program.id, newCoupon(), now));
  expect(await costOf(() => addCoupon(program))).toEqual(without);
  expect((await coupons.page(program.id, { limit: 10 })).items).toHaveLength(2);
});

it('an action without a program has no bound', async () => {
  await createCoupon(newProgram().id, newCoupon(), now);
});
