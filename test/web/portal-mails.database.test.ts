import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bounds } from '../../shared/contract/bounds.ts';
import { mailVariables } from '../../shared/contract/mail-settings.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { updateAffiliate } from '../../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../../shared/domain/deletions/delete-affiliate.ts';
import { SignInRequest } from '../../shared/domain/portal/portal-requests.ts';
import { requestSignInLink } from '../../shared/domain/portal/request-sign-in-link.ts';
import { sendSignInLink } from '../../shared/domain/portal/send-sign-in-link.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { updatePortal } from '../../shared/domain/programs/update-portal.ts';
import { delayCalls } from '../speed/recorded-calls.ts';
import { costOf } from '../support/capacity.ts';
import { outcomeOf, storeAffiliate } from '../support/domain.ts';
import { appUrl, stubPageEnvironment } from '../support/pages.ts';
import { portalBrowser, startedPortalCookie } from '../support/portal-pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';

const { sentTo } = testQueues();

let program: StoredProgram;
let affiliate: StoredAffiliate;
beforeEach(async () => {
  stubPageEnvironment();
  program = await storeProgram();
  affiliate = await storeAffiliate(program, { firstName: 'Amara', email: `amara-${randomUUID()}@example.com` });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const aMinute = () => vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 + 10_000 });
const aSource = () => `198.51.100.${Math.floor(Math.random() * 250)}`;
const ask = (browser: ReturnType<typeof portalBrowser>, email: string) => browser.post('', { email });
const requests = (): SignInRequest[] => sentTo('portal-requests').map(({ body }) => SignInRequest.parse(body));
const mailed = () => sentTo('mails').map(({ body }) => body);
const pathOf = (url: string): string => url.slice(`${appUrl}/portal/${program.handle ?? program.id}`.length);
const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';

