import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { enterLinks } from '../support/links.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeStoredSale } from '../support/sales.ts';

/** What forms do beyond the walks of people: the rules of the API hold for them too. */

let api: Api;
let browser: Browser;
let base: string;
beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}`;
});

const submit = (path: string, fields: Record<string, string> = {}) => browser.submit(`${base}${path}`, fields);
/** The address that a form has led to, without the program's own. */
const ledTo = async (path: string, fields: Record<string, string> = {}): Promise<string> => {
  const { status, location, text } = await submit(path, fields);
  if (status !== 303) throw new Error(`${path}: ${status} ${text.replaceAll(/<[^>]+>/g, ' ')}`);
  return location?.pathname.slice(base.length) ?? '';
};
const shown = async (path: string) => (await browser.visit(`${base}${path}`)).text;

describe('a form', () => {
  it('redeems a code with a cap as the API does: once, for a sale or a referral', async () => {
    const { email } = await makeAffiliate(api);
    const couponPath = await ledTo('/coupons/new', {
      name: 'Launch',
      couponType: 'PERCENTAGE',
      percentOff: '10',
      amountOff: '5',
      durationInMonths: '3',
      isAutomatic: 'on',
      maxRedemptions: '3',
    });
    const couponId = couponPath.split('/').at(-1) ?? '';
    const codePath = await ledTo('/promotional-codes/new', {
      couponId,
      code: 'LAUNCH',
      affiliateEmail: email,
      maxRedemptions: '2',
    });
    const customer = freshEmail();
    const referral = { name: 'Mei', email: customer, promoCode: 'LAUNCH' };
    const referralPath = await ledTo('/referrals/new', referral);
    await ledTo('/sales/new', { totalEarned: '12.345', promoCode: 'LAUNCH', email: customer });
    await ledTo('/sales/new', { totalEarned: '5', email: customer });
    const refused = await submit('/sales/new', { totalEarned: '7', promoCode: 'LAUNCH', name: 'Kept' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('value="Kept"');
    expect(refused.text).toMatch(/id="promoCode-error">[^<]*as often as it may be/);

    const { body: listed } = await api.get(`/sales?affiliateEmail=${encodeURIComponent(email)}`);
    expect(listed.map((sale: { totalEarned: number }) => sale.totalEarned)).toEqual([5, 12.35]);
    const [later, first] = listed.map((sale: { id: number }) => `/sales/${sale.id}`);
    expect(await shown(first)).toContain('LAUNCH');
    for (const path of [referralPath, codePath]) expect(await shown(path)).toContain(`${first}"`);
    expect(await shown(referralPath)).toContain(`${later}"`);
    expect(await shown(couponPath)).toContain('LAUNCH');
    await ledTo(`${referralPath}/edit`, { name: 'Mei T.', email: freshEmail(), referredUserExternalId: 'u-1' });
    await ledTo(`${referralPath}/edit`, { name: 'Mei T.', email: freshEmail(), referredUserExternalId: '' });
    await ledTo(`${couponPath}/edit`, { name: 'Launch', percentOff: '15', duration: 'forever', maxRedemptions: '5' });
    await ledTo(`${codePath}/edit`, { code: 'LAUNCH2', active: 'on', externalId: 'c-1' });
    await ledTo(`${codePath}/edit`, { code: 'LAUNCH2', active: 'on', externalId: '', maxRedemptions: '9' });
    await ledTo(`${codePath}/delete`);
    await ledTo(`${couponPath}/delete`);
    expect((await api.get('/promotional-codes/code:LAUNCH2')).status).toBe(404);
  });

  it('refuses to delete what an unpaid payout batch holds, and says so on the page that asks', async () => {
    const { id } = await makeAffiliate(api);
    const { body: referral } = await api.post('/referrals', { name: 'A', email: freshEmail(), affiliateId: id });
    const { body: sale } = await api.post('/sales', { totalEarned: 10, referralId: referral.id });
    const { body: batch } = await api.post('/payout-batches', { affiliateIds: [id] });
    await expect.poll(async () => (await api.get(`/payout-batches?id=${batch.id}`)).body.status).toBe('READY');
    expect((await api.get(`/sales/${sale.id}`)).body.payoutBatchId).toBe(batch.id);
    for (const path of [`/affiliates/${id}/delete`, `/referrals/${referral.id}/delete`, `/sales/${sale.id}/delete`]) {
      const { status, text } = await submit(path);
      expect([path, status]).toEqual([path, 409]);
      expect(text).toMatch(/role="alert">[^<]*payout batch/);
    }
    expect(await shown(`/sales/${sale.id}/edit`)).not.toContain('name="totalEarned"');
    expect(await shown(`/affiliates/${id}`)).toContain('Unnamed batch');
    const { text } = await browser.visit(`${base}/sales/${sale.id}/refund`);
    const version = /name="version" value="(\d+)"/.exec(text)?.[1] ?? '';
    await ledTo(`/sales/${sale.id}/refund`, { scope: 'all', version });
    expect(await shown(`/sales/${sale.id}`)).toContain('Refunded');
    // What was refunded is taken off the next payout, and a preview says so before the batch is made.
    await api.post('/sales', { totalEarned: 30, referralId: id });
    const preview = await submit('/payout-batches/preview');
    expect(preview.text).toMatch(/data-heading="Amount"[^$]*\$4\.00/);
    const [first] = (await api.get('/payout-batches?status=READY')).body;
    await ledTo('/payout-batches/new', { name: 'Next' });
    await expect.poll(async () => (await api.get('/payout-batches?status=READY')).body.length).toBe(2);
    // The refund's adjustment stays in the next batch, and the sale keeps what it was taken off.
    await ledTo(`/payout-batches/${first.id}/delete`);
    await expect.poll(async () => (await api.get(`/sales/${sale.id}`)).body.payoutBatchId).toBeNull();
    await ledTo(`/sales/${sale.id}/delete`);
    expect((await api.get(`/sales/${sale.id}`)).status).toBe(404);
  });

  it('redeems a code without a cap for whoever buys first, and records a sale that is sent again once', async () => {
    const { id: affiliateId, email } = await makeAffiliate(api);
    const { id: couponId } = await makeCoupon(api);
    await makeCode(api, couponId, { code: 'FIRST', affiliateId, firstTimeOrder: true });
    await ledTo('/referrals/new', { name: 'Ana', email: freshEmail(), promoCode: 'FIRST' });
    const sale = { totalEarned: '10', promoCode: 'FIRST', email: freshEmail(), externalId: 'order-1' };
    expect(await ledTo('/sales/new', sale)).toBe(await ledTo('/sales/new', sale));
    expect((await submit('/sales/new', { ...sale, totalEarned: '11' })).status).toBe(409);
    const { id: promotionalCodeId } = (await api.get('/promotional-codes/code:FIRST')).body;
    // A cap that comes later counts what was redeemed before.
    await api.put('/promotional-codes', { promotionalCodeId, maxRedemptions: 4 });
    await ledTo('/sales/new', { totalEarned: '10', promoCode: 'FIRST', email: freshEmail() });
    await api.put('/coupons', { couponId, maxRedemptions: 4 });
    await ledTo('/referrals/new', { name: 'Ben', email: freshEmail(), promoCode: 'FIRST' });
    await api.put('/promotional-codes', { promotionalCodeId, maxRedemptions: 5 });
    await api.put('/coupons', { couponId, maxRedemptions: 5 });
    await ledTo('/sales/new', { totalEarned: '10', promoCode: 'FIRST', email: freshEmail() });
    expect((await submit('/referrals/new', { name: 'Cy', email: freshEmail(), promoCode: 'FIRST' })).status).toBe(400);
    const lines = Array.from({ length: 101 }, (_, at) => `LINE${at}`).join('\n');
    const many = await submit('/promotional-codes/bulk', { couponId, codes: `${lines}, ${email}` });
    expect(many.status).toBe(400);
    expect(many.text).toMatch(/id="codes-error">Must have at most 100 entries/);
    expect(many.text).toContain('LINE100');
  });

  it('changes an affiliate, whose old email is free again, and deletes one', async () => {
    const { id, email } = await makeAffiliate(api);
    const path = `/affiliates/${id}`;
    const changed = freshEmail();
    await ledTo(`${path}/edit`, { firstName: 'Ada', lastName: '', email: changed });
    expect((await api.get(path)).body).toMatchObject({ name: 'Ada', email: changed });
    await makeAffiliate(api, { email });
    await ledTo(`${path}/delete`);
    expect((await api.get(path)).status).toBe(404);
    await makeAffiliate(api, { email: changed });
  });

  it('adds links to an affiliate up to the limit, whoever asks at the same moment', async () => {
    const { id } = await makeAffiliate(api);
    const slugs = Array.from({ length: 94 }, () => randomUUID());
    await enterLinks(api.programId, id, slugs);
    const added = await Promise.all(
      Array.from({ length: 12 }, () => submit(`/affiliates/${id}/links/new`, { link: `link-${randomUUID()}` })),
    );
    const statuses = added.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(303), ...Array(7).fill(400)]);
  });

  it('corrects the ids of a sale, and gives up one that is emptied', async () => {
    const affiliate = await makeAffiliate(api);
    const { code } = await makeCode(api, (await makeCoupon(api)).id, { affiliateId: affiliate.id });
    const { body: sale } = await api.post('/sales', { totalEarned: 10, promoCode: code, externalId: 'first' });
    const kept = { totalEarned: '10', commissionRate: '20' };
    await ledTo(`/sales/${sale.id}/edit`, { ...kept, externalId: '', externalInvoiceId: 'i-1' });
    expect((await api.get(`/sales/${sale.id}`)).body).toMatchObject({ externalId: null, externalInvoiceId: 'i-1' });
    const own = await submit(`/sales/${sale.id}/edit`, { ...kept, email: affiliate.email });
    expect(own.text).toMatch(/id="email-error">/);
    const refused = await submit(`/sales/${sale.id}/edit`, { ...kept, totalEarned: '1,000' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('value="1,000"');
  });

  it('does nothing where no code was chosen, and with codes of another program', async () => {
    const other = await makeProgram();
    const { id } = await makeCode(other, (await makeCoupon(other)).id);
    for (const path of ['/promotional-codes', '/sales/review'])
      expect(await shown(`${path}?done=nothing-chosen`)).toContain('Nothing was selected, so nothing was changed.');
    const { location } = await submit('/promotional-codes?state=active', { action: 'deactivate' });
    expect(location?.search).toBe('?state=active&done=nothing-chosen');
    expect((await submit('/promotional-codes', { action: 'deactivate', [id]: 'on' })).status).toBe(404);
    expect((await other.get(`/promotional-codes/${id}`)).body.active).toBe(true);
  });
});

