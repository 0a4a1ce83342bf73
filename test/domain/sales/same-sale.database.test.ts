import { describe, expect, it } from 'vitest';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { type SaleInput, sell } from '../../support/create-sale.ts';
import {
  at,
  expectRefusal,
  newProgram,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeSale,
} from '../../support/domain.ts';

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

  it.each<{ is: string; first?: Partial<SaleInput>; again?: Partial<SaleInput>; isSame: boolean }>([
    {
      is: 'metadata in another order',
      first: { metadata: { a: 1, b: 2 } },
      again: { metadata: { b: 2, a: 1 } },
      isSame: true,
    },
    { is: 'other metadata', first: { metadata: { a: 1 } }, again: { metadata: { a: 2 } }, isSame: false },
    { is: 'metadata that it had not', again: { metadata: { a: 1 } }, isSame: false },
    { is: 'metadata left out', first: { metadata: { a: 1 } }, again: {}, isSame: false },
    { is: 'null for what it had not', again: { name: null, customerId: null }, isSame: true },
    { is: 'another name', first: { name: 'Priya' }, again: { name: 'Amara' }, isSame: false },
    {
      is: 'another product',
      first: { product: { productId: 'p1' } },
      again: { product: { productId: 'p2' } },
      isSame: false,
    },
  ])('sent again with $is is the same sale: $isSame', async ({ first = {}, again = {}, isSame }) => {
    const program = newProgram();
    const { id: referralId } = await storeAffiliate(program);
    const order = { referralId, externalId: 'order-1', externalInvoiceId: 'invoice-1' };
    const { id } = await sell(program, { ...order, ...first });
    if (isSame) expect((await sell(program, { ...order, ...again })).id).toBe(id);
    else await expectRefusal(() => sell(program, { ...order, ...again }), { status: 409, path: 'externalId' });
    expect((await sales.page(program.id, { limit: 10 })).items).toHaveLength(1);
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

  it('of a sale that used up its code return it', async () => {
    const program = newProgram();
    const { code } = await storeCode(program, await storeCoupon(program), { maxRedemptions: 1 });
    const order = { promoCode: code, externalInvoiceId: 'invoice-1' };
    const first = await sell(program, order);
    expect(await sell(program, order)).toEqual(first);
    await expectRefusal(() => sell(program, { ...order, externalInvoiceId: 'invoice-2' }), {
      status: 400,
      path: 'promoCode',
      code: 'code_limit_reached',
    });
  });
});

it('of one import key there is one sale in a program', async () => {
  const [program, other] = [newProgram(), newProgram()];
  const { id } = await storeSale(program, 'affiliate', { importKey: 'row' });
  await expect(storeSale(program, 'affiliate', { importKey: 'row' })).rejects.toThrow(ConcurrentModificationError);
  expect((await sales.find(program.id, 'IMPORT_KEY', 'row'))?.id).toBe(id);
  await storeSale(program, 'affiliate', { importKey: 'another row' });
  await storeSale(other, 'affiliate', { importKey: 'row' });
});
