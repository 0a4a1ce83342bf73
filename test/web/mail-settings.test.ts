import { beforeAll, describe, expect, it } from 'vitest';
import { mailKinds, mails } from '../../shared/contract/mails.ts';
import { hasOwnTexts } from '../../shared/domain/programs/change-mail-settings.ts';
import { mailSettingsOf } from '../../shared/domain/programs/mail-settings.ts';
import { memberIdOf } from '../../shared/domain/programs/members.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { type Browser, freshEmail, signedIn, type Visit } from '../support/browser.ts';
import { mailsTo, nextMailTo } from '../support/mails.ts';
import { type Api, makeProgram } from '../support/program.ts';

let api: Api;
let owner: Browser;
let path: string;
beforeAll(async () => {
  api = await makeProgram({ name: 'Tulip Shop' });
  owner = await signedIn(api.ownerEmail);
  path = `/programs/${api.programId}/settings/mails`;
});

const settings = async () => mailSettingsOf(await getProgram(api.programId));
const save = (kind: string, fields: Record<string, string>): Promise<Visit> => owner.submit(`${path}/${kind}`, fields);

describe('the settings of mails', () => {
  it('list every kind with its state, and lead to each with what it says and a preview', async () => {
    const list = (await owner.visit(path)).text;
    for (const kind of mailKinds) {
      expect(list).toContain(mails[kind].label);
      const page = (await owner.visit(`${path}/${kind}`)).text;
      expect(page.includes('name="subject"')).toBe(hasOwnTexts(kind, { plan: 'BUSINESS' }));
      expect(page).toContain(`src="${path}/${kind}/preview"`);
      const preview = (await owner.visit(`${path}/${kind}/preview`)).text;
      expect(preview).toContain(`<title>${mails[kind].subject.replace('{program}', 'Tulip Shop')}</title>`);
    }
    expect((await owner.visit(`${path}/NOTHING`)).status).toBe(404);
    expect((await owner.visit(`${path}/NOTHING/preview`)).status).toBe(404);
  });

  it('keep what was changed, show it in the preview as text, and follow the usual texts again when emptied', async () => {
    const texts = { subject: 'Well done, {program}', opening: 'One line,\r\nand <b>another</b>.' };
    expect((await save('FIRST_SALE', { isOn: 'on', ...texts })).status).toBe(303);
    expect((await settings()).kinds.FIRST_SALE).toEqual({
      isOff: false,
      subject: 'Well done, {program}',
      opening: 'One line, and <b>another</b>.',
    });
    const { text, headers } = await owner.visit(`${path}/FIRST_SALE/preview`);
    expect(text).toContain('One line, and &lt;b>another&lt;/b>.');
    expect(text).toContain('<title>Well done, Tulip Shop</title>');
    expect(headers.get('content-security-policy')).toMatch(/sandbox/);
    await save('FIRST_SALE', { subject: '', opening: mails.FIRST_SALE.opening });
    expect((await settings()).kinds.FIRST_SALE).toEqual({ isOff: true, subject: null, opening: null });
    expect((await owner.visit(path)).text).toMatch(/First sale[\s\S]{0,300}Off/);
  });

  it.each([
    { name: 'subject', value: 'Hello\r\nBcc: all@example.com', says: 'Must not contain control characters' },
    { name: 'subject', value: 'x'.repeat(151), says: 'at most 150' },
    { name: 'opening', value: 'x'.repeat(601), says: 'at most 600' },
  ])('refuse a $name that is too long or would begin another header', async ({ name, value, says }) => {
    const before = await settings();
    const refused = await save('APPLICATION_APPROVED', { isOn: 'on', [name]: value });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(says);
    expect(await settings()).toEqual(before);
  });

  it('keep sender and reply address, and refuse what would be more than one', async () => {
    const sender = { senderName: 'Noor', replyTo: 'Partners@Example.com' };
    expect((await owner.submit(path, sender)).status).toBe(303);
    expect(await settings()).toMatchObject({ senderName: 'Noor', replyTo: 'partners@example.com' });
    for (const replyTo of ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'nobody'])
      expect((await owner.submit(path, { replyTo })).status).toBe(400);
    for (const senderName of ['Noor\nBcc: b@example.com', 'x'.repeat(81)])
      expect((await owner.submit(path, { senderName })).status).toBe(400);
    expect(await settings()).toMatchObject({ senderName: 'Noor', replyTo: 'partners@example.com' });
    await owner.submit(path, {});
    expect(await settings()).toMatchObject({ senderName: null, replyTo: null });
  });

  it('keep no text for the invitation, whatever is sent', async () => {
    await save('MEMBER_INVITATION', { isOn: 'on', subject: 'Your bank', opening: 'Sign in at once.' });
    expect((await settings()).kinds.MEMBER_INVITATION).toEqual({ isOff: false, subject: null, opening: null });
  });

  it('are in the audit log with who changed them', async () => {
    await save('PAYOUT_PAID', { isOn: 'on', subject: 'Money', opening: 'Here it is.' });
    const entries = async () => JSON.stringify((await api.get('/audit-log?recordType=PROGRAM')).body);
    await expect.poll(entries).toContain('"subject":"Money"');
    expect(await entries()).toContain(`"id":"${api.ownerEmail}"`);
  });
});

