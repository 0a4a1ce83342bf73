import { beforeAll, expect, it } from 'vitest';
import { importKinds } from '../../shared/contract/imports.ts';
import { importFiles, linesOf } from '../support/import-files.ts';
import { PageImporter } from '../support/page-importer.ts';
import { type Api, makeProgram } from '../support/program.ts';

/** Every kind of file on the stack, with the permissions that its rows need: new records, and records that differ. */

let api: Api;
let importer: PageImporter;
let groupId: string;
beforeAll(async () => {
  api = await makeProgram({ baseUrls: ['https://shop.example.com'] });
  importer = await PageImporter.of(api);
  const tiers = [{ minimumSales: 1, period: 'MONTH', rate: 40 }];
  const group = await api.post('/groups', { name: 'Partners', commissionRate: 10, commissionMonths: 12, tiers });
  groupId = group.body.id;
});

const outcomes = (report: readonly string[]) =>
  report.slice(1).map((line) => line.split(',').slice(1).join(' ').trim());

it('every kind of record is imported, then changed by a later file, and by the same file not again', async () => {
  const files = importFiles(groupId);
  for (const kind of importKinds) {
    const file = files[kind];
    for (const [rows, outcome] of [
      [file.first, 'created'],
      [file.changed, 'updated'],
      [file.changed, 'unchanged'],
    ] as const) {
      const path = await importer.importFile({ kind }, linesOf(file, rows));
      expect(outcomes(await importer.report(path)), `${kind} ${outcome}`).toEqual(rows.map(() => outcome));
    }
  }
  const affiliate = await api.get('/affiliates/email:amma@example.com');
  const referral = await api.get('/referrals/email:tom@example.net');
  const code = await api.get('/promotional-codes?externalId=new-1');
  const sales = await api.get('/sales');
  expect(affiliate.body).toMatchObject({ firstName: 'Amma Ada', groupId, createdAt: '2024-02-01T00:00:00.000Z' });
  expect(referral.body).toMatchObject({ name: 'Tom Reed', affiliateId: affiliate.body.id });
  expect(code.body).toMatchObject({ code: 'AMMA20', affiliateId: affiliate.body.id, timesRedeemed: 0 });
  const [unpaid, paid] = sales.body;
  // The commission of what was paid stays, and an adjustment takes its share of the refund back.
  expect(paid).toMatchObject({ refundedAmount: 9, commissionEarned: 4.9, paidAt: '2024-05-03T00:00:00.000Z' });
  expect(unpaid).toMatchObject({ name: 'Lin', commissionRate: 30, commissionEarned: 6, paidAt: null });
});

/** Every fiftieth is paid. */
const manySales = (count: number, affiliateEmail: string): string =>
  ['totalEarned,email,createdAt,affiliateEmail,paidAt']
    .concat(
      Array.from({ length: count }, (_, at) => {
        const paid = at % 50 === 0 ? `${affiliateEmail},2024-07-01` : ',';
        return `${1 + at},customer${at}@example.net,2024-05-01,${paid}`;
      }),
    )
    .join('\n');

const paidSales = async (): Promise<number | undefined> => {
  const { body } = await api.get('/payout-batches');
  return body.find(({ paidAt }: { paidAt: string }) => paidAt.startsWith('2024-07-01'))?.saleCount;
};

const doneOf = async (path: string): Promise<number> => {
  const { text } = await importer.browser.visit(path);
  return Number(/(\d[\d,]*) rows so far/.exec(text)?.[1]?.replaceAll(',', '') ?? 0);
};

it('an import that runs is cancelled and what it brought stays, and the next one of the file brings the rest', async () => {
  // At 130 rows a second longer than a worker's step.
  const rows = 1430;
  const affiliate = await api.post('/affiliates', { email: 'paid@example.com', firstName: 'Paid' });
  const file = manySales(rows, affiliate.body.email);
  const path = await importer.plan({ kind: 'sales' }, file);
  await importer.start(path);
  await expect.poll(() => doneOf(path), { timeout: 30_000 }).toBeGreaterThan(0);
  expect((await importer.browser.submit(`${path}/cancel`)).status).toBe(303);
  await importer.until(path, 'Cancelled');
  // The report is whole once the worker has noticed.
  await expect
    .poll(async () => (await paidSales()) === Math.ceil(outcomes(await importer.report(path)).length / 50), {
      timeout: 30_000,
    })
    .toBe(true);
  const again = outcomes(await importer.report(await importer.importFile({ kind: 'sales' }, file)));
  const brought = outcomes(await importer.report(path));
  expect(brought.length).toBeLessThan(rows);
  expect(again).toHaveLength(rows);
  expect(again.filter((outcome) => outcome === 'unchanged')).toHaveLength(brought.length);
  expect(again.filter((outcome) => outcome === 'created')).toHaveLength(rows - brought.length);
});

it('on the FREE plan a file brings as many records as the program may still have, and says that of the rest', async () => {
  const free = await PageImporter.of(await makeProgram({ plan: 'FREE' }));
  const people = Array.from({ length: 252 }, (_, at) => `person${at}@example.com,Person`);
  const path = await free.importFile({ kind: 'affiliates' }, ['email,firstName', ...people].join('\n'));
  const report = outcomes(await free.report(path));
  // Each comes with a link, which counts too.
  expect(report.filter((outcome) => outcome === 'created')).toHaveLength(250);
  expect((await free.browser.visit(path)).text).toContain('as many records as its plan allows');
});
