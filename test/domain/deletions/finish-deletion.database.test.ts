import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { finishDeletion } from '../../../shared/domain/deletions/finish-deletion.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { programs } from '../../../shared/domain/programs/repository.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { sales, salesOfAffiliate } from '../../../shared/domain/sales/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { firstMessage, purgeTools, workOnDeletion } from '../../support/deletions.ts';
import { newProgram } from '../../support/domain.ts';
import { makeStoredAdjustment, makeStoredSale, storeAll, storeSales } from '../../support/sales.ts';

// What the worker does after an affiliate was deleted.

afterEach(() => vi.restoreAllMocks());

/** A clock that has each page take longer than one message works. */
const slowClock = () => {
  let milliseconds = Date.now();
  return () => {
    milliseconds += 20_000;
    return new Date(milliseconds);
  };
};

const salesLeft = async (programId: string, affiliateId: string): Promise<number> =>
  (await sales.page(programId, { limit: 1000 }, salesOfAffiliate(affiliateId))).items.length;

const withSales = async (count: number) => {
  const programId = newProgram().id;
  const affiliateId = randomUUID();
  await storeSales(
    programId,
    Array.from({ length: count }, () => makeStoredSale(affiliateId)),
  );
  return { programId, affiliateId, message: firstMessage(programId, affiliateId) };
};

it('goes on in another message when its time is over, and asks for a second round, which asks for none', async () => {
  const { programId, affiliateId, message } = await withSales(250);
  const sent = await workOnDeletion(message, slowClock());
  expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([undefined, undefined, 40]);
  expect(await salesLeft(programId, affiliateId)).toBe(0);
  // What a request in flight wrote after the first round.
  await storeSales(programId, [makeStoredSale(affiliateId)]);
  const sweep = sent.at(-1)?.message;
  expect(sweep && (await workOnDeletion(sweep))).toEqual([]);
  expect(await salesLeft(programId, affiliateId)).toBe(0);
}, 60_000);

it('removes what refunds would have taken from the next payout, and leaves what was taken from one that is paid', async () => {
  const programId = newProgram().id;
  const affiliateId = randomUUID();
  const open = Array.from({ length: 120 }, () => makeStoredAdjustment(affiliateId, -100));
  const taken = { ...makeStoredAdjustment(affiliateId, -100), payoutBatchId: 'b', paidAt: new Date().toISOString() };
  const others = makeStoredAdjustment(randomUUID(), -100);
  const all = [...open, taken, others];
  await storeAll(all.flatMap((adjustment) => adjustments.createWrites(programId, adjustment)));
  const message = firstMessage(programId, affiliateId);
  await Promise.all([workOnDeletion(message), workOnDeletion(message)]);
  const left = (await adjustments.page(programId, { limit: 1000 })).items;
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([taken.id, others.id]));
});

it('finishes with the same message after it died in the middle of a page, or before it sent the next message', async () => {
  const { programId, affiliateId, message } = await withSales(150);
  const realSend = documents.send.bind(documents);
  let writes = 0;
  vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof realSend>[0]) => {
    // One for 20 sales.
    if (command.constructor.name === 'TransactWriteCommand') writes += 1;
    return writes > 2 ? Promise.reject(new Error('killed')) : realSend(command);
  }) as typeof documents.send);
  await expect(workOnDeletion(message)).rejects.toThrow('killed');
  vi.restoreAllMocks();
  expect(await salesLeft(programId, affiliateId)).toBe(110);
  const dying = { send: () => Promise.reject(new Error('killed')), now: slowClock() };
  await expect(finishDeletion(message, { ...dying, ...purgeTools })).rejects.toThrow('killed');
  expect(await salesLeft(programId, affiliateId)).toBe(10);
  await workOnDeletion(message);
  expect(await salesLeft(programId, affiliateId)).toBe(0);
}, 60_000);

it.each([false, true])(
  'a late message does nothing to a program that was restored since: sweep %s',
  async (isSweep) => {
    const { programId } = await createProgram({ name: 'Shop', ownerEmail: `${randomUUID()}@example.com` }, new Date());
    await storeSales(programId, [makeStoredSale(randomUUID())]);
    const late = { programId, kind: 'PROGRAM' as const, id: programId, step: 0, isSweep };
    expect(await workOnDeletion(late)).toEqual([]);
    expect((await sales.page(programId, { limit: 10 })).items).toHaveLength(1);
    expect(await programs.get(programId, programId)).toMatchObject({ name: 'Shop' });
  },
);
