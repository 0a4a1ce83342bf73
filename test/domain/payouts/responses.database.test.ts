import { parse } from 'csv-parse/sync';
import { describe, expect, it, vi } from 'vitest';
import { createPayoutBatch as operation } from '../../../shared/contract/payout-batches.ts';
import type { StoredAffiliate } from '../../../shared/domain/affiliates/rules.ts';
import { newPayoutBatch } from '../../../shared/domain/payouts/create-payout-batch.ts';
import { payoutsCsv } from '../../../shared/domain/payouts/csv.ts';
import { newestPayoutsOfAffiliate } from '../../../shared/domain/payouts/payouts-of-affiliate.ts';
import { previewPayouts } from '../../../shared/domain/payouts/prepare/preview.ts';
import { batchWithPayouts, findBatchWithPayouts, findPayoutBatch } from '../../../shared/domain/payouts/responses.ts';
import type { StoredPayoutBatch } from '../../../shared/domain/payouts/rules.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import {
  at,
  bodyOf,
  expectRefusal,
  newProgram,
  now,
  storeAdjustment,
  storeAffiliate,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { createBatch, payBatch, prepareBatch } from '../../support/payout-batches.ts';
import { makeStoredSale, storeSales } from '../../support/sales.ts';

/** Amara earned 20.00 in two sales, Priya 5.00 in one and is paid by PAYPAL, Zoe owes as much as she earned. */
const setUp = async () => {
  const program = newProgram();
  const amara = await storeAffiliate(program, { firstName: 'Amara', lastName: 'Okafor' });
  const priya = await storeAffiliate(program, {
    firstName: '=1+1',
    lastName: 'O"Neil, Jr',
    paymentMethod: 'PAYPAL',
    payoutEmail: 'paypal@example.com',
  });
  const zoe = await storeAffiliate(program, { firstName: 'Zoe' });
  const sold = (affiliate: StoredAffiliate | null, commissionEarnedMinor: number, milliseconds = -1000) =>
    makeStoredSale(affiliate?.id ?? '', {
      affiliateId: affiliate?.id ?? null,
      commissionEarnedMinor,
      createdAt: at(milliseconds),
    });
  const stored = [sold(amara, 1500), sold(amara, 500, -60_000), sold(priya, 500), sold(zoe, 700), sold(null, 900)];
  await storeSales(program.id, stored);
  await storeAdjustment(program, zoe.id, -700);
  const sell = (affiliate: StoredAffiliate, commissionEarnedMinor: number, milliseconds = -1000) =>
    storeSales(program.id, [sold(affiliate, commissionEarnedMinor, milliseconds)]);
  return { program, amara, priya, zoe, sell };
};
type Terms = Parameters<typeof bodyOf<typeof operation.body>>[1];

describe('a preview', () => {
  const draft = (program: TestProgram, terms: Terms) => newPayoutBatch(program.currency, bodyOf(operation, terms), now);

  it.each<{ terms: Terms; amounts: number[]; saleCounts: number[] }>([
    { terms: {}, amounts: [2000, 500], saleCounts: [2, 1] },
    { terms: { minimumAmount: 5 }, amounts: [2000, 500], saleCounts: [2, 1] },
    { terms: { minimumAmount: 5.01 }, amounts: [2000], saleCounts: [2] },
    { terms: { paymentMethod: 'PAYPAL' }, amounts: [500], saleCounts: [1] },
    { terms: { paymentMethod: 'WISE' }, amounts: [], saleCounts: [] },
    { terms: { periodStart: at(-1000) }, amounts: [1500, 500], saleCounts: [1, 1] },
    { terms: { periodEnd: at(-1000) }, amounts: [500], saleCounts: [1] },
  ])(
    'with $terms is what the batch then has, most first, and writes nothing',
    async ({ terms, amounts, saleCounts }) => {
      const { program } = await setUp();
      const send = vi.spyOn(documents, 'send');
      const preview = await previewPayouts(program.id, draft(program, terms));
      const calls = send.mock.calls.map(([command]) => command.constructor.name);
      expect(calls).not.toContain('TransactWriteCommand');
      send.mockRestore();
      const totalMinor = amounts.reduce((sum, amount) => sum + amount, 0);
      expect(preview.payouts.map(({ amountMinor }) => Number(amountMinor))).toEqual(amounts);
      expect(preview.payouts.map(({ saleCount }) => saleCount)).toEqual(saleCounts);
      expect(preview).toMatchObject({ totalMinor: BigInt(totalMinor), isComplete: true });
      expect(await prepareBatch(program, terms)).toMatchObject({
        payoutCount: amounts.length,
        totalAmountMinor: String(totalMinor),
      });
    },
  );

  it('takes off what is owed, and leaves out sales of affiliates that are gone', async () => {
    const { program, amara, zoe, sell } = await setUp();
    await storeAdjustment(program, amara.id, -250);
    await sell(zoe, 1);
    await storeSale(program, '019a0000-0000-7000-8000-00000000dead', { createdAt: at(-1) });
    const { payouts, totalMinor } = await previewPayouts(program.id, draft(program, {}));
    expect(payouts.map(({ affiliate, amountMinor }) => [affiliate.firstName, amountMinor])).toEqual([
      ['Amara', 1750n],
      ['=1+1', 500n],
      ['Zoe', 1n],
    ]);
    expect(totalMinor).toBe(2251n);
  });
});

