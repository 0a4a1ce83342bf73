import { describe, expect, it } from 'vitest';
import { createSale as operation } from '../../../shared/contract/sales.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { at, bodyOf, expectRefusal, newProgram, now, storeAffiliate, type TestProgram } from '../../support/domain.ts';

type Input = Parameters<typeof bodyOf<typeof operation.body>>[1];

const sell = (program: TestProgram, input: Partial<Input>, when = now) =>
  createSale(program, bodyOf(operation, { totalEarned: 100, ...input }), when);

describe('external ids', () => {
  it.each(['externalId', 'externalInvoiceId'] as const)('of one %s there is one sale', async (field) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program);
    const input = { referralId: affiliate.id, [field]: 'order-1' };
    const first = await sell(program, input);
    expect(await sell(program, input, new Date(at(60_000)))).toEqual(first);
    await expectRefusal(() => sell(program, { ...input, totalEarned: 100.01 }), { status: 409, path: field });
    expect((await sell(program, { ...input, [field]: 'order-2' })).id).not.toBe(first.id);
  });

  it('of another program do not matter, and none at all makes a new sale each time', async () => {
    const [one, other] = [newProgram(), newProgram()];
    const [ofOne, ofOther] = [await storeAffiliate(one), await storeAffiliate(other)];
    await sell(one, { referralId: ofOne.id, externalId: 'order-1', totalEarned: 1 });
    await sell(other, { referralId: ofOther.id, externalId: 'order-1', totalEarned: 2 });
    const again = [await sell(one, { referralId: ofOne.id }), await sell(one, { referralId: ofOne.id })];
    expect(new Set(again.map(({ id }) => id)).size).toBe(2);
  });

  it('that belong to two sales are refused', async () => {
    const program = newProgram();
    const { id: referralId } = await storeAffiliate(program);
    await sell(program, { referralId, externalId: 'order-1' });
    await sell(program, { referralId, externalInvoiceId: 'invoice-1' });
    const both = { referralId, externalId: 'order-1', externalInvoiceId: 'invoice-1' };
    await expectRefusal(() => sell(program, both), { status: 409, path: 'externalId' });
  });

  it('race: the same sale sent five times at once is made once', async () => {
    const program = newProgram();
    const { id: referralId } = await storeAffiliate(program);
    const sent = Array.from({ length: 5 }, () => sell(program, { referralId, externalId: 'order-1' }));
    expect(new Set((await Promise.all(sent)).map(({ id }) => id)).size).toBe(1);
  });
});
