import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { salesByDay } from '../../shared/domain/statistics/sales-by-day.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { addDays, dayIn, lastDaysIn } from '../../shared/platform/time/days.ts';
import { chosenPeriod } from '../../shared/web/lists/period.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { makeStoredSale } from '../support/sales.ts';

const now = new Date('2026-03-31T12:00:00.000Z');

const written = async (api: Api, overrides: readonly Partial<StoredSale>[]) => {
  const { id } = await makeAffiliate(api);
  const made = overrides.map((one) => makeStoredSale(id, one));
  await Promise.all(made.map((sale) => writeTogether(sales.createWrites(api.programId, sale))));
};

describe('the sales of the last 30 days', () => {
  it('are summed by day in UTC, exact, without refunds, from the first moment of the first day', async () => {
    const api = await makeProgram();
    await written(api, [
      { createdAt: '2026-03-01T23:59:59.999Z', totalEarnedMinor: 7 },
      { createdAt: '2026-03-02T00:00:00.000Z', totalEarnedMinor: 10, commissionEarnedMinor: 1 },
      {
        createdAt: '2026-03-31T11:00:00.000Z',
        totalEarnedMinor: 30,
        refundedAmountMinor: 10,
        commissionEarnedMinor: 2,
      },
      { createdAt: '2026-03-31T11:00:00.001Z', totalEarnedMinor: Number.MAX_SAFE_INTEGER, commissionEarnedMinor: 4 },
    ]);
    const total = async () =>
      (await salesByDay(api.programId, lastDaysIn('UTC', 30, now))).reduce((sum, { count }) => sum + count, 0);
    await expect.poll(total, { timeout: 30_000 }).toBe(3);
    const days = await salesByDay(api.programId, lastDaysIn('UTC', 30, now));
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([30, '2026-03-02', '2026-03-31']);
    expect(days[0]).toMatchObject({ count: 1, revenueMinor: 10n, commissionMinor: 1n });
    expect(days[1]).toMatchObject({ count: 0, revenueMinor: 0n, commissionMinor: 0n });
    expect(days.at(-1)).toMatchObject({
      count: 2,
      revenueMinor: BigInt(Number.MAX_SAFE_INTEGER) + 20n,
      commissionMinor: 6n,
    });
  });

  it('follow edits, refunds and deletions, exactly', async () => {
    const api = await makeProgram();
    const { id: referralId } = await makeAffiliate(api, { commissionRate: 10 });
    const sell = async () => (await api.post('/sales', { referralId, totalEarned: 100 })).body.id;
    const [edited, refunded, deleted, kept] = [await sell(), await sell(), await sell(), await sell()];
    await api.put('/sales', { saleId: edited, totalEarned: 50 });
    await api.patch('/sales', { saleId: refunded, amount: 30 });
    await api.delete('/sales', { saleId: deleted });
    expect(kept).toBeGreaterThan(0);
    const today = async () => (await salesByDay(api.programId, lastDaysIn('UTC', 1, new Date())))[0];
    await expect
      .poll(today, { timeout: 30_000 })
      .toMatchObject({ count: 3, revenueMinor: 22_000n, commissionMinor: 2200n });
  });

  it('keep the day of the time zone in which they were made with a key, refunded in another one too', async () => {
    const api = await makeProgram();
    const { id: referralId } = await makeAffiliate(api, { commissionRate: 10 });
    const moveTo = async (timeZone: string) => {
      const { name, currency, commissionRate, baseUrls, allowSelfReferral } = await getProgram(api.programId);
      const edit = { name, currency, commissionRate, baseUrls, allowSelfReferral, timeZone };
      await updateProgram(api.programId, edit, new Date());
    };
    // It is never the same day in both.
    await moveTo('Pacific/Kiritimati');
    const before = dayIn('Pacific/Kiritimati', new Date());
    const sold = await api.post('/sales', { referralId, totalEarned: 100 });
    const after = dayIn('Pacific/Kiritimati', new Date());
    await moveTo('Etc/GMT+12');
    await api.patch('/sales', { saleId: sold.body.id, amount: 30 });
    const revenue = async (first: string, last: string) =>
      (await salesByDay(api.programId, { first, last })).reduce((sum, { revenueMinor }) => sum + revenueMinor, 0n);
    await expect.poll(() => revenue(before, after), { timeout: 30_000 }).toBe(7000n);
    expect(await revenue(addDays(before, -9), addDays(before, -1))).toBe(0n);
  });

  it('take one query, whatever number of sales there is', async () => {
    const api = await makeProgram();
    await written(
      api,
      Array.from({ length: 60 }, () => ({ createdAt: '2026-03-30T12:00:00.000Z' })),
    );
    await expect
      .poll(
        async () =>
          (await salesByDay(api.programId, lastDaysIn('UTC', 30, now))).find(({ day }) => day === '2026-03-30')?.count,
        {
          timeout: 30_000,
        },
      )
      .toBe(60);
    const send = vi.spyOn(documents, 'send');
    await salesByDay(api.programId, lastDaysIn('UTC', 365, now));
    expect(send).toHaveBeenCalledTimes(1);
  });
});

