import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { createReferral as referralOperation } from '../../../shared/contract/referrals.ts';
import {
  refundSale as refundOperation,
  createSale as saleOperation,
  updateSale as updateOperation,
} from '../../../shared/contract/sales.ts';
import { deleteReferral } from '../../../shared/domain/deletions/delete-referral.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { buildStatisticsOf } from '../../../shared/domain/totals/build-statistics.ts';
import { countClicks } from '../../../shared/domain/tracking/count-clicks.ts';
import { updateItem } from '../../../shared/platform/table/items.ts';
import { useClickSecret } from '../../support/click-secret.ts';
import { bodyOf, now } from '../../support/domain.ts';
import { type CountedProgram, countedProgram, killedAfter } from './counted-program.ts';
import { type CountedClick, groupings, readLines, recompute } from './recomputed.ts';

beforeEach(useClickSecret);

const hour = 3_600_000;
const zones = ['UTC', 'Asia/Tokyo', 'America/New_York'];
const maxHosts = 20;

const which = fc.nat({ max: 30 });
/** More hosts than a link counts by name on a day, and none. */
const host = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.nat({ max: 29 }).map((number) => `site-${number}.example`) },
);
const visit = fc.record({ visitor: fc.nat({ max: 20 }), host, link: fc.nat({ max: 1 }), hours: fc.nat({ max: 40 }) });
const cents = fc.integer({ min: 1, max: 100_000 });
/** By whose link it is; 2 is an affiliate without a link. */
const by = fc.nat({ max: 2 });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('sell' as const), by, host, cents }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refer' as const), by: fc.nat({ max: 1 }), host }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sellToReferred' as const), which, cents }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refund' as const), which, part: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), which, cents }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteSale' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteReferral' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('storeEarlier' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('build' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), zone: fc.nat({ max: zones.length - 1 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('click' as const),
      visits: fc.array(visit, { minLength: 1, maxLength: 12 }),
      killed: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('count' as const),
      size: fc.integer({ min: 1, max: 12 }),
      again: fc.nat({ max: 8 }),
      killedAt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Do<Name extends Step['do']> = Extract<Step, { do: Name }>;

const dayIn = (timeZone: string, at: Date): string => new Intl.DateTimeFormat('en-CA', { timeZone }).format(at);

/** A history, and what the test itself remembers of it: the clicks, which have no records. */
const startHistory = (world: CountedProgram) => {
  const { program, links } = world;
  const clicks = new Map<string, CountedClick>();
  let at = now.getTime();
  const nthSale = async (nth: number): Promise<StoredSale | undefined> => {
    const { items } = await sales.page(program.id, { limit: 100 });
    return items[nth % Math.max(1, items.length)];
  };
  const nthReferral = async (nth: number) => {
    const { items } = await referrals.page(program.id, { limit: 100 });
    return items[nth % Math.max(1, items.length)];
  };
  const linkOf = (number: number) => links[number];
  const acts: { [Name in Step['do']]: (step: Do<Name>, time: Date) => Promise<unknown> } = {
    sell: async ({ by: number, host: from, cents: amount }, time) => {
      const link = linkOf(number);
      const credit = link
        ? { clickId: await world.clickId(link, from, time) }
        : { referralId: links[0]?.affiliateId ?? '' };
      await createSale(program, bodyOf(saleOperation, { totalEarned: amount / 100, ...credit }), time);
    },
    refer: async ({ by: number, host: from }, time) => {
      const link = linkOf(number);
      if (!link) throw new Error('There are two links');
      const clickId = await world.clickId(link, from, time);
      const email = `${randomUUID()}@example.com`;
      await createReferral(program, bodyOf(referralOperation, { name: 'Priya', email, clickId }), time);
    },
    sellToReferred: async ({ which: nth, cents: amount }, time) => {
      const referral = await nthReferral(nth);
      if (!referral) return;
      await createSale(program, bodyOf(saleOperation, { totalEarned: amount / 100, email: referral.email }), time);
    },
    refund: async ({ which: nth, part }, time) => {
      const sale = await nthSale(nth);
      if (!sale || sale.status === 'REFUNDED') return;
      const left = sale.totalEarnedMinor - sale.refundedAmountMinor;
      const amount = Math.ceil(left / part) / 100;
      await refundSale(program, bodyOf(refundOperation, { saleId: Number(sale.id), amount }), undefined, time);
    },
    edit: async ({ which: nth, cents: amount }, time) => {
      const sale = await nthSale(nth);
      if (!sale) return;
      const totalEarned = (sale.refundedAmountMinor + amount) / 100;
      await updateSale(program, bodyOf(updateOperation, { saleId: Number(sale.id), totalEarned }), undefined, time);
    },
    deleteSale: async ({ which: nth }, time) => {
      const sale = await nthSale(nth);
      if (sale) await deleteSale(program.id, Number(sale.id), undefined, time);
    },
    deleteReferral: async ({ which: nth }, time) => {
      const referral = await nthReferral(nth);
      if (referral) await deleteReferral(program.id, referral.id, undefined, time);
    },
    // A sale that an earlier version has stored and counted by day alone.
    storeEarlier: async ({ which: nth }) => {
      const sale = await nthSale(nth);
      if (!sale?.inStatistics) return;
      await world.countRest();
      await updateItem('records', sales.keyOf(program.id, sale.id), {
        UpdateExpression: 'REMOVE inStatistics, attribution',
      });
    },
    build: () => buildStatisticsOf(program.id),
    move: ({ zone }) => world.moveTo(zones[zone] ?? 'UTC'),
    click: async ({ visits, killed }, time) => {
      const messages = visits.flatMap(({ visitor, host: from, link: number, hours }) => {
        const link = linkOf(number);
        return link ? [world.click(link, `visitor ${visitor}`, from, new Date(time.getTime() + hours * hour))] : [];
      });
      const count = () => countClicks(program.id, messages, time);
      if (killed) await killedAfter(1, count);
      await count();
      for (const { visitor, linkId, affiliateId, at: when, referrer } of messages) {
        const name = `${visitor} ${linkId} ${when.slice(0, 13)}`;
        const day = dayIn(program.timeZone, new Date(when));
        if (!clicks.has(name)) clicks.set(name, { day, affiliateId, affiliateLinkId: linkId, referringHost: referrer });
      }
    },
    count: async ({ size, again, killedAt }) => {
      await world.hear();
      await world.countBatch(size, again, killedAt);
    },
  };
  return {
    clicks,
    take: async (one: Step): Promise<void> => {
      at += hour;
      await (acts[one.do] as (step: Step, time: Date) => Promise<unknown>)(one, new Date(at));
      // Changes of one record come in their order, each with what it was before.
      await world.hear();
    },
  };
};