describe('a batch with its payouts', () => {
  const respond = (
    program: TestProgram,
    batch: StoredPayoutBatch,
    request = { limit: 10 } as Parameters<typeof batchWithPayouts>[2],
  ) => batchWithPayouts(program.id, batch, request);

  it('has none until all are known', async () => {
    const { program } = await setUp();
    const batch = await createBatch(program);
    expect((await respond(program, batch)).record).toMatchObject({ id: batch.id, totalAmount: 0, payouts: [] });
    expect(await findBatchWithPayouts(program.id, batch.id, { limit: 10 })).toEqual({
      batch,
      entries: [],
      next: undefined,
    });
  });

  it('has one for each affiliate, page by page, unpaid until the batch is paid', async () => {
    const { program, amara, priya } = await setUp();
    const batch = await prepareBatch(program);
    const [first, second] = [amara, priya].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const page = await respond(program, batch, { limit: 1 });
    expect(page.record.payouts?.map(({ affiliateId }) => affiliateId)).toEqual([first?.id]);
    expect(page.next).toBe(first?.id);
    const last = await respond(program, batch, { limit: 1, after: page.next });
    expect(last.record.payouts?.map(({ affiliateId }) => affiliateId)).toEqual([second?.id]);
    expect(last.next).toBeUndefined();
    const ofAmara = async () => {
      const { record } = await respond(program, await findPayoutBatch(program.id, batch.id));
      return record.payouts?.find(({ affiliateId }) => affiliateId === amara.id);
    };
    const before = await ofAmara();
    const { id, firstName, lastName, email } = amara;
    const affiliate = { id, firstName, lastName, email };
    expect(before).toMatchObject({ amount: 20, saleCount: 2, status: 'UNPAID', paidAt: null, affiliate });
    await payBatch(program, batch);
    expect(await ofAmara()).toEqual({ ...before, status: 'PAID', paidAt: at(0) });
    const { entries, next } = await findBatchWithPayouts(program.id, batch.id, { limit: 1 });
    expect(entries.map((entry) => entry.affiliate?.id)).toEqual([first?.id]);
    expect(next).toBe(first?.id);
  });

  it('of another program is 404', async () => {
    const { program } = await setUp();
    const { id } = await createBatch(program);
    await expectRefusal(() => findPayoutBatch(newProgram().id, id), { status: 404 });
    await expectRefusal(() => findBatchWithPayouts(newProgram().id, id, { limit: 1 }), { status: 404 });
  });
});

describe('the payouts as CSV', () => {
  const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true });

  it('have a row for each, without a formula, with the email to pay to', async () => {
    const { program, amara, priya } = await setUp();
    const batch = await prepareBatch(program);
    const { text, fileName, next } = await payoutsCsv(program.id, batch, undefined);
    expect([fileName, next]).toEqual([`payouts-${batch.id}.csv`, undefined]);
    const { record } = await batchWithPayouts(program.id, batch, { limit: 10 });
    const payoutIdOf = (id: string) => record.payouts?.find(({ affiliateId }) => affiliateId === id)?.id ?? '';
    const common = { currency: 'USD', status: 'UNPAID', promotionalCode: '' };
    const rows = [
      {
        payoutId: payoutIdOf(amara.id),
        affiliateId: amara.id,
        firstName: 'Amara',
        lastName: 'Okafor',
        email: amara.email,
        payoutEmail: amara.email,
        paymentMethod: '',
        amount: '20.00',
        saleCount: '2',
        ...common,
      },
      {
        payoutId: payoutIdOf(priya.id),
        affiliateId: priya.id,
        firstName: "'=1+1",
        lastName: 'O"Neil, Jr',
        email: priya.email,
        payoutEmail: 'paypal@example.com',
        paymentMethod: 'PAYPAL',
        amount: '5.00',
        saleCount: '1',
        ...common,
      },
    ].toSorted((one, other) => (one.affiliateId < other.affiliateId ? -1 : 1));
    expect(rowsOf(text)).toEqual(rows);
    expect(text.split('\r\n')).toHaveLength(4);
    const rest = await payoutsCsv(program.id, batch, rows[0]?.affiliateId);
    expect(rowsOf(rest.text)).toEqual(rows.slice(1));
  });

  it('are a heading alone until they are known', async () => {
    const { program } = await setUp();
    const { text, next } = await payoutsCsv(program.id, await createBatch(program), undefined);
    expect([rowsOf(text), next]).toEqual([[], undefined]);
    expect(text).toMatch(/^"payoutId","affiliateId",.*,"status","promotionalCode"\r\n$/);
  });
});

describe('the payouts of an affiliate', () => {
  it('are those in the newest batches, newest first, without batches in preparation', async () => {
    const { program, amara, priya, zoe, sell } = await setUp();
    const first = await prepareBatch(program);
    await sell(amara, 300);
    const second = await prepareBatch(program);
    await createBatch(program);
    const ofAmara = (count: number) => newestPayoutsOfAffiliate(program.id, amara.id, count);
    const [newer, older] = [
      { batch: second, amountMinor: 300n, saleCount: 1, adjustmentCount: 0, promotionalCode: null },
      { batch: first, amountMinor: 2000n, saleCount: 2, adjustmentCount: 0, promotionalCode: null },
    ].toSorted((one, other) => (one.batch.id < other.batch.id ? 1 : -1));
    expect(await ofAmara(3)).toEqual([newer, older]);
    expect(await newestPayoutsOfAffiliate(program.id, priya.id, 3)).toMatchObject([{ amountMinor: 500n }]);
    expect(await newestPayoutsOfAffiliate(program.id, zoe.id, 3)).toEqual([]);
    expect(await newestPayoutsOfAffiliate(newProgram().id, amara.id, 3)).toEqual([]);
  });
});
