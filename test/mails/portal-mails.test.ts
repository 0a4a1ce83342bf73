import { expect, it } from 'vitest';
import { freshEmail, openBrowser } from '../support/browser.ts';
import { addressIn, mailsTo, nextMailTo } from '../support/mails.ts';
import { enterPortal, pathOfPortal } from '../support/portal.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';

const portalOf = async () => {
  const api = await makeProgram({ name: 'Tulip Shop' });
  const browser = openBrowser();
  const path = await pathOfPortal(api.programId);
  const origin = { origin: new URL(browser.base).origin };
  return {
    api,
    path,
    ask: (email: string) => browser.post(path, { email }, origin),
    use: (address: string, form = address.split('?')[0] ?? '') =>
      openBrowser().post(form, { token: new URL(address).searchParams.get('token') ?? '' }, origin),
  };
};

it('a sign-in link arrives by mail, and signs in once', async () => {
  const { api, path, ask, use } = await portalOf();
  const email = freshEmail();
  await makeAffiliate(api, { email });
  expect((await ask(email)).text).toContain('Check your mail');
  const mail = await nextMailTo(email);
  expect(mail).toMatchObject({
    subject: 'Your sign-in link for Tulip Shop',
    from: expect.stringMatching(/^Tulip Shop </),
  });
  const address = addressIn(mail, `${path}/sign-in`);
  const entered = await use(address);
  expect([entered.status, entered.location?.pathname]).toEqual([303, `${path}/overview`]);
  expect((await use(address)).status).toBe(400);
  expect(await mailsTo(email)).toHaveLength(1);
});

it('payout details change by the link of a mail to the affiliate, once', async () => {
  const { api, path, use } = await portalOf();
  const email = freshEmail();
  const { id } = await makeAffiliate(api, { email });
  const browser = await enterPortal(api, id);
  const details = { paymentMethod: 'PAYPAL', payoutEmail: 'pay@example.com' };
  expect((await browser.submit(`${path}/payout-details`, details)).status).toBe(303);
  const mail = await nextMailTo(email);
  for (const body of [mail.text, mail.html])
    for (const part of ['PayPal', 'pay@example.com']) expect(body).toContain(part);
  const address = addressIn(mail, `${path}/payout-details/confirm`);
  expect((await openBrowser().visit(address)).text).toContain('pay@example.com');
  expect((await api.get(`/affiliates/${id}`)).body).toMatchObject({ paymentMethod: null, payoutEmail: null });
  expect((await use(address)).status).toBe(200);
  expect((await api.get(`/affiliates/${id}`)).body).toMatchObject(details);
  expect((await use(address)).status).toBe(400);
  const newestActor = async () => (await api.get(`/audit-log?recordId=${id}&limit=1`)).body[0].actor;
  await expect.poll(newestActor, { timeout: 30_000 }).toEqual({ type: 'AFFILIATE', id });
});
