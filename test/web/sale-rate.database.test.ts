import { describe, expect, it } from 'vitest';
import { updateSale as operation } from '../../shared/contract/sales.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { updateSale } from '../../shared/domain/sales/update-sale.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { saleHandlers } from '../../shared/web/records/sales.ts';
import { storeGroup } from '../domain/commissions/stored-group.ts';
import { sell } from '../support/create-sale.ts';
import { bodyOf, newProgram, now, storeAffiliate } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';
import { linesOf } from './shown.ts';

testQueues();

const { editSale } = saleHandlers;
if (typeof editSale === 'function') throw new Error('A form has a way to be sent');
type Request = Parameters<typeof editSale.submit>[0];

/** A sale whose group pays more by now, and the form of its page. */
const setUp = async () => {
  const program = newProgram();
  const group = await storeGroup(program);
  const affiliate = await storeAffiliate(program, { groupId: group.id });
  const { id } = await sell(program, { referralId: affiliate.id });
  const other = await storeGroup(program, { id: '019a0000-0000-7000-8000-0000000000c9', commissionRate: 40 });
  await writeTogether(affiliates.updateWrites(program.id, affiliate, { ...affiliate, groupId: other.id }));
  const send = async (form: object) => {
    const parameters = { programId: program.id, saleNumber: String(Number(id)) };
    await editSale.submit({ program, parameters, form, now } as unknown as Request);
    return sales.get(program.id, id);
  };
  const update = (change: object) =>
    updateSale(program, bodyOf(operation, { saleId: Number(id), ...change }), undefined, now);
  return { send, update };
};

describe('the form of a sale', () => {
  it('decides nothing anew where its rate is left empty or as it is', async () => {
    const { send, update } = await setUp();
    const bySource = { source: 'GROUP', rate: 25 };
    expect(await send({ name: 'Priya', commissionRate: null })).toMatchObject({
      commissionRule: bySource,
      name: 'Priya',
    });
    await update({ commissionRate: 33 });
    expect(await send({ name: 'Asha', commissionRate: 33 })).toMatchObject({
      commissionRule: { source: 'SALE', rate: 33 },
    });
  });

  it('gives a sale its own rate, and takes it away', async () => {
    const { send } = await setUp();
    expect(await send({ commissionRate: 5 })).toMatchObject({ commissionRule: { source: 'SALE', rate: 5 } });
    expect(await send({ commissionRate: null })).toMatchObject({ commissionRule: { source: 'GROUP', rate: 40 } });
  });
});

it('the preview of a sale counts its affiliate, amount, product and customer, and records nothing', async () => {
  const program = await storeProgram();
  const flat = { type: 'FLAT', rate: null, amountMinor: 450 } as const;
  const { id: groupId } = await storeGroup(program, {
    commissionMonths: 1,
    productRules: [{ productIds: ['mug'], ...flat }],
  });
  const affiliate = await storeAffiliate(program, { groupId });
  const longAgo = new Date('2025-01-01T12:00:00.000Z');
  const { id } = await sell(program, { referralId: affiliate.id, email: 'priya@example.com' }, longAgo);
  const pages = await openPages(program.ownerEmail);
  const commissionOf = async (more: Record<string, string>) => {
    const entered = { affiliateEmail: affiliate.email, totalEarned: '200', ...more };
    const lines = linesOf((await pages.submit(`/programs/${program.id}/sales/preview`, entered)).text);
    return lines[lines.indexOf('Commission') + 1];
  };
  expect(await commissionOf({})).toBe('$50.00');
  expect(await commissionOf({ productId: 'mug' })).toBe('$4.50');
  expect(await commissionOf({ email: 'priya@example.com' })).toBe('$0.00');
  expect((await sales.page(program.id, { limit: 5 })).items.map((sale) => sale.id)).toEqual([id]);
});
