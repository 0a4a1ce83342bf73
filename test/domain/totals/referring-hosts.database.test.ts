import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sumsName } from '../../../shared/domain/statistics/day-sums.ts';
import { withHostNames } from '../../../shared/domain/totals/referring-hosts.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { changeRecord } from '../../support/changes.ts';
import { newProgram, now, storeAffiliate, storeLink } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { makeStoredSale } from '../../support/sales.ts';
import { readLines } from '../statistics/recomputed.ts';

it.each([
  { is: 'a new sale', sales: 1n, stored: 1 },
  { is: 'a deletion, after the sums of the day were purged,', sales: -1n, stored: 0 },
])('the host of $is takes $stored of the names of a day', async ({ sales, stored }) => {
  const id = sumsName({ name: 'REFERRER', day: '2026-03-01', id: 'link', host: 'blog.example' });
  const delta = { kind: 'SUMS' as const, id, amounts: { sales } };
  const { named, writes } = await withHostNames(randomUUID(), [delta]);
  expect(named).toEqual([delta]);
  expect(writes).toHaveLength(stored);
});

it('a refund brings back no sums that were purged, those of a host among them', async () => {
  const program = newProgram();
  const before = makeStoredSale(randomUUID(), { affiliateLinkId: randomUUID(), referringHost: 'blog.example' });
  const after = { ...before, refundedAmountMinor: 1000 };
  const change = changeRecord(program, 'SALE', { before, after });
  await updateTotals(await countableChangesOf([change]), now);
  for (const groupBy of ['affiliate', 'link', 'referrer'] as const)
    expect(await readLines(program, groupBy)).toEqual({});
});

it.each([
  { place: 'the first', known: 0, overtakenAs: 'overtaken.example' },
  { place: 'the last', known: 19, overtakenAs: 'other' },
])(
  'race: a host that takes $place of the 20 names of a day in between leaves the other $overtakenAs',
  async ({ known, overtakenAs }) => {
    const program = newProgram();
    const { id: affiliateId } = await storeAffiliate(program);
    const { id: affiliateLinkId } = await storeLink(program, { affiliateId });
    const count = async (...hosts: string[]) => {
      const changes = hosts.map((referringHost) =>
        changeRecord(program, 'SALE', { after: makeStoredSale(affiliateId, { affiliateLinkId, referringHost }) }),
      );
      await updateTotals(await countableChangesOf(changes), now);
    };
    const knownHosts = Array.from({ length: known }, (_, at) => `known${at}.example`);
    if (known > 0) await count(...knownHosts);
    await interrupted(
      () => count('overtaken.example'),
      () => count('between.example'),
      'transaction',
    );
    const lines = Object.entries(await readLines(program, 'referrer'));
    expect(lines.map(([line, { sales }]) => [line.split(' ')[1], sales]).sort()).toEqual(
      [...knownHosts, 'between.example', overtakenAs].sort().map((host) => [host, 1]),
    );
  },
);
