import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { suppressionsOf } from '../../shared/platform/mail/addresses.ts';
import { type Mail, sendMail } from '../../shared/platform/mail/send-mail.ts';
import { freshEmail, openBrowser, signedIn } from '../support/browser.ts';
import { addressIn, mailsTo, nextMailTo } from '../support/mails.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';

let program: Awaited<ReturnType<typeof makeProgram>>;
beforeAll(async () => {
  program = await makeProgram({ name: 'Tulip Shop' });
});

const firstSale = (to: string, occasion: string = randomUUID()): Mail<'FIRST_SALE'> => ({
  programId: program.programId,
  kind: 'FIRST_SALE',
  to,
  data: { commissionMinor: 1250, currency: 'USD', url: null },
  occasion,
});
const send = (mail: Mail<'FIRST_SALE'>) => sendMail(mail, new Date());

describe('a mail', () => {
  it('comes from the program, says the same in HTML and in plain text, and has one-click unsubscription', async () => {
    const to = freshEmail();
    expect(await send(firstSale(to))).toBe(true);
    const mail = await nextMailTo(to);
    expect(mail).toMatchObject({
      from: 'Tulip Shop <programs@local.example>',
      subject: 'Your first sale for Tulip Shop',
      headers: { 'Auto-Submitted': 'auto-generated', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    });
    for (const body of [mail.html, mail.text])
      for (const part of ['your first sale', '$12.50']) expect(body).toContain(part);
    expect(mail.headers['List-Unsubscribe']).toBe(`<${addressIn(mail, '/mails/unsubscribe/')}>`);
  });

  it('that is put into the queue twice is sent once, and another about something else is sent too', async () => {
    const to = freshEmail();
    const mail = firstSale(to);
    await Promise.all([send(mail), send(mail)]);
    await nextMailTo(to);
    await send(mail);
    await send(firstSale(to));
    await nextMailTo(to, 2);
    expect(await mailsTo(to)).toHaveLength(2);
  });
});

describe('unsubscribing', () => {
  it('is asked by the page and done by its button, and ends this kind of this program alone', async () => {
    const to = freshEmail();
    await send(firstSale(to));
    const address = addressIn(await nextMailTo(to), '/mails/unsubscribe/');
    const browser = openBrowser();
    const asked = await browser.visit(address);
    expect([asked.status, asked.text.includes('Tulip Shop'), asked.text.includes(to)]).toEqual([200, true, true]);
    // A program that follows every link of a mail ends nothing.
    await send(firstSale(to));
    await nextMailTo(to, 2);
    // As a mail client posts it (RFC 8058).
    const ended = await browser.post(address, { 'List-Unsubscribe': 'One-Click' });
    expect([ended.status, ended.text.includes('You have unsubscribed')]).toEqual([200, true]);
    await send(firstSale(to));
    const invitation = { invitedBy: 'owner@example.com', role: 'VIEWER', url: 'https://example.com/' } as const;
    await sendMail(
      { programId: program.programId, kind: 'MEMBER_INVITATION', to, data: invitation, occasion: randomUUID() },
      new Date(),
    );
    expect((await nextMailTo(to, 3)).subject).toBe('You are invited to an affiliate program');
    expect(await mailsTo(to)).toHaveLength(3);
  });

  it('takes no token that was altered or made up', async () => {
    const to = freshEmail();
    await send(firstSale(to));
    const address = addressIn(await nextMailTo(to), '/mails/unsubscribe/');
    const browser = openBrowser();
    const altered = `${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of [altered, `${address}A`, address.replace(/\.[^.]*$/, ''), address.replace(/[^/]+$/, 'x.y')])
      expect([wrong, (await browser.post(wrong, {})).status]).toEqual([wrong, 404]);
    await send(firstSale(to));
    await nextMailTo(to, 2);
  });
});

describe('an address', () => {
  it.each([
    { name: 'bounce', reason: 'BOUNCE' },
    { name: 'complaint', reason: 'COMPLAINT' },
  ])('with a $name is never mailed again, by any program', async ({ name, reason }) => {
    const to = `${name}+${randomUUID()}@simulator.amazonses.com`;
    await send(firstSale(to));
    await expect.poll(async () => (await suppressionsOf([to])).get(to)?.reason).toBe(reason);
    const other = await makeProgram();
    await sendMail({ ...firstSale(to), programId: other.programId }, new Date());
    const control = freshEmail();
    await sendMail({ ...firstSale(control), programId: other.programId }, new Date());
    await nextMailTo(control);
    expect(await mailsTo(to)).toHaveLength(1);
  });

  it('of an affiliate that bounces is marked on the affiliate’s page, and another one is not', async () => {
    const to = `bounce+${randomUUID()}@simulator.amazonses.com`;
    const [bouncing, other] = await Promise.all([makeAffiliate(program, { email: to }), makeAffiliate(program)]);
    await send(firstSale(to));
    const browser = await signedIn(program.ownerEmail);
    const page = async ({ id }: { id: string }) =>
      (await browser.visit(`/programs/${program.programId}/affiliates/${id}`)).text;
    await expect.poll(() => page(bouncing)).toContain('Mails do not reach this address');
    expect(await page(other)).not.toContain('Mails do not reach this address');
  });
});
