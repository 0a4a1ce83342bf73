import { beforeAll, expect, it } from 'vitest';
import { type Browser, signedIn } from '../support/browser.ts';
import { type Api, makeProgram } from '../support/program.ts';

/** What somebody who brings a history does, on the stack: the file goes to the bucket by the form of the page. */

let api: Api;
let browser: Browser;
let base: string;
beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}/imports`;
});

const begin = async (fields: Record<string, string>): Promise<string> => {
  const { status, location } = await browser.submit(`${base}/new`, fields);
  expect(status).toBe(303);
  return location?.pathname ?? '';
};

const attribute = (html: string, name: string): string =>
  new RegExp(`${name}="([^"]*)"`).exec(html)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&') ?? '';

/** As a browser sends the form with the file. */
const upload = async (path: string, content: string) => {
  const { text } = await browser.visit(path);
  const form = /<form[^>]*multipart.*?<\/form>/s.exec(text)?.[0] ?? '';
  const body = new FormData();
  for (const [input] of form.matchAll(/<input type="hidden"[^>]*>/g))
    body.append(attribute(input, 'name'), attribute(input, 'value'));
  body.append('file', new Blob([content]), 'file.csv');
  return fetch(attribute(form, 'action'), { method: 'POST', body, redirect: 'manual' });
};

const fieldsOf = (html: string): Record<string, string> => ({
  etag: attribute(/<input[^>]*name="etag"[^>]*>/.exec(html)?.[0] ?? '', 'value'),
  ...Object.fromEntries(
    [...html.matchAll(/<select[^>]*name="(header\d+)".*?<\/select>/gs)].map(([select, name = '']) => [
      name,
      attribute(/<option[^>]*selected[^>]*>/.exec(select)?.[0] ?? '', 'value'),
    ]),
  ),
});

const until = async (path: string, words: string): Promise<string> => {
  let text = '';
  await expect
    .poll(async () => (text = (await browser.visit(path)).text), { timeout: 60_000, interval: 500 })
    .toContain(words);
  return text;
};

const importFile = async (fields: Record<string, string>, content: string): Promise<string> => {
  const path = await begin(fields);
  const uploaded = await upload(path, content);
  expect([uploaded.status, new URL(uploaded.headers.get('location') ?? '').pathname]).toEqual([303, path]);
  const chosen = fieldsOf((await browser.visit(path)).text);
  expect((await browser.submit(`${path}/plan`, chosen)).status).toBe(303);
  await until(path, 'Ready to import');
  expect((await browser.submit(`${path}/run`)).status).toBe(303);
  await until(path, 'Done');
  return path;
};

const report = async (path: string) =>
  (await browser.visit(`${path}/report.csv`)).text.replaceAll('"', '').trim().split(/\r?\n/);

it('a history is uploaded, checked and imported, without webhooks, and a second time changes nothing', async () => {
  const people =
    'Email Address,First name,Joined\namara@example.com,Amara,2024-02-01\nbola@example.com,Bola,2024-03-01\n';
  await importFile({ kind: 'affiliates' }, people);
  const sold =
    'Order ID,Amount,Partner email,Customer email,Date,Paid on\n' +
    '1,49.00,amara@example.com,tom@example.net,2024-04-01,2024-05-03\n' +
    '2,20.00,nobody@example.com,mei@example.net,2024-04-02,\n';
  const path = await importFile({ kind: 'sales' }, sold);
  expect(await report(path)).toEqual([
    'row,outcome,column,message',
    '2,created,,',
    '3,refused,affiliateEmail,An affiliate with the email nobody@example.com does not exist in this program',
  ]);
  const again = await importFile({ kind: 'affiliates' }, people);
  expect((await report(again)).slice(1)).toEqual(['2,unchanged,,', '3,unchanged,,']);
  const { body: found } = await api.get('/sales?externalId=1');
  expect(found.data?.[0] ?? found[0] ?? found).toMatchObject({
    totalEarned: 49,
    source: 'IMPORTED',
    createdAt: '2024-04-01T00:00:00.000Z',
    paidAt: '2024-05-03T00:00:00.000Z',
    attribution: { via: 'IMPORT' },
  });
  const amara = () => api.get('/affiliates/email:amara@example.com').then(({ body }) => body.totalRevenue);
  await expect.poll(amara, { timeout: 30_000 }).toBe(49);
  expect((await api.get('/events')).body.data ?? (await api.get('/events')).body).toEqual([]);
});

it('events are made of what is imported if that is asked for, as of now', async () => {
  const before = new Date().toISOString();
  await importFile(
    { kind: 'affiliates', makesEvents: 'on' },
    'email,firstName,createdAt\nzoe@example.com,Zoe,2024-02-01\n',
  );
  const events = async () => {
    const { body } = await api.get('/events');
    return (body.data ?? body).filter(({ type }: { type: string }) => type === 'affiliate.created');
  };
  await expect.poll(events, { timeout: 30_000 }).toHaveLength(1);
  const [event] = await events();
  expect(event.timestamp >= before.slice(0, 19)).toBe(true);
});

it('a file that cannot be read says why, and another one can be uploaded', async () => {
  const path = await begin({ kind: 'affiliates' });
  await upload(path, 'PK\u0003\u0004 a workbook');
  const { text } = await browser.visit(path);
  expect(text).toContain('Unpack it and import the CSV file in it');
  await upload(path, 'email,firstName\nada@example.com,Ada\n');
  expect(Object.values(fieldsOf((await browser.visit(path)).text))).toContain('firstName');
});

it('a file that was uploaded again is not imported with the columns of the one before', async () => {
  const path = await begin({ kind: 'affiliates' });
  await upload(path, 'email,firstName\nada@example.com,Ada\n');
  const chosen = fieldsOf((await browser.visit(path)).text);
  await upload(path, 'firstName,email\nAda,ada@example.com\n');
  const refused = await browser.submit(`${path}/plan`, chosen);
  expect([refused.status, refused.text.includes('The file was uploaded again')]).toEqual([409, true]);
});
