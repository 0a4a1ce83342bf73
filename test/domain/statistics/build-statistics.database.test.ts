import { randomUUID } from 'node:crypto';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { refundSale as refundOperation } from '../../../shared/contract/sales.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { buildAllStatistics, buildStatisticsOf } from '../../../shared/domain/totals/build-statistics.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { deleteItem, updateItem } from '../../../shared/platform/table/items.ts';
import { keyOf } from '../../../shared/platform/table/keys.ts';
import { costOf } from '../../support/capacity.ts';
import { bodyOf, newProgram, now, storeAffiliate, storeLink, type TestProgram } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { makeStoredSale } from '../../support/sales.ts';
import { makeStoredReferral } from '../../support/stored-records.ts';
import { watchRecords } from '../../support/watch-records.ts';
import { groupings, readLines, recompute } from './recomputed.ts';

afterEach(() => vi.restoreAllMocks());

/** As an earlier version has stored it: without what this one added. */
const storeEarlier = async (program: TestProgram, kind: 'SALE' | 'REFERRAL', record: { id: string }) => {
  const { inStatistics: _added, attribution: _attribution, day: _day, ...earlier } = record as Record<string, unknown>;
  const Item = { ...keyOf({ table: 'records', kind }, program.id, record.id), kind, ...earlier };
  await documents.send(new PutCommand({ TableName: deployedName('records'), Item }));
};

/** A program of an earlier version, whose worker has counted its sales by day, and nothing else of the statistics. */
const earlierProgram = async (id: string = randomUUID()) => {
  const program = newProgram({ id });
  const affiliate = await storeAffiliate(program);
  const link = await storeLink(program, { affiliateId: affiliate.id });
  const credited = { affiliateId: affiliate.id, affiliateLinkId: link.id };
  const made = Array.from({ length: 25 }, (_, at) =>
    makeStoredSale(affiliate.id, {
      createdAt: `2026-03-0${1 + (at % 5)}T10:00:00.000Z`,
      affiliateLinkId: at % 3 === 0 ? link.id : null,
      refundedAmountMinor: at === 7 ? 4000 : 0,
      commissionEarnedMinor: at === 7 ? 600 : 1000,
    }),
  );
  for (const sale of made) await storeEarlier(program, 'SALE', sale);
  const referral = makeStoredReferral({ id: randomUUID(), ...credited });
  await storeEarlier(program, 'REFERRAL', referral);
  const changes = watchRecords(program);
  const count = async () => updateTotals(await countableChangesOf(await changes()), now);
  await count();
  const [first, second] = made;
  if (!first || !second) throw new Error('There are sales');
  return { program, made, first, second, referral, count, changes };
};

const expectExact = async (program: TestProgram) => {
  for (const groupBy of groupings)
    expect([groupBy, await readLines(program, groupBy)]).toEqual([groupBy, await recompute(program, groupBy)]);
};

const refund = (program: TestProgram, sale: { id: string }) =>
  refundSale(program, bodyOf(refundOperation, { saleId: Number(sale.id), amount: 10 }), undefined, now);

it('before it, records of earlier versions are counted by day alone, and their edits take nothing from others', async () => {
  const { program, first, count } = await earlierProgram();
  await refund(program, first);
  await count();
  expect(await readLines(program, 'affiliate')).toEqual({});
  expect(Object.values(await readLines(program, 'none')).map(({ refunds, referrals }) => refunds + referrals)).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

describe('building the statistics', () => {
  it('adds every record of an earlier version once, however often it is run', async () => {
    const { program, count } = await earlierProgram();
    expect(await buildStatisticsOf(program.id)).toEqual({ programs: 1, referrals: 1, sales: 25 });
    await count();
    await expectExact(program);
    expect(await buildStatisticsOf(program.id)).toEqual({ programs: 1, referrals: 0, sales: 0 });
    await count();
    await expectExact(program);
  });

  it('adds nothing that the first version with statistics has counted, which kept no mark', async () => {
    const { program, first, second, count } = await earlierProgram();
    for (const { id } of [first, second])
      await updateItem('records', sales.keyOf(program.id, id), {
        UpdateExpression: 'SET attribution = :none',
        ExpressionAttributeValues: { ':none': null },
      });
    await count();
    expect(await buildStatisticsOf(program.id)).toMatchObject({ sales: 23 });
    await refund(program, first);
    await count();
    await expectExact(program);
  });

  it('is exact where changes come twice', async () => {
    const { program, changes } = await earlierProgram();
    await buildStatisticsOf(program.id);
    const all = await countableChangesOf(await changes());
    await updateTotals(all.slice(0, 11), now);
    await updateTotals(all, now);
    await updateTotals(all.toReversed(), now);
    await expectExact(program);
  });

  it('is exact where it was killed in the middle and run again, beside sales that are refunded and deleted', async () => {
    const { program, first, second, made, count } = await earlierProgram();
    const send = documents.send.bind(documents);
    let marks = 0;
    vi.spyOn(documents, 'send').mockImplementation(((command: object) => {
      if (command instanceof UpdateCommand && ++marks > 12) return Promise.reject(new Error('killed'));
      return send(command as never);
    }) as never);
    await expect(buildStatisticsOf(program.id)).rejects.toThrow('killed');
    vi.restoreAllMocks();
    await refund(program, first);
    await count();
    await refund(program, second);
    await deleteSale(program.id, Number(made[20]?.id), undefined, now);
    await count();
    await buildStatisticsOf(program.id);
    await deleteSale(program.id, Number(first.id), undefined, now);
    await count();
    await expectExact(program);
  });

  it('leaves a record that is deleted meanwhile deleted, and one that is edited meanwhile edited', async () => {
    const { program, first, second, made, count } = await earlierProgram();
    const last = made.at(-1);
    const meanwhile = async () => {
      await refund(program, second);
      // Every sale that the first ten marks may be of.
      for (const sale of made.slice(2)) await deleteSale(program.id, Number(sale.id), undefined, now);
    };
    await interrupted(() => buildStatisticsOf(program.id), meanwhile, 2);
    expect(await sales.get(program.id, last?.id ?? '')).toBeUndefined();
    expect(await sales.get(program.id, second.id)).toMatchObject({ refundedAmountMinor: 1000, inStatistics: true });
    await refund(program, first);
    await count();
    await expectExact(program);
  });

  it('leaves a referral that is deleted meanwhile deleted', async () => {
    const { program, referral, count } = await earlierProgram();
    const built = await interrupted(
      () => buildStatisticsOf(program.id),
      () => deleteItem('records', referrals.keyOf(program.id, referral.id)),
    );
    expect(built).toEqual({ programs: 1, referrals: 0, sales: 25 });
    expect(await referrals.get(program.id, referral.id)).toBeUndefined();
    await count();
    await expectExact(program);
  });

  it('is no edit of a record, and costs a write unit for each that it adds', async () => {
    const { program, first } = await earlierProgram();
    const cost = await costOf(() => buildStatisticsOf(program.id));
    expect(cost.writeUnits).toBe(26);
    expect(await sales.get(program.id, first.id)).toMatchObject({ version: first.version, updatedAt: first.updatedAt });
  });

  it('of all programs finds each of them', async () => {
    const { programId } = await createProgram({ name: 'Earlier', ownerEmail: `${randomUUID()}@example.com` }, now);
    const { program, count } = await earlierProgram(programId);
    const built = await buildAllStatistics();
    expect(built.programs).toBeGreaterThanOrEqual(1);
    expect(built.sales).toBeGreaterThanOrEqual(25);
    await count();
    await expectExact(program);
  });
});
