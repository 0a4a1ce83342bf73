import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshEmail, openBrowser, signedIn } from '../support/browser.ts';
import { enterLinks } from '../support/links.ts';
import { addressIn, nextMailTo } from '../support/mails.ts';
import { enterPortal, pathOfPortal } from '../support/portal.ts';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';

/** What an affiliate does in the portal, on the stack, where each function has its own permissions. */

let api: Api;
let path: string;
beforeAll(async () => {
  api = await makeProgram();
  path = await pathOfPortal(api.programId);
});

const signedInAffiliate = async () => {
  const { id, email } = await makeAffiliate(api);
  return { id, email, browser: await enterPortal(api, id) };
};

describe('an affiliate', () => {
  it('signs in by a mailed link, and after signing out neither the link nor the cookie leads in', async () => {
    const { email } = await makeAffiliate(api, { email: freshEmail() });
    const browser = openBrowser();
    const origin = { origin: new URL(browser.base).origin };
    await browser.post(path, { email }, origin);
    const token = new URL(addressIn(await nextMailTo(email), `${path}/sign-in`)).searchParams.get('token') ?? '';
    expect((await browser.post(`${path}/sign-in`, { token }, origin)).status).toBe(303);
    const thief = openBrowser(browser.base, new Map([...browser.cookies].map(([host, jar]) => [host, new Map(jar)])));
    expect((await thief.visit(`${path}/overview`)).status).toBe(200);
    expect((await browser.submit(`${path}/sign-out`)).location?.pathname).toBe(path);
    for (const left of [browser, thief]) {
      const { status, location } = await left.visit(`${path}/overview`);
      expect([status, location?.pathname]).toEqual([303, path]);
    }
    expect((await openBrowser().post(`${path}/sign-in`, { token }, origin)).status).toBe(400);
  });

  it('changes their name, by which the program finds them from then on', async () => {
    const { id, browser } = await signedInAffiliate();
    const name = { firstName: `Zoë${randomUUID().slice(0, 8)}`, lastName: 'Nair' };
    expect((await browser.submit(`${path}/profile`, name)).status).toBe(303);
    expect((await api.get(`/affiliates/${id}`)).body).toMatchObject(name);
    const owner = await signedIn(api.ownerEmail);
    const found = async (words: string) =>
      (await owner.visit(`/programs/${api.programId}/affiliates?search=${encodeURIComponent(words)}`)).text;
    expect(await found(name.firstName)).toContain(id);
    expect(await found('Okafor')).not.toContain(id);
  });

  it('adds a link once, and never has more than 100, however many forms race', async () => {
    const { id, browser } = await signedInAffiliate();
    const add = (link: string) => browser.submit(`${path}/links/new`, { link });
    const link = `link-${randomUUID()}`;
    expect((await add(link)).location?.pathname).toBe(`${path}/links`);
    expect((await browser.visit(`${path}/links`)).text).toContain(link);
    const repeated = await add(link);
    expect([repeated.status, repeated.text.includes('Is already in use')]).toEqual([400, true]);
    const linksOf = async () => (await api.get(`/affiliates/${id}`)).body.affiliateLinks.length;
    const slugs = Array.from({ length: 95 - (await linksOf()) }, () => randomUUID());
    await enterLinks(api.programId, id, slugs);
    const racing = await Promise.all(Array.from({ length: 12 }, () => add(`race-${randomUUID()}`)));
    expect(racing.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(303), ...Array(7).fill(400)]);
    expect(await linksOf()).toBe(100);
  });

  it('creates a code of an offer, and is refused one that exists, also where two affiliates want it at once', async () => {
    const [one, other] = [await signedInAffiliate(), await signedInAffiliate()];
    const { id: couponId } = await makeCoupon(api, { allowAffiliateCodes: true });
    const codes = `${path}/codes`;
    const code = `CODE-${randomUUID()}`;
    const racing = await Promise.all(
      [one, other].map(({ browser }) => browser.submit(`${codes}/new`, { couponId, code })),
    );
    expect(racing.map(({ status }) => status).toSorted()).toEqual([303, 400]);
    const [winner, loser] = racing[0]?.status === 303 ? [one, other] : [other, one];
    const refused = await loser.browser.submit(`${codes}/new`, { couponId, code });
    expect([refused.status, refused.text.includes('Already exists in this program')]).toEqual([400, true]);
    const lists = await Promise.all([winner, loser].map(async ({ browser }) => (await browser.visit(codes)).text));
    expect(lists.map((text) => text.includes(code))).toEqual([true, false]);
    const { body } = await api.get(`/promotional-codes/code:${code}`);
    expect(body).toMatchObject({ code, affiliateId: winner.id });
  });
});
