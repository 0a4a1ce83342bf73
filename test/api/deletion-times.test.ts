import { expect, it } from 'vitest';
import { eventually } from '../support/events.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';

interface DeletionEvent {
  type: string;
  timestamp: string;
  data: { id: unknown; updatedAt: string };
}

it('every deletion has an event at the time of the request, and what goes with it is neither before it nor in the future', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const coupon = await makeCoupon(api);
  const [code] = [await makeCode(api, coupon.id), await makeCode(api, coupon.id)];
  const referrals = [];
  for (const email of ['one@example.com', 'two@example.com'])
    referrals.push((await api.post('/referrals', { name: 'Priya', email, affiliateId: affiliate.id })).body);
  const sell = async () => (await api.post('/sales', { totalEarned: 10, referralId: affiliate.id })).body;
  const [sale, _left] = [await sell(), await sell()];
  const link = (await api.post('/links', { link: 'another', affiliateId: affiliate.id })).body;
  const batch = (await api.post('/payout-batches', { periodEnd: '2020-01-01T00:00:00Z' })).body;
  const deletions: [path: string, body: object, type: string, id: unknown][] = [
    ['/promotional-codes', { promotionalCodeId: code.id }, 'promotional_code.deleted', code.id],
    ['/referrals', { referralId: referrals[0].id }, 'referral.deleted', referrals[0].id],
    ['/sales', { saleId: sale.id }, 'sale.deleted', sale.id],
    ['/links', { id: link.id }, 'link.deleted', link.id],
    ['/payout-batches', { payoutBatchId: batch.id }, 'payout_batch.deleted', batch.id],
    ['/coupons', { couponId: coupon.id }, 'coupon.deleted', coupon.id],
    ['/affiliates', { affiliateId: affiliate.id }, 'affiliate.deleted', affiliate.id],
  ];
  const asked = new Map<string, [from: string, to: string]>();
  for (const [path, body, type, id] of deletions) {
    const from = new Date().toISOString();
    expect((await api.delete(path, body)).status).toBe(200);
    asked.set(`${type} ${id}`, [from, new Date().toISOString()]);
  }
  // With the coupon a code goes, and with the affiliate a link, a referral and a sale.
  const deleted = await eventually('11 deletions', async () => {
    const made: DeletionEvent[] = (await api.get('/events?limit=100')).body;
    const found = made.filter(({ type }) => type.endsWith('.deleted'));
    return found.length === 11 && found;
  });
  const now = new Date().toISOString();
  const inTheBackground = deleted.filter(({ type, data }) => !asked.has(`${type} ${data.id}`));
  expect(inTheBackground.map(({ type }) => type).sort()).toEqual([
    'link.deleted',
    'promotional_code.deleted',
    'referral.deleted',
    'sale.deleted',
  ]);
  for (const { type, data, timestamp } of deleted) {
    const parent =
      type === 'promotional_code.deleted' ? `coupon.deleted ${coupon.id}` : `affiliate.deleted ${affiliate.id}`;
    const [from, to] = asked.get(`${type} ${data.id}`) ?? [asked.get(parent)?.[0] ?? now, now];
    expect(timestamp >= from && timestamp <= to, `${type} at ${timestamp}, not from ${from} to ${to}`).toBe(true);
  }
});

it('a referral that is asked for after the deletion of its affiliate was answered is refused at once', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api, { affiliateLink: 'amara' });
  expect((await api.delete('/affiliates', { affiliateId: affiliate.id })).status).toBe(200);
  const credits = [{ affiliateId: affiliate.id }, { affiliateId: 'amara' }, { affiliateEmail: affiliate.email }];
  const email = 'priya@example.com';
  const refused = await Promise.all(
    credits.map((credit) => api.post('/referrals', { name: 'Priya', email, ...credit })),
  );
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await api.get('/referrals')).body).toEqual([]);
});