describe('pages and downloads', () => {
  it('show records whose affiliate or coupon is no longer there', async () => {
    const [gone, code] = [randomUUID(), await makeCode(api, (await makeCoupon(api)).id)];
    const sale = makeStoredSale(gone, { paidAt: new Date().toISOString(), payoutBatchId: randomUUID(), name: 'Alone' });
    const { body: made } = await api.post('/referrals', {
      name: 'Orphan',
      email: freshEmail(),
      affiliateId: (await makeAffiliate(api)).id,
    });
    const referral = await referrals.get(api.programId, made.id);
    const stored = await promotionalCodes.get(api.programId, code.id);
    if (!referral || !stored) throw new Error('They were made above');
    await writeTogether([
      ...sales.createWrites(api.programId, sale),
      ...referrals.updateWrites(api.programId, referral, { ...referral, affiliateId: gone }),
      ...promotionalCodes.updateWrites(api.programId, stored, { ...stored, affiliateId: gone }),
    ]);
    expect(await shown(`/sales/${Number(sale.id)}`)).toContain('Alone');
    expect(await shown(`/referrals/${referral.id}`)).toContain('Orphan');
    expect(await shown(`/promotional-codes/${code.id}`)).toContain(code.code);
    const deleted = await makeAffiliate(api, { firstName: 'Deleted' });
    const link = await links.get(api.programId, deleted.affiliateLinks[0].id);
    if (!link) throw new Error('It was made with its affiliate');
    await api.delete('/affiliates', { affiliateId: deleted.id });
    await expect.poll(() => links.get(api.programId, link.id)).toBeUndefined();
    const kept = { ...link, id: randomUUID(), link: `kept-${link.id}` };
    await writeTogether(links.createWrites(api.programId, kept));
    expect(await shown(`/links/${kept.id}`)).toContain('Deleted Okafor');
    for (const list of ['sales', 'referrals', 'promotional-codes'])
      for (const form of ['', '.csv']) expect(await shown(`/${list}${form}`), list).toMatch(/Alone|Orphan|CODE-/);
  });

  it('filter by what the indexes know', async () => {
    const { email, id: affiliateId } = await makeAffiliate(api);
    const { id: couponId } = await makeCoupon(api, { name: 'Only one' });
    const { code } = await makeCode(api, couponId, { affiliateId, active: false });
    const customer = freshEmail();
    const { body: referral } = await api.post('/referrals', { name: 'B', email: customer, affiliateId });
    await api.post('/sales', { totalEarned: 1, referralId: referral.id });
    const by = `affiliateEmail=${encodeURIComponent(email)}`;
    for (const form of ['', '.csv']) {
      expect(await shown(`/promotional-codes${form}?${by}&state=inactive`)).toContain(code);
      expect(await shown(`/promotional-codes${form}?state=inactive`)).toContain(code);
      expect(await shown(`/promotional-codes${form}?state=active`)).not.toContain(code);
      expect(await shown(`/promotional-codes${form}?code=${code}`)).toContain('Only one');
      expect(await shown(`/coupons${form}?name=only+ONE`)).toContain('Only one');
      expect(await shown(`/coupons${form}?couponType=FLAT`)).not.toContain('Only one');
      expect(await shown(`/referrals${form}?${by}&status=ACTIVE`)).toContain(customer);
      expect(await shown(`/referrals${form}?status=ACTIVE`)).toContain(customer);
      expect(await shown(`/referrals${form}?status=DECLINED`)).not.toContain(customer);
      expect(await shown(`/sales${form}?${by}`)).toContain(customer);
      expect(await shown(`/sales${form}?status=ACTIVE`)).toContain(customer);
      expect(await shown(`/sales${form}?status=REFUNDED&reference=`)).not.toContain(customer);
      for (const list of ['coupons', 'sales', 'referrals', 'promotional-codes'])
        expect(await shown(`/${list}${form}`), list).toMatch(/Only one|CODE-|@example.com/);
      expect(await shown(`/affiliates${form}?status=ACTIVE`)).toContain(email);
      expect(await shown(`/affiliates${form}?status=BANNED`)).not.toContain(email);
    }
    expect(await shown(`/affiliates/${affiliateId}`)).toContain(code);
    expect(await shown(`/promotional-codes/new?couponId=${couponId}`)).toContain('Only one (20 % off)');
  });
});
