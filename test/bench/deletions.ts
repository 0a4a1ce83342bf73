import { strictEqual } from 'node:assert';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { codesOfCoupon, promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { sales, salesOfAffiliate } from '../../shared/domain/sales/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName, type TableName } from '../../shared/platform/table/deployed-name.ts';
import type { IndexEntry } from '../../shared/platform/table/keys.ts';
import { type Kind, partition } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import type { Write } from '../../shared/platform/table/transaction.ts';
import { makeStoredSale, storeAll } from '../support/sales.ts';
import { makeStoredCode } from '../support/stored-records.ts';
import { type Bench, bench, until, watchLoad } from './bench-stack.ts';

// Deletes a coupon with many codes, and an affiliate with many sales: all of them go, each with its event. Run by hand:
// `npx node test/bench/deletions.ts [count] [codes|sales]`. Exit code 1 where 10,000 records take more than a minute to go;
// their events follow behind.
const count = Number(process.argv[2] ?? 10_000);
const only = process.argv[3];
const maxSeconds = 60;

const countIn = async (table: TableName, programId: string, kind: Kind, { index, parts }: IndexEntry) => {
  let found = 0;
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const response: { Count?: number | undefined; LastEvaluatedKey?: Record<string, unknown> | undefined } =
      await documents.send(
        new QueryCommand({
          TableName: deployedName(table),
          IndexName: index,
          Select: 'COUNT',
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': `${index.toLowerCase()}pk` },
          ExpressionAttributeValues: { ':pk': partition(programId, kind, ...parts) },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
    found += response.Count ?? 0;
    ExclusiveStartKey = response.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found;
};

interface Cascade {
  name: string;
  /** What goes with the deleted record. */
  creations: readonly Write[];
  kind: 'PROMOTIONAL_CODE' | 'SALE';
  of: IndexEntry;
  eventFamily: 'promotional_code' | 'sale';
  remove: () => Promise<unknown>;
}

const measure = async ({ programId, timed }: Bench, cascade: Cascade): Promise<void> => {
  const { name, creations, kind, of, eventFamily, remove } = cascade;
  const eventsAre = (verb: string) =>
    until(
      async () =>
        (await countIn('traffic', programId, 'EVENT', { index: 'GSI1', parts: ['TYPE', `${eventFamily}.${verb}`] })) ===
        count,
    );
  await timed(`${name}: ${count} written`, () => storeAll(creations));
  await timed(`${name}: created events`, () => eventsAre('created'));
  const loadSince = watchLoad();
  await timed(`${name}: deleted, with all events`, async () => {
    await remove();
    const start = performance.now();
    await timed(`${name}: all gone`, () => until(async () => (await countIn('records', programId, kind, of)) === 0));
    if (performance.now() - start > maxSeconds * 1000) process.exitCode = 1;
    console.log(loadSince());
    await eventsAre('deleted');
  });
  console.log(loadSince());
};

const deleteCoupon = async (stack: Bench): Promise<void> => {
  const { programId, client } = stack;
  const { id: couponId } = await client.coupons.create({ name: 'Full size', percentOff: 20 });
  const codes = Array.from({ length: count }, (_, number) => {
    const now = new Date();
    const at = now.toISOString();
    return makeStoredCode({ id: newRecordId(now), createdAt: at, updatedAt: at, code: `CODE-${number}`, couponId });
  });
  await measure(stack, {
    name: 'codes of a coupon',
    creations: codes.flatMap((code) => promotionalCodes.createWrites(programId, code)),
    kind: 'PROMOTIONAL_CODE',
    of: codesOfCoupon(couponId),
    eventFamily: 'promotional_code',
    remove: () => client.coupons.delete(couponId),
  });
  strictEqual((await client.promotionalCodes.list().page()).data.length, 0);
};

const deleteAffiliate = async (stack: Bench): Promise<void> => {
  const { programId, client } = stack;
  const { id: affiliateId } = await client.affiliates.create({ email: 'full-size@example.com', firstName: 'Full' });
  const stored = Array.from({ length: count }, () => makeStoredSale(affiliateId));
  await measure(stack, {
    name: 'sales of an affiliate',
    creations: stored.flatMap((sale) => sales.createWrites(programId, sale)),
    kind: 'SALE',
    of: salesOfAffiliate(affiliateId),
    eventFamily: 'sale',
    remove: () => client.affiliates.delete(affiliateId),
  });
  strictEqual((await client.sales.list().page()).data.length, 0);
};

await bench(async (stack) => {
  if (only !== 'sales') await deleteCoupon(stack);
  if (only !== 'codes') await deleteAffiliate(stack);
});
