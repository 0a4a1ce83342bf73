import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { createTotalsWrite, withTotals } from '../../../shared/domain/affiliates/totals.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { newProgram } from '../../support/domain.ts';
import { storeAll } from '../../support/sales.ts';
import { makeStoredAffiliate, makeStoredLink, makeStoredReferral } from '../../support/stored-records.ts';

it('totals of many changes that each add to records of their own are all counted, and once', async () => {
  const programId = newProgram().id;
  const ids = Array.from({ length: 30 }, () => randomUUID());
  // Without their unique values, which are the same for all.
  const records = ids.flatMap((id) => [
    createTotalsWrite(programId, id),
    ...referrals.createWrites(programId, makeStoredReferral({ id })).slice(0, 1),
    ...links.createWrites(programId, makeStoredLink({ id })).slice(0, 1),
  ]);
  await storeAll(records);
  const changes = ids.map((id) => ({
    programId,
    changeId: id,
    record: {},
    deltas: [
      { kind: 'AFFILIATE' as const, id, amounts: { totalRevenueMinor: 5n } },
      { kind: 'REFERRAL' as const, id, amounts: { totalRevenueMinor: 6n } },
      { kind: 'LINK' as const, id, amounts: { totalRevenueMinor: 7n } },
    ],
  }));
  await updateTotals(changes, new Date());
  await updateTotals(changes, new Date());
  const found = await Promise.all([
    withTotals(
      programId,
      ids.map((id) => makeStoredAffiliate({ id })),
    ),
    referrals.getMany(programId, ids).then((byId) => [...byId.values()]),
    links.getMany(programId, ids).then((byId) => [...byId.values()]),
  ]);
  const revenues = found.map((counted) => counted.map(({ totalRevenueMinor }) => totalRevenueMinor));
  expect(revenues).toEqual([5, 6, 7].map((revenue) => ids.map(() => revenue)));
});