describe('the overview', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();

  it('shows the sales of a period as a chart, with the figures of the days before to compare', async () => {
    const api = await makeProgram();
    const browser = await signedIn(api.ownerEmail);
    const path = `/programs/${api.programId}`;
    expect((await browser.visit(path)).text).toContain('No sales in this period');

    await written(api, [
      { createdAt: daysAgo(0), totalEarnedMinor: 10_000, commissionEarnedMinor: 2500, promotionalCodeId: randomUUID() },
      { createdAt: daysAgo(3), totalEarnedMinor: 5000, commissionEarnedMinor: 500 },
      { createdAt: daysAgo(31), totalEarnedMinor: 99_900 },
    ]);
    const visit = async (query = '') => (await browser.visit(`${path}${query}`)).text;
    await expect.poll(() => visit(), { timeout: 30_000 }).toContain('$150.00');
    const text = await visit();
    expect(text).toContain('$30.00');
    expect(text).toContain('50 %<p class="hint">1 of 2');
    expect(text).toContain('role="img" aria-labelledby="chart-title chart-description"');
    for (const tick of ['$0', '$20', '$100']) expect(text).toContain(`text-anchor="end">${tick}</text>`);
    const heights = (part: string) =>
      [...text.matchAll(new RegExp(`<rect class="${part}"[^>]* height="([^"]+)"`, 'g'))].map(([, height]) =>
        Math.round(Number(height)),
      );
    expect(heights('revenue')).toHaveLength(30);
    const [highest = 0] = heights('revenue').slice(-1);
    expect(heights('revenue').at(-4)).toBe(highest / 2);
    expect([heights('commission').at(-1), heights('commission').at(-4)]).toEqual([
      Math.round(highest / 4),
      Math.round(highest / 20),
    ]);
    expect(heights('revenue').filter((height) => height > 0)).toHaveLength(2);
    // 150.00 after 999.00 in the 30 days before; the 90 days hold all of it.
    expect(text).toMatch(/-85 % from \w{3} \d/);
    expect(await visit('?days=90')).toContain('$1,149.00');
    const [first, last] = [daysAgo(31), daysAgo(2)].map((at) => at.slice(0, 10));
    expect(await visit(`?from=${first}&to=${last}`)).toContain('$1,049.00');
    expect(await visit(`?from=${first}`)).toContain('$1,149.00');
    expect((await browser.visit(`${path}?days=365`)).status).toBe(400);
  });

  it('shows what is owed and who sells most, and leads to what waits for a person', async () => {
    const api = await makeProgram();
    const browser = await signedIn(api.ownerEmail);
    const path = `/programs/${api.programId}`;
    expect((await browser.visit(path)).text).not.toContain('Needs attention');
    const [amara, zoe] = [await makeAffiliate(api), await makeAffiliate(api, { firstName: 'Zoë', lastName: '' })];
    await makeAffiliate(api, { firstName: 'New', affiliateStatus: 'inactive' });
    for (const [referralId, totalEarned] of [
      [amara.id, 100],
      [zoe.id, 50],
      [zoe.id, 60],
    ])
      await api.post('/sales', { referralId, totalEarned, email: 'jonas@example.com', name: 'Jonas' });
    const url = 'https://example.com/failing';
    const { body: endpoint } = await api.post('/webhooks', { url, eventTypes: ['*'], active: false });
    const stored = await webhooks.get(api.programId, endpoint.id);
    if (!stored) throw new Error('It was made above');
    await writeTogether(webhooks.updateWrites(api.programId, stored, { ...stored, deactivationReason: '410 Gone' }));
    await api.post('/payout-batches', { affiliateIds: [amara.id] });
    const visit = async () => (await browser.visit(path)).text;
    await expect.poll(visit, { timeout: 30_000 }).toContain('1 payout batch<');
    await expect.poll(visit, { timeout: 30_000 }).toContain('$42.00');
    const text = await visit();
    expect(text).toMatch(/Unpaid commissions.*\$42\.00.*To 2 affiliates/s);
    expect(text).toContain('1 affiliate to review');
    expect(text).toContain(`${path}/webhooks/${endpoint.id}`);
    const top = text.slice(text.indexOf('aria-label="Top affiliates"'));
    expect(top).toMatch(/Zoë.*\$110\.00.*Amara Okafor.*\$100\.00/s);
    const own = async (query: string) => (await browser.visit(`${path}/affiliates/${zoe.id}${query}`)).text;
    expect(await own('?month=this')).toMatch(/aria-current="page">This month.*\$110\.00/s);
    expect(await own('?month=last')).toContain('No clicks, referrals or sales in this period.');
    expect((await browser.visit(`${path}?month=last`)).text).toContain('No affiliate has brought anything');
    expect((await browser.visit(`${path}?month=next`)).status).toBe(400);
    expect(text.slice(text.indexOf('Newest sales'))).toMatch(/Jonas.*Zoë/s);
  });

  it.each([
    { query: 'from=2026-02-30&to=2026-03-01', says: 'Enter a date such as 2026-01-31', keeps: '2026-02-30' },
    { query: 'from=2026-03-02&to=2026-03-01', says: 'Must not be before “From”', keeps: '2026-03-02' },
    { query: 'from=2024-01-01&to=2026-03-01', says: 'Choose at most 366 days', keeps: '2024-01-01' },
    { query: 'to=2026-03-01', says: 'Enter a date such as', keeps: '2026-03-01' },
  ])('says beside the field why $query is no period, and keeps what was entered', ({ query, says, keeps }) => {
    const entered = Object.fromEntries(new URLSearchParams(query));
    const { period, filled } = chosenPeriod({ days: '7', ...entered }, now);
    expect(Object.values(filled.errors)).toEqual([expect.stringContaining(says)]);
    expect(Object.values(filled.values)).toContain(keeps);
    expect(period).toEqual(lastDaysIn('UTC', 30, now));
  });

  it.each([
    ['7 days', { days: '7' }, '2026-03-25 2026-03-31', '2026-03-18 2026-03-24'],
    ['this month', { month: 'this' }, '2026-03-01 2026-03-31', '2026-02-01 2026-02-28'],
    ['last month', { month: 'last' }, '2026-02-01 2026-02-28', '2026-01-01 2026-01-31'],
    ['entered days', { from: '2026-03-30', to: '2026-03-31' }, '2026-03-30 2026-03-31', '2026-03-28 2026-03-29'],
    ['more than half a year', { from: '2025-06-01', to: '2026-03-31' }, '2025-06-01 2026-03-31', undefined],
  ] as const)('of %s is compared with the days before', (_, asked, shown, before) => {
    const chosen = chosenPeriod({ days: '30', ...asked }, now);
    const text = (period: typeof chosen.before) => period && `${period.first} ${period.last}`;
    expect([text(chosen.period), text(chosen.before)]).toEqual([shown, before]);
  });
});
