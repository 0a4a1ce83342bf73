import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { createCoupon as createOperation, updateCoupon as updateOperation } from '../../../shared/contract/coupons.ts';
import { createCoupon } from '../../../shared/domain/coupons/create-coupon.ts';
import { listCoupons } from '../../../shared/domain/coupons/list-coupons.ts';
import { automaticCoupons, coupons } from '../../../shared/domain/coupons/repository.ts';
import { isRedeemable, type StoredCoupon } from '../../../shared/domain/coupons/rules.ts';
import { updateCoupon } from '../../../shared/domain/coupons/update-coupon.ts';
import { usesForRedemption } from '../../../shared/domain/uses/counters.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { at, bodyOf, newProgram, now, outcomeOf, storeCoupon, type TestProgram } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { makeStoredCoupon } from '../../support/stored-records.ts';

type CreateInput = Parameters<typeof bodyOf<typeof createOperation.body>>[1];
type UpdateInput = Omit<Parameters<typeof bodyOf<typeof updateOperation.body>>[1], 'couponId'>;

const later = new Date(at(60_000));

const create = ({ id }: TestProgram, input: Partial<CreateInput>) =>
  createCoupon(id, bodyOf(createOperation, { name: 'Spring', ...input }), now);

const update = (program: TestProgram, { id }: { id: string }, input: UpdateInput, versions?: number[]) =>
  updateCoupon(program.id, bodyOf(updateOperation, { couponId: id, ...input }), versions, later);

const flat = { couponType: 'FLAT', amountOff: 5, currency: 'USD' } as const;
const storedFlat = { couponType: 'FLAT', percentOff: null, amountOffMinor: 500, currency: 'USD' } as const;

