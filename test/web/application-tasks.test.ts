import { describe, expect, it, vi } from 'vitest';
import { createAffiliate } from '../../shared/domain/affiliates/create-affiliate.ts';
import { workFor } from '../support/application-proof.ts';
import { type Browser, freshEmail, openBrowser, signedIn, type Visit } from '../support/browser.ts';
import { addressIn, mailsTo, nextMailTo } from '../support/mails.ts';
import { pathOfPortal } from '../support/portal.ts';
import { makeProgram } from '../support/program.ts';
import { waitingApplication } from '../support/stored-records.ts';

/** From the application to the first sign-in, on the stack, where each function has its own permissions. */

type Send = (fields: Record<string, string>) => Promise<Visit>;

/** Shows the form to somebody, who sends it as soon as it is taken: at once it is refused. */
const openForm = async (portal: string): Promise<Send> => {
  const browser = openBrowser();
  const proof = await workFor((await browser.visit(`${portal}/apply`)).text);
  const origin = { origin: new URL(browser.base).origin };
  const send: Send = async (fields) => {
    const sent = await browser.post(`${portal}/apply`, { ...fields, ...proof }, origin);
    if (sent.text.includes('That was fast')) throw new Error('The form was shown a moment ago');
    return sent;
  };
  return (fields) => vi.waitFor(() => send(fields), { timeout: 30_000, interval: 500 });
};

const person = (email: string, firstName = 'Priya') => ({
  firstName,
  email,
  'entries.0': `${firstName} writes`,
  acceptsTerms: 'on',
});

/** A program that takes applications since its owner has changed its settings, with a form for so many people. */
const programWithForms = async (plan: 'FREE' | 'BUSINESS', forms: number) => {
  const api = await makeProgram({ name: 'Tulip Shop', plan });
  const owner = await signedIn(api.ownerEmail);
  const [base, portal] = [`/programs/${api.programId}`, await pathOfPortal(api.programId)];
  const submit = (path: string, fields: Record<string, string>) => owner.submit(base + path, fields);
  const asked = { 'questions.0.question': 'Where do you write?', 'questions.0.isRequired': 'on', terms: 'Be honest.' };
  expect((await submit('/settings/portal/application', { isOpen: 'on', ...asked })).status).toBe(303);
  expect((await submit('/settings/portal', { embeddingOrigins: '' })).status).toBe(303);
  expect((await openBrowser().visit(`${portal}/apply`)).status).toBe(404);
  expect((await submit('/settings/portal', { portalIsOn: 'on', embeddingOrigins: '' })).status).toBe(303);
  const sends = await Promise.all(Array.from({ length: forms }, () => openForm(portal)));
  return { api, owner, base, portal, sends };
};

/** The address of the decision about somebody on the page of those who wait. */
const decisionAbout = async (owner: Browser, base: string, email: string): Promise<string> => {
  const { text } = await owner.visit(`${base}/affiliates/applications`);
  const section = text.split('<section class="application"').find((part) => part.includes(email)) ?? '';
  const [path] = /\/programs\/[\w-]+\/affiliates\/[\w-]+\/application/.exec(section) ?? [];
  if (!path) throw new Error(`No application of ${email} waits`);
  return path;
};

describe.each(['FREE', 'BUSINESS'] as const)('on the %s plan', (plan) => {
  it('whoever applies is mailed that, then the decision, and signs in once approved', async () => {
    const { owner, base, portal, sends } = await programWithForms(plan, 3);
    const [approved, declined] = [freshEmail(), freshEmail()];
    const [first, again, other] = sends;
    for (const [send, fields] of [
      [first, person(approved)],
      [again, person(approved, 'Impostor')],
      [other, person(declined, 'Bruno')],
    ] as const) {
      const { status, text } = (await send?.(fields)) ?? {};
      expect([status, text?.includes('Your application was sent')]).toEqual([200, true]);
      // The second one is mailed nothing: all mails of the address are counted below.
      expect((await nextMailTo(fields.email)).subject).toBe('We have received your application to Tulip Shop');
    }
    const { text: queue } = await owner.visit(`${base}/affiliates/applications`);
    expect(queue).toContain('Priya writes');
    expect(queue).not.toContain('Impostor');
    const approval = await decisionAbout(owner, base, approved);
    const decline = await decisionAbout(owner, base, declined);
    const message = 'You have too few readers.';
    expect((await owner.submit(approval, { decision: 'APPROVE' })).status).toBe(303);
    expect((await owner.submit(decline, { decision: 'DECLINE', message })).status).toBe(303);
    for (const path of [approval, decline])
      expect((await owner.submit(path, { decision: 'APPROVE' })).status).toBe(409);

    const refusal = await nextMailTo(declined, 2);
    expect(refusal.subject).toBe('Your application to Tulip Shop');
    expect(refusal.text.includes(message)).toBe(plan === 'BUSINESS');
    expect((await nextMailTo(approved, 2)).subject).toBe('Welcome to Tulip Shop');
    const browser = openBrowser();
    const origin = { origin: new URL(browser.base).origin };
    expect((await browser.post(portal, { email: approved }, origin)).text).toContain('Check your mail');
    const address = addressIn(await nextMailTo(approved, 3), `${portal}/sign-in`);
    const token = new URL(address).searchParams.get('token') ?? '';
    const entered = await browser.post(`${portal}/sign-in`, { token }, origin);
    expect(entered.location?.pathname).toBe(`${portal}/overview`);
    expect((await browser.visit(`${portal}/overview`)).status).toBe(200);
    expect(await mailsTo(approved)).toHaveLength(3);
  });
});

it('whoever was declined a month ago applies again under another name, and is the same affiliate', async () => {
  const { api, owner, base, sends } = await programWithForms('BUSINESS', 1);
  const [email, at] = [freshEmail(), new Date(Date.now() - 31 * 24 * 60 * 60 * 1000)];
  const decided = { appliedAt: at.toISOString(), decidedAt: at.toISOString() };
  const application = waitingApplication({ status: 'DECLINED', ...decided });
  const { id } = await createAffiliate(api.programId, { email, firstName: 'Early' }, at, { application });
  expect((await sends[0]?.(person(email, 'Again')))?.status).toBe(200);
  await nextMailTo(email);
  expect(await decisionAbout(owner, base, email)).toBe(`${base}/affiliates/${id}/application`);
  expect((await api.get(`/affiliates/${id}`)).body).toMatchObject({ firstName: 'Again', status: 'INACTIVE' });
  const found = async (word: string) =>
    (await owner.visit(`${base}/affiliates?search=${word}`)).text.includes(`/affiliates/${id}`);
  expect([await found('again'), await found('early')]).toEqual([true, false]);
});