describe('who asks for a link', () => {
  const without = (text: string, email: string) => text.replaceAll(email, '<email>');

  it('is told the same, and costs the same calls, whether or not there is such an affiliate, or they are banned', async () => {
    const banned = await storeAffiliate(program, { status: 'BANNED' });
    const emails = [affiliate.email, banned.email, `${randomUUID()}@example.com`];
    const costs: unknown[] = [];
    const texts: string[] = [];
    for (const email of emails)
      costs.push(
        await costOf(async () => {
          const { status, text } = await ask(portalBrowser(program), email);
          expect(status).toBe(200);
          texts.push(without(text, email));
        }),
      );
    expect(texts[0]).toContain('Check your mail');
    expect([new Set(texts).size, new Set(costs.map((cost) => JSON.stringify(cost))).size]).toEqual([1, 1]);
    expect(requests().map(({ email, kind }) => [email, kind])).toEqual(emails.map((email) => [email, 'SIGN_IN']));
    expect(mailed()).toEqual([]);
  });

  it('waits as long for a known address as for an unknown one, measured with many of both', async () => {
    const each = 12;
    const delay = 40;
    const affiliates = await Promise.all(Array.from({ length: each }, () => storeAffiliate(program)));
    const timed = async (email: string): Promise<number> => {
      const start = performance.now();
      expect((await ask(portalBrowser(program), email)).status).toBe(200);
      return performance.now() - start;
    };
    const times = { known: [] as number[], unknown: [] as number[] };
    await timed(`${randomUUID()}@example.com`);
    // So slow a database shows each call that one of them makes more.
    await delayCalls(delay, async () => {
      for (const { email } of affiliates) {
        times.known.push(await timed(email));
        times.unknown.push(await timed(`${randomUUID()}@example.com`));
      }
    });
    // Other work on the machine makes a time longer, never shorter.
    const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)];
    expect(known).toBeGreaterThan(2 * delay);
    expect(Math.abs(known - unknown)).toBeLessThan(delay / 2);
  });

  it('is mailed one that works, to the address that the affiliate has, in any letter case; others are mailed nothing', async () => {
    const banned = await storeAffiliate(program, { status: 'BANNED' });
    for (const email of [affiliate.email.toUpperCase(), banned.email, `${randomUUID()}@example.com`])
      await ask(portalBrowser(program), email);
    for (const request of requests()) await sendSignInLink(request, new Date());
    expect(mailed()).toMatchObject([{ kind: 'PORTAL_SIGN_IN', to: affiliate.email, programId: program.id }]);
    const browser = portalBrowser(program);
    const { url } = mailed()[0].data;
    expect((await browser.visit(pathOf(url))).text).toContain('Welcome, Amara');
    expect((await browser.post('/sign-in', { token: tokenIn(url) })).status).toBe(303);
  });

  it('gets one link of a request that comes twice, of which one signs in, and the same mail', async () => {
    await ask(portalBrowser(program), affiliate.email);
    const [request] = requests();
    for (let times = 0; times < 2; times++) if (request) await sendSignInLink(request, new Date());
    const [first, second] = mailed();
    expect(first.id).toBe(second.id);
    const enter = async ({ data }: { data: { url: string } }) =>
      (await portalBrowser(program).post('/sign-in', { token: tokenIn(data.url) })).status;
    expect([await enter(first), await enter(second)]).toEqual([303, 400]);
  });

  it('is mailed nothing 15 minutes later, nor where the portal was switched off or the program deleted meanwhile', async () => {
    await ask(portalBrowser(program), affiliate.email);
    const [request] = requests();
    if (!request) throw new Error('Nothing was asked for');
    await sendSignInLink(request, new Date(Date.parse(request.at) + 15 * 60_000));
    await sendSignInLink({ ...request, programId: randomUUID() }, new Date());
    await updatePortal(program.id, { portalIsOn: false, logoUrl: null, embeddingOrigins: [] }, new Date());
    await sendSignInLink(request, new Date());
    expect(mailed()).toEqual([]);
  });

  it('finds no form where the stage sends no mails, and a form that is sent all the same is refused', async () => {
    vi.stubEnv(mailVariables.from, '');
    const { status, text } = await portalBrowser(program).visit('');
    expect([status, text.includes('sends no sign-in links'), text.includes('<form')]).toEqual([200, true, false]);
    expect((await ask(portalBrowser(program), affiliate.email)).status).toBe(409);
    expect(requests()).toEqual([]);
  });

  it(`gets at most ${bounds.signInLinksPerMinute} a minute for one address, known or not`, async () => {
    aMinute();
    for (const email of [affiliate.email, `${randomUUID()}@example.com`]) {
      const asked = await Promise.all(
        Array.from({ length: bounds.signInLinksPerMinute + 3 }, () => ask(portalBrowser(program), email)),
      );
      expect(asked.filter(({ status }) => status === 200)).toHaveLength(bounds.signInLinksPerMinute);
      const refused = asked.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(3);
      expect(refused[0]?.text).toContain('Too many links were asked for');
      expect(refused[0]?.retryAfter).toMatch(/^[1-9]\d*$/);
    }
    vi.setSystemTime(Date.now() + 65_000);
    expect((await ask(portalBrowser(program), affiliate.email)).status).toBe(200);
  });

  it('gets a sixth of the forms of an account from one source, and beyond that costs no write', async () => {
    aMinute();
    vi.stubEnv('FORM_LIMIT', '12');
    const sourceIp = aSource();
    const request = () =>
      outcomeOf(() => requestSignInLink(program, { email: `${randomUUID()}@example.com`, sourceIp }, new Date()));
    expect([await request(), await request()]).toEqual(['accepted', 'accepted']);
    const beyond = await costOf(async () => expect(await request()).toEqual({ status: 429 }));
    expect(beyond).toEqual({ calls: 0, readUnits: 0, writeUnits: 0 });
    expect(requests()).toHaveLength(2);
  });

  it.each(['nothing', 'a@b', 'two@example.com, three@example.com', 'x@example.com\r\nBcc: y@example.com'])(
    'is told that %j is no address',
    async (email) => {
      const { status, text } = await ask(portalBrowser(program), email);
      expect(status).toBe(400);
      expect(text).toContain('Must be an email address');
    },
  );
});

