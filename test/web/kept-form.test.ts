import { beforeAll, describe, expect, it } from 'vitest';
import { appUrl, type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

/** A form that is sent after its session ended. */

let api: Api;
let token: string;
let address: string;
const text = `Zoë "<b>" ${'x'.repeat(60)}`;
const email = freshEmail();
beforeAll(async () => {
  api = await makeProgram();
  address = `/programs/${api.programId}/affiliates/new`;
  token = await (await signedIn(api.ownerEmail)).csrfToken();
});

const origin = () => appUrl();
const send = (
  browser: Browser,
  to: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin: origin() },
) => browser.post(to, { csrfToken: token, formKey: 'key', ...fields }, headers);
const unescaped = (html: string) => html.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
const withoutSession = async (): Promise<Browser> => {
  const browser = await signedIn(api.ownerEmail);
  browser.cookies.clear();
  return browser;
};
const count = async () => (await api.get('/affiliates')).body.length;

describe('a form that is sent after its session ended', () => {
  it('is kept in the page that asks to sign in, which stores and changes nothing', async () => {
    const { status, text: page } = await send(await withoutSession(), address, { firstName: text, email });
    expect(status).toBe(403);
    expect(page).toContain('<h1>Your session has ended</h1>');
    expect(page).toContain(`action="${address}"`);
    expect(unescaped(page)).toContain(`name="firstName" value="${text}"`);
    expect(page).not.toContain('<b>');
    expect(await count()).toBe(0);
  });

  it('is shown again, filled in, once the same person has signed in, and is sent from there', async () => {
    const browser = await signedIn(api.ownerEmail);
    const shown = await send(browser, address, { firstName: text, email });
    expect(shown.status).toBe(200);
    expect(unescaped(shown.text)).toContain(`value="${text}"`);
    expect(shown.text).toContain('You have signed in again');
    expect(await count()).toBe(0);
    const [, own = ''] = /name="csrfToken" value="([^"]+)"/.exec(shown.text) ?? [];
    expect(own).not.toBe(token);
    expect((await browser.post(address, { csrfToken: own, firstName: text, email })).status).toBe(303);
    expect(await count()).toBe(1);
  });

  it('asks again, where it only confirms', async () => {
    const { id } = await makeAffiliate(api);
    const path = `/programs/${api.programId}/affiliates/${id}/delete`;
    const asked = await send(await signedIn(api.ownerEmail), path, {});
    expect([asked.status, asked.location?.pathname]).toEqual([200, undefined]);
    expect(asked.text).toContain('Delete affiliate');
    expect((await api.get(`/affiliates/${id}`)).status).toBe(200);
  });

  it('is refused of another person, of another site, and with a made-up token, and not repeated', async () => {
    const [same, other] = [await signedIn(api.ownerEmail), await signedIn()];
    const entered = { firstName: text, email };
    const refused = await Promise.all([
      send(other, address, entered),
      send(same, address, entered, {}),
      send(same, address, entered, { origin: 'https://evil.example' }),
      send(same, address, { ...entered, csrfToken: token.replace('.', 'x') }),
      send(same, address, { ...entered, csrfToken: `x.${token.split('.')[1]}` }),
      send(await withoutSession(), address, entered, {}),
      send(await withoutSession(), address, entered, { origin: 'https://evil.example' }),
    ]);
    for (const { status, text: page } of refused) {
      expect(status).toBe(403);
      expect(page).not.toContain('Zoë');
    }
    expect((await send(same, '/sign-out', {})).status).toBe(403);
    expect((await same.visit('/programs')).status).toBe(200);
  });
});
