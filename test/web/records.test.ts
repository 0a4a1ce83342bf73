import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { sales } from '../../shared/domain/sales/repository.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeStoredSale } from '../support/sales.ts';

let api: Api;
let browser: Browser;
let base: string;
let amara: { id: string; email: string };
beforeAll(async () => {
  api = await makeProgram({ currency: 'KWD' });
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}`;
  const [made, , coupon] = await Promise.all([
    makeAffiliate(api, { firstName: 'Amara', lastName: 'Okafor' }),
    makeAffiliate(api, { firstName: 'Zoë', lastName: 'Łukasz', affiliateStatus: 'inactive' }),
    makeCoupon(api),
  ]);
  amara = made;
  await makeCode(api, coupon.id, { code: 'AMARA20', affiliateId: made.id, maxRedemptions: 5 });
  await makeCode(api, coupon.id, { code: 'NOBODY', active: false });
  await api.post('/sales', { totalEarned: 1234.567, promoCode: 'AMARA20', externalId: 'order 1', email: freshEmail() });
});

const shown = async (path: string) => (await browser.visit(`${base}${path}`)).text;
const rowsIn = (html: string, table = 0) => html.split('<tbody>')[table + 1]?.split('<tr>').slice(1) ?? [];

describe('the lists', () => {
  it('find affiliates by the beginning of the name or email, and by status', async () => {
    expect(rowsIn(await shown('/affiliates'))).toHaveLength(2);
    const [found, ...others] = rowsIn(await shown('/affiliates?search=amara+OK&status='));
    expect(found).toContain(amara.email);
    expect(others).toEqual([]);
    expect(rowsIn(await shown('/affiliates?status=INACTIVE'))).toHaveLength(1);
    expect(await shown('/affiliates?search=nobody')).toContain('No affiliates match these filters.');
  });

  it('find codes exactly, by affiliate and by state', async () => {
    expect(rowsIn(await shown('/promotional-codes'))).toHaveLength(2);
    await eventually('the redemption in the list', async () =>
      (await shown('/promotional-codes?code=AMARA20')).includes('1 of 5'),
    );
    expect(rowsIn(await shown('/promotional-codes?code=amara20'))).toEqual([]);
    expect(rowsIn(await shown('/promotional-codes?state=inactive'))[0]).toContain('NOBODY');
    const [ofAmara, ...others] = rowsIn(await shown(`/promotional-codes?affiliateEmail=${amara.email}`));
    expect(others).toEqual([]);
    for (const part of ['AMARA20', '1 of 5', amara.email, '/coupons/', 'Active']) expect(ofAmara).toContain(part);
    expect(rowsIn(await shown(`/promotional-codes?affiliateEmail=${amara.email}&sort=code`))).toHaveLength(1);
    for (const query of ['affiliateEmail=not+an+email', 'affiliateEmail=no@example.com&sort=code'])
      expect(rowsIn(await shown(`/promotional-codes?${query}`)), query).toEqual([]);
  });

  it('find sales by their ids, customer, affiliate and status, with amounts to the last digit of the currency', async () => {
    const { body: sale } = await api.get('/sales?externalId=order+1');
    for (const query of [
      '',
      `reference=${sale.id}`,
      'reference=order+1',
      'reference=order+1&affiliateEmail=another@example.com',
      `affiliateEmail=${amara.email}`,
      `search=${sale.email}`,
      'status=ACTIVE',
    ]) {
      const rows = rowsIn(await shown(`/sales?${query}`));
      expect(rows, query).toHaveLength(1);
      expect(rows[0]).toContain('KWD\u00a01,234.567');
      expect(rows[0]).toContain('KWD\u00a0246.913');
      expect(rows[0]).toContain('Amara Okafor');
    }
    expect(rowsIn(await shown('/sales?reference=99999999999999999999'))).toEqual([]);
    expect(rowsIn(await shown('/sales?search=nobody'))).toEqual([]);
    expect(rowsIn(await shown('/sales?status=REFUNDED'))).toEqual([]);
  });

  it('are sorted where an index has the order, part by part and in the file', async () => {
    const program = await makeProgram();
    const owner = await signedIn(program.ownerEmail);
    const at = (path: string) => owner.visit(`/programs/${program.programId}${path}`);
    const { id: couponId } = await makeCoupon(program);
    for (const letter of ['b', 'c', 'a']) {
      const email = `${letter}@example.com`;
      const { id: affiliateId } = await makeAffiliate(program, { email, affiliateLink: `${letter}-link` });
      await makeCode(program, couponId, { code: letter.toUpperCase(), affiliateId });
      await program.post('/referrals', { name: letter, email: `${letter}@example.net`, affiliateId });
    }
    const inOrder = async (path: string, of: RegExp) =>
      [...(await at(path)).text.matchAll(of)].map(([, letter]) => letter).join('');
    for (const [list, of, sort] of [
      ['affiliates', />([abc])@example/g, 'email'],
      ['referrals', />([abc])@example.net/g, 'email'],
      ['promotional-codes', /<code>([ABC])/g, 'code'],
      ['links', />([abc])-link/g, 'link'],
    ] as const) {
      expect((await inOrder(`/${list}`, of)).toLowerCase(), list).toBe('acb');
      expect((await inOrder(`/${list}?sort=oldest`, of)).toLowerCase(), list).toBe('bca');
      expect((await inOrder(`/${list}?sort=${sort}`, of)).toLowerCase(), list).toBe('abc');
    }
    expect(await inOrder('/affiliates.csv?sort=oldest', /,"([abc])@example/g)).toBe('bca');
    expect(await inOrder('/links.csv?sort=link', /,"([abc])-link/g)).toBe('abc');
    expect(await inOrder('/links.csv?affiliateEmail=c%40example.com', /,"([abc])-link/g)).toBe('c');
    expect(await inOrder('/links?search=B-&affiliateEmail=b%40example.com', />([abc])-link/g)).toBe('b');
    expect(await inOrder('/links?affiliateEmail=c%40example.com', />([abc])-link/g)).toBe('c');
    expect(await inOrder('/promotional-codes?code=B&affiliateEmail=a%40example.com', /<code>([ABC])/g)).toBe('');
    expect(await inOrder('/referrals?email=B%40', />([abc])@example.net/g)).toBe('b');
    expect((await at('/sales?sort=email')).status).toBe(400);
  });

  it('show payout batches, and each with whom it pays', async () => {
    const { body: batch } = await api.post('/payout-batches', { name: 'October' });
    await expect
      .poll(async () => await shown(`/payout-batches/${batch.id}`), { timeout: 30_000 })
      .toContain('Ready to pay');
    const one = await shown(`/payout-batches/${batch.id}`);
    // The sums by payment method come first.
    const [[sum], [payout]] = [rowsIn(one), rowsIn(one, 1)];
    expect(sum).toContain('Not set');
    expect(payout).toContain(amara.email);
    for (const row of [sum, payout]) expect(row).toContain('KWD\u00a0246.913');
    expect(rowsIn(await shown('/payout-batches?status=READY'))[0]).toContain('October');
    expect(rowsIn(await shown('/payout-batches?status=PAID'))).toEqual([]);
  });

  it('still name an affiliate that was deleted, where its sales stay', async () => {
    const program = await makeProgram();
    const owner = await signedIn(program.ownerEmail);
    const { id } = await makeAffiliate(program, { firstName: 'Ngozi', lastName: 'Eze' });
    expect((await program.delete('/affiliates', { affiliateId: id })).status).toBe(200);
    const paid = makeStoredSale(id, { payoutBatchId: randomUUID(), paidAt: new Date().toISOString() });
    await writeTogether(sales.createWrites(program.programId, paid));
    const { text } = await owner.visit(`/programs/${program.programId}/sales`);
    expect(rowsIn(text)[0]).toContain('Ngozi Eze');
  });

  it('say what to do where there is nothing yet', async () => {
    const empty = await makeProgram();
    const owner = await signedIn(empty.ownerEmail);
    for (const [path, title] of [
      ['affiliates', 'Add your first affiliate'],
      ['coupons', 'Create your first coupon'],
      ['promotional-codes', 'No codes yet'],
      ['sales', 'No sales yet'],
      ['referrals', 'No referrals yet'],
      ['payout-batches', 'Pay your affiliates'],
    ]) {
      const { text } = await owner.visit(`/programs/${empty.programId}/${path}`);
      expect(text).toContain(title);
      expect(text).toContain(`class="button" href="/programs/${empty.programId}/${path}/new"`);
    }
  });

  it('lead to the next part under the same filter, and back to the newest', async () => {
    const program = await makeProgram();
    const owner = await signedIn(program.ownerEmail);
    const { id } = await makeAffiliate(program);
    const made = Array.from({ length: 51 }, () => makeStoredSale(id));
    await Promise.all(made.map((sale) => writeTogether(sales.createWrites(program.programId, sale))));
    const first = await owner.visit(`/programs/${program.programId}/sales?status=ACTIVE&reference=&affiliateEmail=`);
    const next = /<a href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await owner.visit(next);
    const ids = [...rowsIn(first.text), ...rowsIn(second.text)].map((row) => /\/sales\/(\d+)"/.exec(row)?.[1]);
    expect(ids).toEqual(
      made
        .map(({ id }) => String(Number(id)))
        .sort()
        .reverse(),
    );
    expect(second.text).toContain(`href="/programs/${program.programId}/sales?status=ACTIVE">First page`);
    expect((await owner.visit(next.replace('ACTIVE', 'REFUNDED'))).status).toBe(400);
    expect((await browser.visit(next.replace(program.programId, api.programId))).status).toBe(400);
  });
});