describe('payout details', () => {
  const changed = { paymentMethod: 'PAYPAL', payoutEmail: 'pay@example.com' };
  const stored = async () => {
    const found = await affiliates.get(program.id, affiliate.id);
    return { paymentMethod: found?.paymentMethod, payoutEmail: found?.payoutEmail };
  };
  const enter = async (fields: Record<string, string> = changed): Promise<string> => {
    const browser = portalBrowser(program, await startedPortalCookie(program.id, affiliate.id));
    const { status, location } = await browser.submit('/payout-details', fields);
    expect([status, location]).toEqual([303, expect.stringMatching(/done=payout-details-mailed$/)]);
    return mailed().at(-1).data.url;
  };
  const confirm = (url: string, browser = portalBrowser(program)) =>
    browser.post('/payout-details/confirm', { token: tokenIn(url) });
  const expectRefused = async (attempt: ReturnType<typeof confirm>) => {
    const { status, text } = await attempt;
    expect([status, text.includes('This link does not work any more')]).toEqual([400, true]);
  };

  it('change once the link that is mailed to the affiliate is confirmed, in any browser, and by no visit', async () => {
    const before = await stored();
    const url = await enter();
    expect(mailed()).toMatchObject([{ kind: 'PAYOUT_DETAILS_CONFIRM', to: affiliate.email, data: changed }]);
    const { status, text } = await portalBrowser(program).visit(pathOf(url));
    expect([status, text.includes('PayPal'), text.includes('pay@example.com')]).toEqual([200, true, true]);
    expect(await stored()).toEqual(before);
    expect((await confirm(url)).text).toContain('Your payout details have changed');
    expect(await stored()).toEqual(changed);
  });

  it('can be removed, and those that stay the same cause no mail', async () => {
    await confirm(await enter());
    await confirm(await enter({ paymentMethod: '', payoutEmail: '' }));
    expect(await stored()).toEqual({ paymentMethod: null, payoutEmail: null });
    expect(mailed().at(-1).data.payoutEmail).toBe(affiliate.email);
    const browser = portalBrowser(program, await startedPortalCookie(program.id, affiliate.id));
    expect((await browser.submit('/payout-details', { paymentMethod: '', payoutEmail: '' })).location).toContain(
      'saved',
    );
    expect(mailed()).toHaveLength(2);
  });

  it('are changed once by a link, whoever uses it at the same moment, and it never works again', async () => {
    const url = await enter();
    const attempts = await Promise.all(Array.from({ length: 5 }, () => confirm(url)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    await confirm(await enter({ paymentMethod: 'WISE', payoutEmail: '' }));
    await expectRefused(confirm(url));
    expect(await stored()).toEqual({ paymentMethod: 'WISE', payoutEmail: null });
  });

  it('of the link that was confirmed stay, and other links of the same day do not work after it', async () => {
    const [first, second] = [await enter(), await enter({ paymentMethod: 'WISE', payoutEmail: 'other@example.com' })];
    expect((await confirm(second)).status).toBe(200);
    await expectRefused(confirm(first));
    expect(await stored()).toEqual({ paymentMethod: 'WISE', payoutEmail: 'other@example.com' });
  });

  it('do not change after 24 hours, by an altered link, in the portal of another program, or from another site', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const [before, url] = [await stored(), await enter()];
    const token = tokenIn(url);
    const elsewhere = portalBrowser(await storeProgram());
    for (const forged of ['x', token.slice(1), `${token.slice(0, -2)}${token.endsWith('A') ? 'BB' : 'AA'}`])
      await expectRefused(portalBrowser(program).post('/payout-details/confirm', { token: forged }));
    await expectRefused(confirm(url, elsewhere));
    const fromElsewhere = { origin: 'https://evil.example' };
    expect((await portalBrowser(program).post('/payout-details/confirm', { token }, fromElsewhere)).status).toBe(403);
    // A link that signs in confirms nothing, and this one does not sign in.
    expect((await portalBrowser(program).post('/sign-in', { token })).status).toBe(400);
    vi.setSystemTime(Date.now() + 24 * 60 * 60 * 1000);
    await expectRefused(confirm(url));
    expect(await stored()).toEqual(before);
  });

  it.each(['banned', 'deleted'])('do not change for an affiliate who was %s since', async (what) => {
    const [before, url] = [await stored(), await enter()];
    await (what === 'banned'
      ? updateAffiliate(program.id, { affiliateId: affiliate.id, status: 'banned' }, undefined, new Date())
      : deleteAffiliate(program.id, affiliate.id, undefined, new Date()));
    await expectRefused(confirm(url));
    if (what === 'banned') expect(await stored()).toEqual(before);
  });

  it('are shown, and cannot be changed, where the stage sends no mails', async () => {
    vi.stubEnv(mailVariables.from, '');
    const [before, cookie] = [await stored(), await startedPortalCookie(program.id, affiliate.id)];
    const browser = portalBrowser(program, cookie);
    const { text } = await browser.visit('/payout-details');
    expect([text.includes('write to the program'), text.includes('name="paymentMethod"')]).toEqual([true, false]);
    expect((await browser.submit('/payout-details', changed)).status).toBe(409);
    expect(await stored()).toEqual(before);
  });
});
