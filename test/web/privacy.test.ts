import { beforeAll, expect, it } from 'vitest';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { eventsUntil } from '../support/events.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

let api: Api;
let browser: Browser;
let base: string;
beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}/settings/privacy`;
});

const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
const submit = async (path: string, fields: Record<string, string>) => {
  const { status, text, location, headers } = await browser.submit(`${base}/${path}`, fields);
  return { status, raw: text, text: textOf(text), location, headers };
};

it('an owner finds a person, downloads what is known of them, and erases them after typing the email', async () => {
  const [email, other] = [freshEmail(), freshEmail()];
  const affiliate = await makeAffiliate(api, { email, firstName: 'Wangari', metadata: { shirt: 'L' } });
  const referrer = await makeAffiliate(api, { email: other, firstName: 'Tomasz' });
  const { body: sale } = await api.post('/sales', {
    totalEarned: 30,
    email,
    name: 'Wangari M',
    referralId: referrer.id,
  });
  await eventsUntil(api.programId, 'sale.created', 1);

  expect(textOf((await browser.visit(base)).text)).toContain('Nobody has been erased yet.');
  const found = await submit('find', { email: ` ${email.toUpperCase()} ` });
  expect(found.text).toMatch(
    /Affiliates 1 Links 1 Promotional codes 0 Referrals 0 Sales 1 Deleted records 0 Events [3-9]/,
  );
  expect(found.text).not.toContain('Tomasz');

  const { raw, headers } = await submit('download', { email });
  expect(headers.get('content-disposition')).toBe('attachment; filename="person.json"');
  const file = JSON.parse(raw);
  expect(file).toMatchObject({ email, isComplete: true });
  expect(file.records).toEqual([
    expect.objectContaining({ type: 'AFFILIATE', id: affiliate.id, firstName: 'Wangari', metadata: { shirt: 'L' } }),
    expect.objectContaining({ type: 'SALE', name: 'Wangari M', totalEarnedMinor: 3000 }),
    expect.objectContaining({ type: 'LINK', link: affiliate.affiliateLinks[0].link }),
  ]);
  expect(file.events.map(({ type }: { type: string }) => type)).toContain('sale.created');
  expect(raw).not.toContain(other);

  const refused = await submit('erase', { email, confirmation: other });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Must be exactly the email above')]);
  expect((await api.get(`/sales/${sale.id}`)).body.email).toBe(email);

  const { status, location } = await submit('erase', { email, confirmation: email });
  expect(status).toBe(303);
  const shown = async () => textOf((await browser.visit(location ?? '')).text);
  await expect.poll(shown).toContain('Done');
  const page = await shown();
  expect(page).toMatch(/Records 3 Affiliates 1 Links 1 Promotional codes 0 Referrals 0 Sales 1/);
  expect(page).toContain('Backups of the tables');
  expect(page).not.toContain(email);
  expect((await api.get(`/sales/${sale.id}`)).body.name).toBe('erased');
  expect(textOf((await browser.visit(base)).text)).toMatch(/Done 3/);
  expect((await submit('find', { email })).text).toMatch(/Affiliates 0 Links 0 .* Sales 0 Deleted records 0 Events 0/);
});

it('of two forms for one person the second leads to the erasure that the first began', async () => {
  const email = freshEmail();
  const sent = await Promise.all([1, 2].map(() => submit('erase', { email, confirmation: email })));
  expect(sent.map(({ status }) => status)).toEqual([303, 303]);
  expect(new Set(sent.map(({ location }) => location?.pathname)).size).toBe(1);
});

it('what is no email is shown again with its error', async () => {
  for (const path of ['find', 'download']) {
    const { status, text } = await submit(path, { email: 'nobody' });
    expect([path, status, text]).toEqual([path, 400, expect.stringContaining('Must be an email address')]);
  }
});
