import { describe, expect, it, vi } from 'vitest';
import { sales } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { recentSales } from '../../shared/domain/sales/sales-by-day.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
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
    const total = async () => (await recentSales(api.programId, 30, now)).reduce((sum, { count }) => sum + count, 0);
    await expect.poll(total, { timeout: 30_000 }).toBe(3);
    const days = await recentSales(api.programId, 30, now);
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
    const today = async () => (await recentSales(api.programId, 1, new Date()))[0];
    await expect
      .poll(today, { timeout: 30_000 })
      .toMatchObject({ count: 3, revenueMinor: 22_000n, commissionMinor: 2200n });
  });

  it('take one query, whatever number of sales there is', async () => {
    const api = await makeProgram();
    await written(
      api,
      Array.from({ length: 60 }, () => ({ createdAt: '2026-03-30T12:00:00.000Z' })),
    );
    await expect
      .poll(async () => (await recentSales(api.programId, 30, now)).find(({ day }) => day === '2026-03-30')?.count, {
        timeout: 30_000,
      })
      .toBe(60);
    const send = vi.spyOn(documents, 'send');
    await recentSales(api.programId, 365, now);
    expect(send).toHaveBeenCalledTimes(1);
  });
});

describe('the overview', () => {
  it('shows them as a picture, with the sums beside it', async () => {
    const api = await makeProgram();
    const browser = await signedIn(api.ownerEmail);
    const path = `/programs/${api.programId}`;
    expect((await browser.visit(path)).text).toContain('No sale was made in these days.');

    const today = new Date();
    const daysAgo = (days: number) => new Date(today.getTime() - days * 24 * 60 * 60 * 1000).toISOString();
    await written(api, [
      { createdAt: daysAgo(0), totalEarnedMinor: 10_000, commissionEarnedMinor: 2500 },
      { createdAt: daysAgo(3), totalEarnedMinor: 5000, commissionEarnedMinor: 500 },
      { createdAt: daysAgo(31), totalEarnedMinor: 99_900 },
    ]);
    const visit = async () => (await browser.visit(path)).text;
    await expect.poll(visit, { timeout: 30_000 }).toContain('$150.00');
    const text = await visit();
    expect(text).toContain('$30.00');
    expect(text).toContain('role="img" aria-labelledby="chart-title chart-description"');
    const heights = (part: string) =>
      [...text.matchAll(new RegExp(`<rect class="${part}"[^>]* height="([^"]+)"`, 'g'))].map(([, height]) =>
        Number(height),
      );
    expect(heights('revenue')).toHaveLength(30);
    expect([heights('revenue').at(-1), heights('revenue').at(-4)]).toEqual([100, 50]);
    expect([heights('commission').at(-1), heights('commission').at(-4)]).toEqual([25, 5]);
    expect(heights('revenue').filter((height) => height > 0)).toHaveLength(2);
    // 150.00 after 999.00 in the 30 days before; the 90 days hold all of it.
    expect(text).toContain('-85 % from the days before');
    expect((await browser.visit(`${path}?days=90`)).text).toContain('$1,149.00');
    expect((await browser.visit(`${path}?days=365`)).status).toBe(400);
  });
});