it('a list by category has coupons and their copies for payouts, newest first, page by page', async () => {
  const program = newProgram();
  const stored: StoredCoupon[] = [];
  for (const index of Array(7).keys()) {
    const terms = { id: newRecordId(new Date(at(index))), enabled: index !== 3, couponCategory: 'PAYOUT' } as const;
    stored.unshift(await storeCoupon(program, { ...terms, payoutBatchId: [1, 2, 3, 6].includes(index) ? 'b' : null }));
  }
  const { id: ofCustomers } = await storeCoupon(program);
  const list = async (filters: Parameters<typeof listCoupons>[1], limit: number) => {
    const found: string[][] = [];
    let after: string | undefined;
    do {
      const page = await listCoupons(program.id, filters, { limit, after }, now);
      found.push(page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    return found;
  };
  const ids = stored.map(({ id }) => id);
  expect(await list({ couponCategory: 'PAYOUT' }, 3)).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  const valid = stored.filter(({ enabled }) => enabled).map(({ id }) => id);
  expect((await list({ couponCategory: 'PAYOUT', valid: true }, 2)).flat()).toEqual(valid);
  expect(await list({ couponCategory: 'CUSTOMER' }, 3)).toEqual([[ofCustomers]]);
});

describe('a new coupon', () => {
  it.each<{ input: Partial<CreateInput>; amountOffMinor: number | null }>([
    { input: { percentOff: 20 }, amountOffMinor: null },
    { input: flat, amountOffMinor: 500 },
    { input: { ...flat, amountOff: 0.005 }, amountOffMinor: 1 },
    { input: { ...flat, amountOff: 0.5, currency: 'JPY' }, amountOffMinor: 1 },
    { input: { ...flat, amountOff: 1.0005, currency: 'KWD' }, amountOffMinor: 1001 },
  ])('of $input takes $amountOffMinor minor units off', async ({ input, amountOffMinor }) => {
    const program = newProgram();
    const coupon = await create(program, input);
    expect(coupon).toMatchObject({ amountOffMinor, enabled: true, timesRedeemed: 0, version: 1 });
    expect(await coupons.get(program.id, coupon.id)).toEqual(coupon);
  });

  it.each([
    { maxRedemptions: 5, cappedSince: at(0) },
    { maxRedemptions: null, cappedSince: null },
    { maxRedemptions: undefined, cappedSince: null },
  ])('with a cap of $maxRedemptions has as many uses', async ({ maxRedemptions, cappedSince }) => {
    const program = newProgram();
    const coupon = await create(program, { percentOff: 20, maxRedemptions });
    const terms = { maxRedemptions: maxRedemptions ?? null, cappedSince, isCapEdited: false, isSettled: false };
    expect(coupon).toMatchObject({ ...terms, couponType: 'PERCENTAGE' });
    const uses = await usesForRedemption(program.id, 'COUPON', coupon, true);
    expect(uses?.allocated).toBe(maxRedemptions ?? undefined);
  });

  it('without a type is flat where it has an amount alone', async () => {
    const { couponType, currency } = await create(newProgram(), { amountOff: 5, currency: 'USD' });
    expect({ couponType, currency }).toEqual({ couponType: 'FLAT', currency: 'USD' });
  });

  it.each([
    { amountOff: 0.0049, currency: 'USD' },
    { amountOff: 0.49, currency: 'JPY' },
    { amountOff: 0.0004, currency: 'KWD' },
  ])('whose $amountOff $currency round to 0 is refused', async (input) => {
    const outcome = await outcomeOf(() => create(newProgram(), { ...flat, ...input }));
    expect(outcome).toEqual({ status: 400, path: 'amountOff' });
  });

  it('has an externalId that no other coupon of the program has', async () => {
    const program = newProgram();
    const input = { percentOff: 20, externalId: 'spring' };
    expect(await outcomeOf(() => create(program, input))).toBe('accepted');
    expect(await outcomeOf(() => create(program, input))).toEqual({ status: 400, path: 'externalId' });
    expect(await outcomeOf(() => create(program, { percentOff: 20, externalId: 'Spring' }))).toBe('accepted');
    expect(await outcomeOf(() => create(newProgram(), input))).toBe('accepted');
  });
});

describe('an update of a coupon', () => {
  const refused = (path: string) => ({ status: 400, path });
  it.each<{ before?: Partial<StoredCoupon>; input: UpdateInput; outcome: unknown; after?: Partial<StoredCoupon> }>([
    {
      before: { duration: 'repeating', durationInMonths: 3 },
      input: { name: 'Summer' },
      outcome: 'accepted',
      after: { duration: 'repeating', durationInMonths: 3 },
    },
    { input: { percentOff: 50 }, outcome: 'accepted', after: { percentOff: 50 } },
    { input: { amountOff: 5 }, outcome: refused('amountOff') },
    { input: { currency: 'USD' }, outcome: refused('currency') },
    { before: storedFlat, input: { percentOff: 50 }, outcome: refused('percentOff') },
    { before: storedFlat, input: { amountOff: 0.005 }, outcome: 'accepted', after: { amountOffMinor: 1 } },
    { before: storedFlat, input: { amountOff: 0.0049 }, outcome: refused('amountOff') },
    {
      before: storedFlat,
      input: { currency: 'JPY' },
      outcome: 'accepted',
      after: { amountOffMinor: 5, currency: 'JPY' },
    },
    {
      before: { ...storedFlat, amountOffMinor: 50 },
      input: { currency: 'JPY' },
      outcome: 'accepted',
      after: { amountOffMinor: 1 },
    },
    { before: { ...storedFlat, amountOffMinor: 49 }, input: { currency: 'JPY' }, outcome: refused('amountOff') },
    { input: { duration: 'repeating' }, outcome: refused('durationInMonths') },
    {
      input: { duration: 'repeating', durationInMonths: 3 },
      outcome: 'accepted',
      after: { duration: 'repeating', durationInMonths: 3 },
    },
    { input: { durationInMonths: 3 }, outcome: refused('durationInMonths') },
    {
      before: { duration: 'repeating', durationInMonths: 3 },
      input: { duration: 'once' },
      outcome: 'accepted',
      after: { duration: 'once', durationInMonths: null },
    },
    {
      before: { duration: 'repeating', durationInMonths: 3 },
      input: { durationInMonths: null },
      outcome: refused('durationInMonths'),
    },
    { input: { limitToProducts: true }, outcome: refused('productIds') },
    { input: { limitToProducts: true, productIds: ['p1'] }, outcome: 'accepted', after: { productIds: ['p1'] } },
    {
      before: { limitToProducts: true, productIds: ['p1'] },
      input: { productIds: [] },
      outcome: refused('productIds'),
    },
    { input: { valid: false }, outcome: 'accepted', after: { enabled: false } },
    { input: { name: 'Summer' }, outcome: 'accepted', after: { name: 'Summer', enabled: true } },
    {
      input: { maxRedemptions: 5 },
      outcome: 'accepted',
      after: { maxRedemptions: 5, cappedSince: later.toISOString() },
    },
  ])('of $before with $input', async ({ before, input, outcome, after }) => {
    const program = newProgram();
    const coupon = await storeCoupon(program, before);
    const updating = () => update(program, coupon, input).then((updated) => expect(updated.version).toBe(2));
    expect(await outcomeOf(updating)).toEqual(outcome);
    const expected = after ? { ...after, version: 2, updatedAt: later.toISOString() } : coupon;
    expect(await coupons.get(program.id, coupon.id)).toMatchObject(expected);
  });

  it.each([
    { versions: undefined, outcome: 'accepted' },
    { versions: [1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
  ])('of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const program = newProgram();
    const coupon = await storeCoupon(program);
    expect(await outcomeOf(() => update(program, coupon, { name: 'Summer' }, versions))).toEqual(outcome);
  });

  it('of another program is refused', async () => {
    const coupon = await storeCoupon(newProgram());
    expect(await outcomeOf(() => update(newProgram(), coupon, { name: 'Summer' }))).toEqual({ status: 404 });
  });
});

describe('a coupon is redeemable', () => {
  it.each<{ terms: Partial<StoredCoupon>; is: boolean }>([
    { terms: {}, is: true },
    { terms: { enabled: false }, is: false },
    { terms: { redeemBy: at(1) }, is: true },
    { terms: { redeemBy: at(0) }, is: false },
    { terms: { maxRedemptions: 2, timesRedeemed: 1 }, is: true },
    { terms: { maxRedemptions: 2, timesRedeemed: 2 }, is: false },
    { terms: { maxRedemptions: 2, timesRedeemed: 3 }, is: false },
  ])('with $terms: $is', ({ terms, is }) => {
    expect(isRedeemable(makeStoredCoupon(terms), now)).toBe(is);
  });
});

describe('automatic coupons', () => {
  const rule = (enabled = true) => ({
    enabled,
    codeStructure: { firstName: true },
    randomCharsLength: 4,
    randomCharsCase: 'uppercase' as const,
  });
  const automatic = { percentOff: 20, autoCouponRule: rule() };
  const full = { status: 400, path: 'autoCouponRule' };

  it(`of a program are at most ${bounds.automaticCouponsOfProgram}, also when they race or are switched on`, async () => {
    const program = newProgram();
    const race = Array.from({ length: bounds.automaticCouponsOfProgram + 5 }, () =>
      outcomeOf(() => create(program, automatic)),
    );
    const outcomes = await Promise.all(race);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(bounds.automaticCouponsOfProgram);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual(Array(5).fill(full));
    const off = await create(program, { percentOff: 20, autoCouponRule: rule(false) });
    expect(await outcomeOf(() => update(program, off, { autoCouponRule: rule() }))).toEqual(full);
  });

  it('free their place when their rule is switched off', async () => {
    const program = newProgram();
    const made: StoredCoupon[] = [];
    for (let number = 0; number < bounds.automaticCouponsOfProgram; number++)
      made.push(await create(program, automatic));
    expect(await outcomeOf(() => create(program, automatic))).toEqual(full);
    for (const coupon of made.slice(0, 1)) await update(program, coupon, { autoCouponRule: rule(false) });
    const make = () => create(program, automatic);
    expect(await outcomeOf(() => interrupted(make, make))).toEqual(full);
    const { items } = await coupons.page(program.id, { limit: 100 }, automaticCoupons);
    expect(items).toHaveLength(bounds.automaticCouponsOfProgram);
  });

  it('are so since the rule was switched on, and keep their place when it changes', async () => {
    const program = newProgram();
    const coupon = await create(program, automatic);
    expect(coupon.automaticSince).toBe(at(0));
    const changed = await update(program, coupon, { autoCouponRule: { ...rule(), codeStructure: { lastName: true } } });
    expect(changed).toMatchObject({ automaticSince: at(0), automaticSlot: coupon.automaticSlot });
    const off = await update(program, coupon, { autoCouponRule: null });
    expect(off).toMatchObject({ automaticSince: null, automaticSlot: null });
    expect((await update(program, coupon, { autoCouponRule: rule() })).automaticSince).toBe(later.toISOString());
  });
});
