import { beforeAll, expect, it } from 'vitest';
import { fieldsOf, PageImporter } from '../support/page-importer.ts';
import { type Api, makeProgram } from '../support/program.ts';

/** What somebody who brings a history does, on the stack: the file goes to the bucket by the form of the page. */

let api: Api;
let importer: PageImporter;
beforeAll(async () => {
  api = await makeProgram();
  importer = await PageImporter.of(api);
});

it('a history is uploaded, checked and imported, without webhooks, and a second time changes nothing', async () => {
  const people =
    'Email Address,First name,Joined\namara@example.com,Amara,2024-02-01\nbola@example.com,Bola,2024-03-01\n';
  await importer.importFile({ kind: 'affiliates' }, people);
  const sold =
    'Order ID,Amount,Partner email,Customer email,Date,Paid on\n' +
    '1,49.00,amara@example.com,tom@example.net,2024-04-01,2024-05-03\n' +
    '2,20.00,nobody@example.com,mei@example.net,2024-04-02,\n';
  const path = await importer.importFile({ kind: 'sales' }, sold);
  expect(await importer.report(path)).toEqual([
    'row,outcome,column,message',
    '2,created,,',
    '3,refused,affiliateEmail,An affiliate with the email nobody@example.com does not exist in this program',
  ]);
  const again = await importer.importFile({ kind: 'affiliates' }, people);
  expect((await importer.report(again)).slice(1)).toEqual(['2,unchanged,,', '3,unchanged,,']);
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
  await importer.importFile(
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
  const path = await importer.begin({ kind: 'affiliates' });
  await importer.upload(path, 'PK\u0003\u0004 a workbook');
  const { text } = await importer.browser.visit(path);
  expect(text).toContain('Unpack it and import the CSV file in it');
  await importer.upload(path, 'email,firstName\nada@example.com,Ada\n');
  expect(Object.values(fieldsOf((await importer.browser.visit(path)).text))).toContain('firstName');
});

it('a file that was uploaded again is not imported with the columns of the one before', async () => {
  const path = await importer.begin({ kind: 'affiliates' });
  await importer.upload(path, 'email,firstName\nada@example.com,Ada\n');
  const chosen = fieldsOf((await importer.browser.visit(path)).text);
  await importer.upload(path, 'firstName,email\nAda,ada@example.com\n');
  const refused = await importer.browser.submit(`${path}/plan`, chosen);
  expect([refused.status, refused.text.includes('The file was uploaded again')]).toEqual([409, true]);
});
