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
