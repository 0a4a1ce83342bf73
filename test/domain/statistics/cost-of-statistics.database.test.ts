import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { type DayOf, incrementSumsWrite } from '../../../shared/domain/statistics/day-sums.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { addDays } from '../../../shared/platform/time/days.ts';
import { type Cost, costOf } from '../../support/capacity.ts';
import { useClickSecret } from '../../support/click-secret.ts';
import { at, bodyOf, expectRefusal, newProgram, now, storeAffiliate } from '../../support/domain.ts';
import { countedProgram } from './counted-program.ts';
import { readLines } from './recomputed.ts';

beforeEach(useClickSecret);

const print = (what: string, cost: Cost) => {
  if (process.env.COSTS) process.stderr.write(`${what}: ${JSON.stringify(cost)}\n`);
};

describe('counting sales by clicks from other sites', () => {
  const counting = async (count: number): Promise<Cost> => {
    const world = await countedProgram();
    const [link] = world.links;
    if (!link) throw new Error('There are two links');
    for (let made = 0; made < count; made++) {
      const clickId = await world.clickId(link, 'blog.example', now);
      await createSale(world.program, bodyOf(saleOperation, { totalEarned: 10, clickId }), now);
    }
    await world.hear();
    const cost = await costOf(() => world.countBatch(count, 0));
    print(`${count} sales`, cost);
    return cost;
  };

  it('costs 20 write units and a read unit for one alone', async () => {
    expect(await counting(1)).toEqual({ calls: 2, readUnits: 1, writeUnits: 20 });
  });

  it('costs little more than a mark for each of a batch of one link', async () => {
    const { writeUnits } = await counting(40);
    expect(writeUnits / 40).toBeLessThan(3);
  });
});

const many = (count: number, of: (at: number) => DayOf): DayOf[] => Array.from({ length: count }, (_, at) => of(at));
const amounts = {
  clicks: 12_345n,
  referrals: 1234n,
  sales: 1234n,
  revenueMinor: 123_456_789n,
  refundsMinor: 1_234_567n,
  commissionMinor: 12_345_678n,
};
const tooMuch = { status: 400, path: 'to', code: 'period_too_long' };
const host = `${'x'.repeat(52)}.example`;

describe('the largest response that GET /statistics gives', () => {
  const longest = 366;
  const store = async (programId: string, sums: readonly DayOf[]) => {
    for (let start = 0; start < sums.length; start += 100)
      await writeTogether(sums.slice(start, start + 100).map((of) => incrementSumsWrite(programId, of, amounts)));
  };

  it.each([
    ['link', 'LINK', undefined],
    ['affiliate', 'AFFILIATE', undefined],
    ['referrer', 'REFERRER', host],
  ] as const)('by %s reads at most 10 units, and says where there is too much', async (groupBy, name, ofHost) => {
    const { program, links } = await countedProgram();
    const id = links[0]?.id ?? '';
    const idOf = (at: number) => `${id.slice(0, -4)}${String(at).padStart(4, '0')}`;
    await store(
      program.id,
      many(600, (at) => ({ name, day: '2026-03-01', id: idOf(at), host: ofHost })),
    );
    const cost = await costOf(() =>
      readLines(program, groupBy).catch(({ details }) => expect(details[0].code).toBe('period_too_long')),
    );
    print(groupBy, cost);
    expect(cost.readUnits).toBeLessThanOrEqual(10);
    expect(cost.readUnits).toBeGreaterThan(5);
  });

  it.each([
    ['link', 'LINK', undefined, 380],
    ['affiliate', 'AFFILIATE', undefined, 380],
    ['referrer', 'REFERRER', host, 280],
  ] as const)('by %s is of as many sums as the documentation says', async (groupBy, name, ofHost, max) => {
    const { program } = await countedProgram();
    const sumAt = (at: number) => ({ name, day: '2026-03-01', id: `id-${at}`, host: ofHost });
    await store(program.id, many(max, sumAt));
    expect(Object.keys(await readLines(program, groupBy))).toHaveLength(ofHost ? 1 : max);
    await store(program.id, [sumAt(max)]);
    await expectRefusal(() => readLines(program, groupBy), tooMuch);
  });

  it.each([
    { links: 20, days: 19 },
    { links: 2, days: 190 },
    { links: 1, days: 366 },
  ])('of $links links of an affiliate in $days days reads at most 10 units, whatever others have', async (of) => {
    const program = newProgram();
    const ids = Array.from({ length: of.links }, () => randomUUID());
    const links = Object.fromEntries(ids.map((id) => [id, { link: id, createdAt: at(0), updatedAt: at(0) }]));
    const { id: affiliateId } = await storeAffiliate(program, { links });
    const dayAt = (index: number) => addDays('2026-01-01', index);
    const own = ids.flatMap((id) => many(of.days, (index) => ({ name: 'ONE_LINK', day: dayAt(index), id })));
    await store(program.id, [
      ...own,
      ...many(381, (index) => ({ name: 'LINK', day: '2026-01-01', id: `other-${index}` })),
    ]);
    const period = { from: '2026-01-01', to: dayAt(of.days - 1), affiliateId };
    const cost = await costOf(async () =>
      expect(Object.keys(await readLines(program, 'link', period))).toHaveLength(own.length),
    );
    print(JSON.stringify(of), cost);
    // The affiliate is read first.
    expect(cost.readUnits).toBeLessThanOrEqual(11);
  });

  it('of the hosts of a link in 10 days reads at most 10 units, whatever others have', async () => {
    const { program, links } = await countedProgram();
    const [link] = links;
    if (!link) throw new Error('There are two links');
    const days = Array.from({ length: 10 }, (_, index) => addDays('2026-01-01', index));
    const hostAt = (index: number) => `${String(index).padStart(2, '0')}${host.slice(2)}`;
    const own = days.flatMap((day) =>
      many(21, (index) => ({ name: 'REFERRER', day, id: link.id, host: hostAt(index) })),
    );
    await store(program.id, [
      ...own,
      ...many(281, (index) => ({ name: 'REFERRER', day: '2026-01-01', id: `other-${index}`, host })),
    ]);
    const period = { from: '2026-01-01', to: '2026-01-10', link: link.link };
    const cost = await costOf(async () =>
      expect(Object.keys(await readLines(program, 'referrer', period))).toHaveLength(own.length),
    );
    print('hosts of a link', cost);
    // A link is found by its name first.
    expect(cost.readUnits).toBeLessThanOrEqual(11);
    await expectRefusal(() => readLines(program, 'referrer', { ...period, to: '2026-01-11' }), tooMuch);
  });

  it('of a year of one link or affiliate reads at most 10 units', async () => {
    const { program, links } = await countedProgram();
    const [link] = links;
    if (!link) throw new Error('There are two links');
    const dayAt = (at: number) => addDays('2026-01-01', at);
    const year = { from: '2026-01-01', to: dayAt(longest - 1) };
    await store(program.id, [
      ...many(longest, (at) => ({ name: 'ONE_AFFILIATE', day: dayAt(at), id: link.affiliateId })),
      ...many(longest, (at) => ({ name: 'ONE_LINK', day: dayAt(at), id: link.id })),
    ]);
    for (const query of [{ affiliateId: link.affiliateId }, { link: link.link }]) {
      const cost = await costOf(async () =>
        expect(Object.keys(await readLines(program, 'none', { ...year, ...query }))).toHaveLength(longest),
      );
      print(JSON.stringify(query), cost);
      // A link is found by its name first.
      expect(cost.readUnits).toBeLessThanOrEqual('link' in query ? 11 : 10);
    }
  });
});
