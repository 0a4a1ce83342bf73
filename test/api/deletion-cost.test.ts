import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { finishDeletion } from '../../shared/domain/deletions/finish-deletion.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { costOf } from '../support/capacity.ts';
import { purgeTools } from '../support/deletions.ts';
import { isEmbedded } from '../support/embedded-database.ts';
import { makeProgram } from '../support/program.ts';
import { makeStoredSale, storeAll, storeQuietSales, unnoticed } from '../support/sales.ts';
import { makeStoredCode } from '../support/stored-records.ts';

const count = 200;

const deletion = (kind: 'COUPON' | 'AFFILIATE', programId: string, id: string) =>
  costOf(() =>
    finishDeletion(
      { programId, kind, id, step: 0, isSweep: true },
      {
        send: () => Promise.reject(new Error('200 records are one message')),
        now: () => new Date(),
        ...purgeTools,
      },
    ),
  );

it.runIf(isEmbedded).each([
  ['without an affiliate', null, 0.2],
  ['with one', randomUUID(), 1.2],
])('the codes of a deleted coupon cost at most 9 units each: %s', async (_, affiliateId, maxCalls) => {
  const { programId } = await makeProgram();
  const couponId = randomUUID();
  const codes = Array.from({ length: count }, (_, number) =>
    makeStoredCode({ id: newRecordId(new Date()), couponId, code: `CODE-${number}`, affiliateId }),
  );
  await storeAll(unnoticed(codes.flatMap((code) => promotionalCodes.createWrites(programId, code))));
  const { calls, readUnits, writeUnits } = await deletion('COUPON', programId, couponId);
  expect((await promotionalCodes.page(programId, { limit: 1 })).items).toEqual([]);
  expect(writeUnits / count).toBeGreaterThan(3);
  expect((readUnits + writeUnits) / count).toBeLessThanOrEqual(9);
  expect(calls / count).toBeLessThanOrEqual(maxCalls);
});

it.runIf(isEmbedded).each([
  { customer: 'of customers without a name', overrides: {}, maxUnits: 6 },
  { customer: 'found by three words', overrides: { searchWords: ['mei', 'tanaka', 'example'] }, maxUnits: 12 },
])('the sales of a deleted affiliate cost at most $maxUnits units and 0.2 calls each: $customer', async (sold) => {
  const { programId } = await makeProgram();
  const affiliateId = randomUUID();
  await storeQuietSales(
    programId,
    Array.from({ length: count }, () => makeStoredSale(affiliateId, sold.overrides)),
  );
  const { calls, readUnits, writeUnits } = await deletion('AFFILIATE', programId, affiliateId);
  expect((await sales.page(programId, { limit: 1 })).items).toEqual([]);
  expect(await sales.valuesBeginningWith(programId, 'WORD', 'mei', { count: 10 })).toEqual([]);
  expect(writeUnits / count).toBeGreaterThan(2);
  expect((readUnits + writeUnits) / count).toBeLessThanOrEqual(sold.maxUnits);
  expect(calls / count).toBeLessThanOrEqual(0.2);
});

it('a code that was worked on before holds up none of its group', async () => {
  const { programId } = await makeProgram();
  const couponId = randomUUID();
  const codes = Array.from({ length: 30 }, (_, number) =>
    makeStoredCode({ id: newRecordId(new Date()), couponId, code: `AGAIN-${number}` }),
  );
  const [first] = codes;
  if (!first) throw new Error('There are 30 codes');
  await storeAll(unnoticed(codes.flatMap((code) => promotionalCodes.createWrites(programId, code))));
  await storeAll(unnoticed([promotionalCodes.tombstoneWrite(programId, first, new Date())]));
  await deletion('COUPON', programId, couponId);
  expect((await promotionalCodes.page(programId, { limit: 1 })).items).toEqual([]);
  expect(await promotionalCodes.valuesBeginningWith(programId, 'CODE', 'AGAIN', { count: 10 })).toEqual([]);
  expect((await promotionalCodes.getManyEvenDeleted(programId, [first.id])).size).toBe(1);
});