describe('a test', () => {
  it('of each kind is sent to whoever asks, also where the kind is off', async () => {
    const kinds = ['WEEKLY_SUMMARY', 'PORTAL_SIGN_IN'] as const;
    for (const kind of kinds) await save(kind, {});
    for (const [at, kind] of kinds.entries()) {
      expect((await owner.submit(`${path}/${kind}/test`)).status).toBe(303);
      const mail = await nextMailTo(api.ownerEmail, at + 1);
      expect(mail.subject).toBe(`Test: ${mails[kind].subject.replace('{program}', 'Tulip Shop')}`);
    }
  });
});

describe('an invitation', () => {
  const fiveMinutes = 5 * 60_000;

  it('is sent again from the page of the member, at most once in five minutes, and not once it is accepted', async () => {
    const email = freshEmail();
    await owner.submit(`/programs/${api.programId}/settings/members`, { email, role: 'VIEWER' });
    await nextMailTo(email);
    const member = `/programs/${api.programId}/settings/members/${memberIdOf(email)}`;
    expect((await owner.visit(member)).text).toContain('Send the invitation again');
    const begin = Math.floor(Date.now() / fiveMinutes);
    for (let presses = 0; presses < 3; presses++) expect((await owner.submit(`${member}/invitation`)).status).toBe(303);
    const periods = Math.floor(Date.now() / fiveMinutes) - begin + 1;
    await nextMailTo(email, 2);
    const guest = await signedIn(email);
    await guest.submit(`/invitations/${api.programId}`, { decision: 'accept' });
    expect((await owner.submit(`${member}/invitation`)).status).toBe(409);
    expect((await owner.visit(member)).text).not.toContain('Send the invitation again');
    expect((await mailsTo(email)).length).toBeLessThanOrEqual(1 + periods);
  });

  it('is not mailed where it is switched off, and the pages say so', async () => {
    await save('MEMBER_INVITATION', {});
    const members = `/programs/${api.programId}/settings/members`;
    expect((await owner.visit(members)).text).toContain('Invitations are not mailed');
    const email = freshEmail();
    const { location } = await owner.submit(members, { email, role: 'VIEWER' });
    expect(location?.searchParams.get('done')).toBe('member-invited');
    expect((await owner.visit(`${members}/${memberIdOf(email)}`)).text).not.toContain('Send the invitation again');
    await save('MEMBER_INVITATION', { isOn: 'on' });
    const control = freshEmail();
    await owner.submit(members, { email: control, role: 'VIEWER' });
    await nextMailTo(control);
    expect(await mailsTo(email)).toEqual([]);
  });
});
