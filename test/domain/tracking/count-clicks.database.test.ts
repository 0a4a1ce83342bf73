import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { readTotals } from '../../../shared/domain/affiliates/totals.ts';
import { createProgram, deleteProgram } from '../../../shared/domain/programs/programs.ts';
import { sumsByDay } from '../../../shared/domain/statistics/read-statistics.ts';
import { salesByDay } from '../../../shared/domain/statistics/sales-by-day.ts';
import type { ClickMessage } from '../../../shared/domain/tracking/click-message.ts';
import { countClicks } from '../../../shared/domain/tracking/count-clicks.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { queryItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { costOf } from '../../support/capacity.ts';
import { newProgram, now, storeAffiliate, storeLink } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

afterEach(() => vi.restoreAllMocks());

const setUp = async () => {
  const { programId } = await createProgram({ name: 'Of clicks', ownerEmail: `${randomUUID()}@example.com` }, now);
  const program = newProgram({ id: programId });
  const affiliate = await storeAffiliate(program);
  const made = await Promise.all(['one', 'two'].map((link) => storeLink(program, { affiliateId: affiliate.id, link })));
  const click = (visitor: string, more: Partial<ClickMessage> = {}): ClickMessage => ({
    programId,
    linkId: made[0]?.id ?? '',
    affiliateId: affiliate.id,
    visitor,
    at: '2026-03-01T10:15:00.000Z',
    referrer: null,
    ...more,
  });
  return { programId, affiliate, links: made, click };
};

type World = Awaited<ReturnType<typeof setUp>>;

const period = { first: '2026-02-01', last: '2026-03-31' };

/** All that counts clicks. */
const counted = async ({ programId, affiliate, links: all }: World) => {
  const totals = await readTotals(programId, [affiliate.id]);
  const bySum = async (name: 'LINK' | 'AFFILIATE' | 'REFERRER') => {
    const sums: Record<string, number> = {};
    for (const { day, key, clicks } of await sumsByDay(programId, name, period))
      sums[`${day} ${key}`] = (sums[`${day} ${key}`] ?? 0) + clicks;
    return sums;
  };
  const found = await Promise.all(all.map(({ id }) => links.get(programId, id)));
  return {
    affiliate: totals.get(affiliate.id)?.numberOfClicks,
    links: found.map((link) => link?.clicks),
    days: (await salesByDay(programId, period))
      .filter(({ clicks }) => clicks > 0)
      .map(({ day, clicks }) => `${day} ${clicks}`),
    byLink: await bySum('LINK'),
    byAffiliate: await bySum('AFFILIATE'),
    byReferrer: await bySum('REFERRER'),
  };
};

/** The same, from the clicks themselves. */
const expected = ({ affiliate, links: all }: World, clicks: readonly ClickMessage[]) => {
  const visits = new Map(clicks.map((one) => [`${one.linkId} ${one.visitor} ${one.at.slice(0, 13)}`, one]));
  const countBy = (nameOf: (one: ClickMessage) => string | undefined): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const one of visits.values()) {
      const name = nameOf(one);
      if (name !== undefined) sums[name] = (sums[name] ?? 0) + 1;
    }
    return sums;
  };
  const day = ({ at }: ClickMessage) => at.slice(0, 10);
  const byLink = countBy((one) => one.linkId);
  return {
    affiliate: visits.size,
    links: all.map(({ id }) => byLink[id] ?? 0),
    days: Object.entries(countBy(day))
      .map(([of, count]) => `${of} ${count}`)
      .sort(),
    byLink: countBy((one) => `${day(one)} ${one.linkId}`),
    byAffiliate: countBy((one) => `${day(one)} ${affiliate.id}`),
    byReferrer: countBy((one) => (one.referrer && `${day(one)} ${one.referrer}`) || undefined),
  };
};

/** Of two links, some visitors again, within an hour and later. A visitor comes from one site, or from none. */
const randomClicks = ({ links: all, click }: World, count: number): ClickMessage[] => {
  let seed = 42;
  const random = (bound: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * bound);
  };
  return Array.from({ length: count }, () => {
    const visitor = random(count / 2);
    const at = Date.parse('2026-02-27T20:00:00Z') + random(3) * 1_800_000 + random(2) * 86_400_000;
    return click(`${visitor} of ${count}`, {
      linkId: all[random(2)]?.id ?? '',
      at: new Date(at).toISOString(),
      referrer: visitor % 9 === 0 ? null : `site-${visitor % 8}.example`,
    });
  });
};

const inBatches = (clicks: readonly ClickMessage[], size: number): ClickMessage[][] =>
  Array.from({ length: Math.ceil(clicks.length / size) }, (_, at) => clicks.slice(at * size, (at + 1) * size));

