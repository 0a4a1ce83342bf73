import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { itemsOfPartition, itemsOfTable, patientClient } from '../../infra/admin/items.ts';
import { putItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';

// DynamoDB returns at most 1 MB in one page.

it('what an export reads is all of a partition and of the table, beyond the first page', async () => {
  const programId = randomUUID();
  const pk = partition(programId, 'COUPON');
  const ids = Array.from({ length: 5 }, (_, at) => `id-${at}`);
  for (const sk of ids) await putItem('records', { pk, sk, note: 'x'.repeat(300_000) });
  const table = process.env.RECORDS_TABLE ?? '';
  const ofPartition = await Array.fromAsync(itemsOfPartition(patientClient(), table, pk));
  expect(ofPartition.map(({ sk }) => sk?.S)).toEqual(ids);
  const ofTable = await Array.fromAsync(itemsOfTable(patientClient(), table));
  expect(ofTable.filter((item) => item.pk?.S === pk).map(({ sk }) => sk?.S)).toEqual(ids);
});