const expectExact = async ({ program, links }: CountedProgram, counted: Iterable<CountedClick>): Promise<void> => {
  const clicks = [...counted];
  const named = new Map<string, Set<string>>();
  for (const { id, link } of links) {
    for (const line of Object.keys(await readLines(program, 'referrer', { link: link.toLowerCase() }))) {
      const [day = '', name = ''] = line.split(' ');
      const names = named.get(`${day} ${id}`) ?? new Set();
      if (name !== 'other') named.set(`${day} ${id}`, names.add(name));
    }
  }
  for (const names of named.values()) expect(names.size).toBeLessThanOrEqual(maxHosts);
  const nameOfHost = (of: string, { day, linkId }: { day: string; linkId: string }) =>
    named.get(`${day} ${linkId}`)?.has(of) ? of : 'other';
  for (const groupBy of groupings)
    expect([groupBy, await readLines(program, groupBy)]).toEqual([
      groupBy,
      await recompute(program, groupBy, { clicks, nameOfHost }),
    ]);
  for (const { id, link, affiliateId } of links) {
    const ofLink = await recompute(program, 'none', { clicks, keep: (one) => one.affiliateLinkId === id });
    expect([link, await readLines(program, 'none', { link })]).toEqual([link, ofLink]);
    const ofAffiliate = await recompute(program, 'none', { clicks, keep: (one) => one.affiliateId === affiliateId });
    expect([link, await readLines(program, 'none', { affiliateId })]).toEqual([link, ofAffiliate]);
  }
};

it('statistics equal what the records add up to, after any history and with batches that come again or are interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const world = await countedProgram();
      const history = startHistory(world);
      for (const one of steps) await history.take(one);
      await buildStatisticsOf(world.program.id);
      await world.countRest();
      await world.countBatch(0, 60);
      await expectExact(world, history.clicks.values());
    }),
    { numRuns: Number(process.env.HISTORIES ?? 6), ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  );
}, 600_000);

it('clicks and sales that name hosts of a link at once name at most 20, and count all exactly', async () => {
  const world = await countedProgram();
  const [link] = world.links;
  if (!link) throw new Error('There are two links');
  const hosts = Array.from({ length: 30 }, (_, number) => `site-${number}.example`);
  for (const from of hosts) {
    const clickId = await world.clickId(link, from, now);
    await createSale(world.program, bodyOf(saleOperation, { totalEarned: 10, clickId }), now);
  }
  const messages = hosts.toReversed().map((from, visitor) => world.click(link, `${visitor} of them`, from, now));
  const inParts = [0, 10, 20].map((start) => messages.slice(start, start + 10));
  await world.hear();
  await Promise.all([
    ...inParts.map((part) => countClicks(world.program.id, part, now)),
    ...[10, 20].map((size) => world.countBatch(size, 0)),
  ]);
  await world.countRest();
  const clicks = messages.map(({ linkId, affiliateId, referrer }) => ({
    day: '2026-03-01',
    affiliateId,
    affiliateLinkId: linkId,
    referringHost: referrer,
  }));
  await expectExact(world, clicks);
  expect(Object.keys(await readLines(world.program, 'referrer'))).toHaveLength(maxHosts + 1);
});
