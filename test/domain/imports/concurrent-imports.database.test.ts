import { AsyncResource } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { createCoupon as couponContract, updateCoupon as couponUpdate } from '../../../shared/contract/coupons.ts';
import { refundSale as refundContract } from '../../../shared/contract/sales.ts';
import { createCoupon } from '../../../shared/domain/coupons/create-coupon.ts';
import { deleteCoupon } from '../../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../../shared/domain/coupons/repository.ts';
import { updateCoupon } from '../../../shared/domain/coupons/update-coupon.ts';
import { startImport } from '../../../shared/domain/imports/manage-imports.ts';
import { runImport } from '../../../shared/domain/imports/run-import.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { bodyOf, now, openAdjustmentsIn, outcomeOf, storeCoupon } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { importWorld, type Row } from './import-world.ts';

type World = Awaited<ReturnType<typeof importWorld>>;

/** A file that is planned and started, and what a worker does when its message comes. */
const started = async (world: World, kind: Parameters<World['plan']>[0], rows: readonly Row[]) => {
  const { id } = await world.plan(kind, rows);
  await startImport(world.program.id, id, now);
  return { id, deliver: () => runImport({ programId: world.program.id, importId: id }, world.tools) };
};

const sale = (externalId: string, overrides: Row = {}): Row => ({
  externalId,
  totalEarned: 49,
  affiliateEmail: 'amara@example.com',
  email: `${externalId}@example.com`,
  createdAt: '2024-05-05',
  commissionRate: 10,
  refundedAmount: '',
  paidAt: '',
  ...overrides,
});

const paid = { paidAt: '2024-06-01' };
const refundedSales = [
  sale('open', { refundedAmount: 9 }),
  sale('paid', { refundedAmount: 9, ...paid }),
  sale('later', { refundedAmount: 9, ...paid }),
];

const salesToRefund = async () => {
  const world = await importWorld();
  await world.run('affiliates', [{ email: 'amara@example.com', firstName: 'Amara', createdAt: '2024-01-15' }]);
  await world.run('sales', [sale('open'), sale('paid', paid), sale('later')]);
  const stored = async (externalId: string) => {
    const found = await sales.find(world.program.id, 'EXTERNAL_ID', externalId);
    if (!found) throw new Error(`There is no sale ${externalId}`);
    return found;
  };
  const expectOneRefund = async (): Promise<void> => {
    const found = await Promise.all(['open', 'paid', 'later'].map(stored));
    expect(found.map(({ refundedAmountMinor }) => refundedAmountMinor)).toEqual([900, 900, 900]);
    expect(found.map(({ commissionEarnedMinor }) => commissionEarnedMinor)).toEqual([400, 490, 400]);
    expect((await openAdjustmentsIn(world.program)).map(({ amountMinor }) => amountMinor)).toEqual([-90]);
  };
  return { world, stored, expectOneRefund };
};

it('race: a refund in a file whose message comes several times at once is made once', async () => {
  const { world, expectOneRefund } = await salesToRefund();
  const { id, deliver } = await started(world, 'sales', refundedSales);
  await interrupted(deliver, () => Promise.allSettled([deliver(), deliver()]));
  await expectOneRefund();
  expect((await world.read(id)).status).toBe('DONE');
  expect(await world.results(id, 'RUN')).toEqual(['2 updated', '3 updated', '4 updated']);
});

it.each([
  { amount: 9, refundedMinor: 900, result: '2 unchanged' },
  {
    amount: 20,
    refundedMinor: 2000,
    result: '2 refundedAmount: refundedAmount differs from the record that exists, where it cannot be changed',
  },
])('race: a refund of 9 in a file is not made beside one of $amount that somebody makes meanwhile', async (made) => {
  const { world, stored } = await salesToRefund();
  const { id, deliver } = await started(world, 'sales', [sale('open', { refundedAmount: 9 })]);
  const body = bodyOf(refundContract, { saleId: Number((await stored('open')).id), amount: made.amount });
  // Not as the row of the import that it interrupts.
  const refund = AsyncResource.bind(() => refundSale(world.program, body, undefined, now));
  await interrupted(deliver, refund);
  expect((await stored('open')).refundedAmountMinor).toBe(made.refundedMinor);
  expect(await world.results(id, 'RUN')).toEqual([made.result]);
});

const couponsIn = async ({ program }: World): Promise<string[]> =>
  (await Array.fromAsync(coupons.all(program.id))).map(({ name }) => name).toSorted();

it('race: coupons in a file whose message comes twice at once are created once', async () => {
  const world = await importWorld();
  const rows = ['Spring', 'Summer'].map((name) => ({ name, percentOff: 20 }));
  const { id, deliver } = await started(world, 'coupons', rows);
  await interrupted(deliver, deliver);
  await world.work(id);
  expect(await couponsIn(world)).toEqual(['Spring', 'Summer']);
  expect(await world.results(id, 'RUN')).toEqual(['2 created', '3 created']);
});

describe('the name of an imported coupon', () => {
  const importSpring = async (world: World, name = 'Spring') =>
    (await world.run('coupons', [{ name, percentOff: 20 }])).results;
  const spring = bodyOf(couponContract, { name: 'Spring', percentOff: 20 });
  const findImported = async ({ program }: World) => {
    const found = await coupons.find(program.id, 'IMPORT_NAME', 'spring');
    if (!found) throw new Error('There is no imported coupon Spring');
    return found;
  };

  it('leaves the name to coupons that people create, and a file finds the imported one', async () => {
    const world = await importWorld();
    await importSpring(world);
    await createCoupon(world.program.id, spring, now);
    expect(await couponsIn(world)).toEqual(['Spring', 'Spring']);
    expect(await importSpring(world)).toEqual(['2 unchanged']);
    expect(await importSpring(world, 'SPRING')).toEqual(['2 updated']);
    expect((await findImported(world)).name).toBe('SPRING');
  });

  it('is free once the coupon is renamed or deleted', async () => {
    const world = await importWorld();
    const { id } = world.program;
    await importSpring(world);
    const renamed = bodyOf(couponUpdate, { couponId: (await findImported(world)).id, name: 'Summer' });
    await updateCoupon(id, renamed, undefined, now);
    expect(await importSpring(world)).toEqual(['2 created']);
    await deleteCoupon(id, (await findImported(world)).id, undefined, now);
    expect(await importSpring(world)).toEqual(['2 created']);
    expect(await couponsIn(world)).toEqual(['Spring', 'Summer']);
  });

  it('is freed once where the coupon is deleted twice', async () => {
    const world = await importWorld();
    await importSpring(world);
    const { id: couponId } = await findImported(world);
    const remove = () => deleteCoupon(world.program.id, couponId, undefined, now);
    expect(await outcomeOf(() => interrupted(remove, remove))).toEqual({ status: 404 });
    expect(await importSpring(world)).toEqual(['2 created']);
    expect(await couponsIn(world)).toEqual(['Spring']);
  });

  it('need not be kept: a coupon that earlier versions have imported is found', async () => {
    const world = await importWorld();
    await storeCoupon(world.program, { name: 'Spring' });
    expect(await importSpring(world)).toEqual(['2 unchanged']);
  });
});
