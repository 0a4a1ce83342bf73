import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ReviewRules } from '../../shared/contract/review.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { connectorUrl } from '../connector/platform.ts';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram, request } from '../support/program.ts';

// docs/behavior.md#review-of-sales, on the stack, where each function has its own permissions.

let api: Api;
let browser: Awaited<ReturnType<typeof signedIn>>;
let affiliate: { id: string; email: string };
const company = `${randomUUID()}.test`;

const settings = {
  name: 'Reviewed',
  currency: 'USD',
  commissionRate: '20',
  selfReferral: 'HOLD',
  sameDomain: 'HOLD',
  burst: 'HOLD',
  burstSales: '100',
  refundRate: 'BLOCK',
  refundPercent: '50',
};
const settingsPath = () => `/programs/${api.programId}/settings`;
const reviewPath = () => `/programs/${api.programId}/sales/review`;
const sell = async (fields: object) =>
  (await api.post('/sales', { totalEarned: 50, referralId: affiliate.id, ...fields })).body;
const decide = (saleId: number, decision: string) => api.post('/sales/review', { saleId, decision });

beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  affiliate = await makeAffiliate(api, { email: `amara@${company}` });
  expect((await browser.submit(settingsPath(), settings)).status).toBe(303);
});

it('the rules of the settings are those of the program, and a form without them keeps them', async () => {
  const reviewRules: ReviewRules = {
    selfReferral: 'HOLD',
    sameDomain: 'HOLD',
    burst: { mode: 'HOLD', sales: 100 },
    refundRate: { mode: 'BLOCK', percent: 50 },
  };
  expect((await api.get('/program')).body.reviewRules).toEqual(reviewRules);
  const { name, currency, commissionRate } = settings;
  await browser.submit(settingsPath(), { name, currency, commissionRate });
  expect((await api.get('/program')).body.reviewRules).toEqual(reviewRules);
  const refused = await browser.submit(settingsPath(), { ...settings, burstSales: '1', refundPercent: '101' });
  expect(refused.status).toBe(400);
  for (const name of ['burstSales', 'refundPercent']) expect(refused.text).toContain(`id="${name}-error"`);
});

describe('a held sale', () => {
  it('is listed, decided once, and told of', async () => {
    const sale = await sell({ email: `a.mara+1@${company}` });
    expect(sale).toMatchObject({ reviewStatus: 'HELD', reviewReasons: ['SELF_REFERRAL'], commissionEarned: 10 });
    const other = await sell({ email: `priya@${company}` });
    expect(other).toMatchObject({ reviewStatus: 'HELD', reviewReasons: ['SAME_DOMAIN'] });
    expect((await api.get('/sales?reviewStatus=HELD')).body).toEqual([other, sale]);
    expect((await decide(sale.id, 'APPROVE')).body).toMatchObject({ id: sale.id, reviewStatus: 'APPROVED' });
    expect((await decide(sale.id, 'APPROVE')).status).toBe(200);
    expect((await decide(sale.id, 'REJECT')).status).toBe(409);
    expect((await decide(other.id, 'REJECT')).body).toMatchObject({ reviewStatus: 'REJECTED', commissionEarned: 0 });
    expect((await decide(1, 'REJECT')).status).toBe(404);
    expect((await api.get('/sales?reviewStatus=HELD')).body).toEqual([]);
    expect((await api.get('/sales?reviewStatus=REJECTED')).body).toMatchObject([{ id: other.id }]);
    await expect
      .poll(async () => (await api.get('/events')).body.map(({ type }: { type: string }) => type), { timeout: 30_000 })
      .toEqual(expect.arrayContaining(['sale.held', 'sale.approved', 'sale.rejected']));
  });

  it('is decided by a connected platform', async () => {
    const token = await connectorToken(api.programId, 'platform.example', new Date());
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { id: saleId } = await sell({ email: `li@${company}` });
    const listed = await request('GET', connectorUrl('/sales?reviewStatus=HELD'), { headers });
    expect(listed.body).toMatchObject([{ id: saleId }]);
    const body = JSON.stringify({ saleId, decision: 'APPROVE' });
    expect((await request('POST', connectorUrl('/sales/review'), { headers, body })).body).toMatchObject({
      reviewStatus: 'APPROVED',
    });
  });

  it('is decided with others on the page Review, which says where someone else was faster', async () => {
    const sales = [await sell({ email: `bo@${company}` }), await sell({ email: `cy@${company}` })];
    const [first, second] = sales.map(({ id }) => id);
    const { text } = await browser.visit(reviewPath());
    for (const { id } of sales) expect(text).toContain(`name="${id}"`);
    expect((await browser.visit(`/programs/${api.programId}`)).text).toContain('2 sales to review');
    expect((await browser.visit(`/programs/${api.programId}/sales/${first}`)).text).toContain('held for review');
    const choose = (action: string, ...ids: number[]) =>
      browser.submit(reviewPath(), { action, ...Object.fromEntries(ids.map((id) => [id, 'on'])) });
    expect((await choose('approve')).location?.searchParams.get('done')).toBe('nothing-chosen');
    expect((await choose('approve', first)).location?.searchParams.get('done')).toBe('sales-approved');
    const late = await choose('reject', first, second, 1);
    expect(late.location?.searchParams.get('done')).toBe('sales-not-all-decided');
    expect((await browser.visit(late.location ?? '')).text).toContain('No sales to review');
    expect((await api.get(`/sales/${first}`)).body).toMatchObject({ reviewStatus: 'APPROVED', commissionEarned: 10 });
    expect((await api.get(`/sales/${second}`)).body).toMatchObject({ reviewStatus: 'REJECTED', commissionEarned: 0 });
    expect((await browser.visit(`/programs/${api.programId}/sales/${second}`)).text).toContain(
      'if it were not rejected',
    );
  });
});

it('sales by form are asked about too, and so are emails that a sale gets later', async () => {
  const form = { totalEarned: '10', referralId: affiliate.id, email: `di@${company}` };
  const { location } = await browser.submit(`/programs/${api.programId}/sales/new`, form);
  expect((await browser.visit(location ?? '')).text).toContain('The customer works with the affiliate');
  const { id: saleId } = await sell({ email: 'priya@example.com' });
  const put = await api.put('/sales', { saleId, email: affiliate.email });
  expect(put.body).toMatchObject({ reviewStatus: 'HELD', reviewReasons: ['SELF_REFERRAL'] });
  const { id } = await sell({ email: 'priya@example.com' });
  await browser.submit(`/programs/${api.programId}/sales/${id}/edit`, { email: `ed@${company}` });
  expect((await api.get(`/sales/${id}`)).body).toMatchObject({ reviewStatus: 'HELD', reviewReasons: ['SAME_DOMAIN'] });
});

it('a rule that blocks refuses with its reason', async () => {
  await browser.submit(settingsPath(), { ...settings, sameDomain: 'BLOCK', burst: 'BLOCK', burstSales: '2' });
  const outcome = async (fields: object) => {
    const { status, details } = { status: 0, ...(await sell(fields)) };
    return [status, details?.[0]?.path, details?.[0]?.code];
  };
  expect((await outcome({ email: `fi@${company}` })).slice(1)).toEqual(['email', 'same_domain']);
  expect((await outcome({ email: 'priya@example.com' })).slice(1)).toEqual(['referralId', 'burst']);
});