describe('clicks', () => {
  it('count once for a visitor, link and hour, on all that counts them, however often their batches come', async () => {
    const world = await setUp();
    const clicks = randomClicks(world, 600);
    for (const batch of inBatches(clicks, 200)) await countClicks(world.programId, batch, now);
    expect(await counted(world)).toEqual(expected(world, clicks));
    for (const batch of inBatches(clicks.toReversed(), 150)) await countClicks(world.programId, batch, now);
    expect(await counted(world)).toEqual(expected(world, clicks));
  });

  it('count exactly where four batches with common clicks run at once', async () => {
    const world = await setUp();
    const clicks = randomClicks(world, 400);
    const batches = [
      clicks.slice(0, 250),
      clicks.slice(150, 400),
      clicks.slice(50, 300),
      clicks.toReversed().slice(0, 200),
    ];
    await Promise.all(batches.map((batch) => countClicks(world.programId, batch, now)));
    expect(await counted(world)).toEqual(expected(world, clicks));
  });

  it('count exactly where the worker was killed between two writes, and everything comes again', async () => {
    const world = await setUp();
    const clicks = randomClicks(world, 500);
    const send = documents.send.bind(documents);
    let writes = 0;
    vi.spyOn(documents, 'send').mockImplementation(((command: object) => {
      // The write is made, and its response is lost.
      if (command instanceof TransactWriteCommand && ++writes === 3)
        return send(command).then(() => Promise.reject(new Error('killed')));
      return send(command as never);
    }) as never);
    await expect(countClicks(world.programId, clicks, now)).rejects.toThrow('killed');
    vi.restoreAllMocks();
    await countClicks(world.programId, clicks, now);
    expect(await counted(world)).toEqual(expected(world, clicks));
  });

  it('from more than 20 sites of a link and day are counted together beyond those', async () => {
    const world = await setUp();
    const clicks = Array.from({ length: 30 }, (_, at) =>
      world.click(`v${at}${'y'.repeat(10)}`, { referrer: `s${at}.example` }),
    );
    await Promise.all(inBatches(clicks, 10).map((batch) => countClicks(world.programId, batch, now)));
    const { byReferrer } = await counted(world);
    expect(Object.keys(byReferrer)).toHaveLength(21);
    expect(byReferrer['2026-03-01 other']).toBe(10);
  });

  it('of a link that is gone count nothing, and those of others in the same batch do', async () => {
    const world = await setUp();
    const [one, two] = world.links;
    if (!one || !two) throw new Error('There are two links');
    await writeTogether(links.deleteWrites(world.programId, one));
    await countClicks(
      world.programId,
      [world.click('a'.repeat(9)), world.click('b'.repeat(9), { linkId: two.id })],
      now,
    );
    expect(await counted(world)).toMatchObject({ affiliate: 1, links: [undefined, 1], days: ['2026-03-01 1'] });
  });

  it('of one source count up to 60 in a minute, exactly, whatever batches they come in', async () => {
    const world = await setUp();
    const crowd = Array.from({ length: 150 }, (_, at) =>
      world.click(`v${at}${'y'.repeat(10)}`, { source: 'crowd', at: `2026-03-01T10:${at % 2 ? 15 : 16}:00.000Z` }),
    );
    const others = Array.from({ length: 10 }, (_, at) =>
      world.click(`o${at}${'y'.repeat(10)}`, { source: `other ${at}` }),
    );
    const batches = inBatches([...crowd, ...others], 40);
    await Promise.all(batches.map((batch) => countClicks(world.programId, batch, now)));
    expect((await counted(world)).affiliate).toBe(2 * 60 + 10);
    const again = await costOf(() => countClicks(world.programId, crowd, now));
    expect([again.writeUnits, (await counted(world)).affiliate]).toEqual([0, 2 * 60 + 10]);
    await countClicks(world.programId, [world.click('late', { source: 'crowd', at: '2026-03-01T10:17:00.000Z' })], now);
    expect((await counted(world)).affiliate).toBe(2 * 60 + 11);
  });

  it('of one source are remembered for a day, 48 in an item', async () => {
    const world = await setUp();
    const clicks = Array.from({ length: 100 }, (_, at) =>
      world.click(`v${at}`, { source: 'office', at: `2026-03-01T10:${at % 2 ? 15 : 16}:00.000Z` }),
    );
    await countClicks(world.programId, clicks, now);
    const { items } = await queryItems('traffic', {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(world.programId, 'VISIT', 'o') },
    });
    expect(items.map(({ count }) => count)).toEqual([48, 48, 4]);
    const day = 24 * 60 * 60;
    for (const { ttl } of items) expect(ttl).toBe(now.getTime() / 1000 + day);
  });

  it('race: of one source that another batch counts in between are counted after it', async () => {
    const world = await setUp();
    const clickOf = (visitor: string) => world.click(visitor, { source: 'office' });
    for (const [one, other] of [
      ['a', 'b'],
      ['c', 'd'],
    ] as const)
      await interrupted(
        () => countClicks(world.programId, [clickOf(one)], now),
        () => countClicks(world.programId, [clickOf(other), clickOf(one)], now),
      );
    expect((await counted(world)).affiliate).toBe(4);
  });

  it('of links that are gone, however many, do not keep the others from being counted', async () => {
    const world = await setUp();
    const gone = Array.from({ length: 25 }, (_, at) => world.click(`g${at}`, { linkId: randomUUID() }));
    await countClicks(world.programId, [...gone, world.click('a'.repeat(9))], now);
    expect((await counted(world)).affiliate).toBe(1);
  });

  it('of a program that is gone count nothing', async () => {
    const world = await setUp();
    await deleteProgram(world.programId);
    await countClicks(world.programId, [world.click('a'.repeat(9))], now);
    expect((await counted(world)).days).toEqual([]);
  });
});

it('a click that counts costs at most 3 write units in a full batch, and one that was counted before none', async () => {
  const world = await setUp();
  const clicks = Array.from({ length: 1000 }, () => world.click(randomUUID(), { at: now.toISOString() }));
  const first = await costOf(() => countClicks(world.programId, clicks, now));
  expect(first.writeUnits / clicks.length).toBeLessThanOrEqual(3);
  const again = await costOf(() => countClicks(world.programId, clicks, now));
  expect(again.writeUnits).toBe(0);
});

it('3,000 clicks of one link are counted exactly in batches of 1,000, three at once', async () => {
  const world = await setUp();
  const clicks = Array.from({ length: 3000 }, () => world.click(randomUUID(), { at: now.toISOString() }));
  await Promise.all(inBatches(clicks, 1000).map((batch) => countClicks(world.programId, batch, now)));
  expect((await links.get(world.programId, world.links[0]?.id ?? ''))?.clicks).toBe(3000);
});
