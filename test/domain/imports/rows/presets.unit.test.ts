import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ImportKind, type ImportPreset, importKinds, importPresets } from '../../../../shared/contract/imports.ts';
import { columnNamed } from '../../../../shared/domain/imports/rows/columns.ts';
import { guessMapping, headOf } from '../../../../shared/domain/imports/rows/mapping.ts';
import { presets } from '../../../../shared/domain/imports/rows/presets/presets.ts';
import { complaintsAbout, fileOf, isRefused, readAll } from './reading.ts';

const samples = join(import.meta.dirname, '../samples');
const sampleOf = (preset: ImportPreset, kind: ImportKind): Buffer =>
  readFileSync(join(samples, `${preset}-${kind}.csv`));

const exported = importPresets.flatMap((preset) =>
  importKinds.filter((kind) => presets[preset].columns[kind]).map((kind) => [preset, kind] as const),
);

it('there is a sample of every export that a preset knows, and no other', () => {
  expect(readdirSync(samples).toSorted()).toEqual(exported.map(([preset, kind]) => `${preset}-${kind}.csv`).toSorted());
});

it.each(exported)(
  'every column that the preset %s names for %s is one, and a sample lacks none that is needed',
  async (preset, kind) => {
    const named = Object.values(presets[preset].columns[kind] ?? {}).filter((name) => name !== null);
    expect(named.filter((name) => columnNamed(kind, name) === undefined)).toEqual([]);
    const { headers } = await headOf(fileOf(sampleOf(preset, kind)));
    expect(guessMapping(kind, headers, preset).missing).toEqual([]);
  },
);

const readSample = async (preset: ImportPreset, kind: ImportKind) => {
  const rows = await readAll(kind, sampleOf(preset, kind), { preset });
  return rows.map((row) =>
    isRefused(row)
      ? row.problems.map(({ message }) => message)
      : { ...row.body, ...row.extra, ...(row.createdAt && { createdAt: row.createdAt.toISOString() }) },
  );
};

const bond = { email: 'james.bond@example.com', createdAt: '2020-08-19T16:28:31.164Z' };
const fred = { email: 'fred@example.net', name: 'Fred Smith' };
const priya = { email: 'priya@example.net', name: 'Priya Sharma' };
const amara = { affiliateEmail: 'amara@example.com' };
const negative = ['totalEarned must not be negative', 'commissionAmount must not be negative'];

it.each<[ImportPreset, ImportKind, unknown[]]>([
  [
    'rewardful',
    'affiliates',
    [
      {
        ...bond,
        firstName: 'James',
        lastName: 'Bond',
        affiliateLink: 'jb007',
        status: 'active',
        externalId: '5768bd90-7953-493f-ae6c-6562eb4d7e72',
      },
      {
        email: 'eve@example.com',
        firstName: 'Eve',
        lastName: 'Moneypenny',
        affiliateLink: 'eve',
        status: 'inactive',
        payoutEmail: 'eve.pay@example.com',
        externalId: '1b8bd90f-7953-493f-ae6c-6562eb4d7e73',
        createdAt: '2021-01-02T03:04:05.000Z',
      },
    ],
  ],
  ['rewardful', 'links', [{ link: 'jb007', affiliateEmail: bond.email, createdAt: bond.createdAt }]],
  [
    'rewardful',
    'referrals',
    [
      {
        ...fred,
        referredUserExternalId: 'cus_ABC123',
        affiliateEmail: bond.email,
        createdAt: '2020-08-19T16:13:12.109Z',
      },
    ],
  ],
  [
    'rewardful',
    'sales',
    [
      expect.objectContaining({
        ...fred,
        totalEarned: 100,
        commissionAmount: 30,
        refundedAmount: 0,
        externalInvoiceId: 'ch_ABC1',
        affiliateEmail: bond.email,
      }),
      expect.objectContaining({ totalEarned: 50, commissionAmount: 15, paidAt: new Date('2020-10-01T09:00:00Z') }),
      expect.objectContaining({ totalEarned: 50, commissionAmount: 0, refundedAmount: 50 }),
      ['currency is EUR, but must be USD, the currency of the program'],
    ],
  ],
  [
    'firstpromoter',
    'affiliates',
    [
      {
        email: 'amara@example.com',
        firstName: 'Amara',
        lastName: 'Okafor',
        affiliateLink: 'amara20',
        externalId: 'u-17',
        status: 'active',
        payoutEmail: 'amara.pay@example.com',
        createdAt: '2024-02-01T09:15:05.000Z',
      },
      {
        email: 'ben@example.com',
        firstName: 'Ben',
        affiliateLink: 'ben',
        status: 'inactive',
        createdAt: '2024-02-02T09:15:05.000Z',
      },
    ],
  ],
  [
    'firstpromoter',
    'referrals',
    [
      { ...priya, ...amara, referredUserExternalId: 'user-1', createdAt: '2024-03-01T09:15:05.000Z' },
      { email: 'sam@example.net', name: 'sam@example.net', ...amara, createdAt: '2024-03-02T09:15:05.000Z' },
    ],
  ],
  [
    'firstpromoter',
    'sales',
    [
      {
        ...amara,
        email: priya.email,
        totalEarned: 49,
        commissionAmount: 14.7,
        externalId: '77001',
        externalInvoiceId: 'in_1',
        customerId: 'user-1',
        paidAt: new Date('2024-04-01'),
        createdAt: '2024-03-05T09:15:05.000Z',
      },
      expect.not.objectContaining({ paidAt: expect.anything() }),
      expect.objectContaining({ totalEarned: 99, refundedAmount: 99 }),
      ['paidAt is required for a commission that is paid'],
    ],
  ],
  [
    'tolt',
    'affiliates',
    [
      {
        email: amara.affiliateEmail,
        firstName: 'Amara',
        lastName: 'Okafor',
        externalId: 'part_1',
        status: 'active',
        createdAt: '2025-01-15T14:30:00.000Z',
      },
    ],
  ],
  [
    'tolt',
    'links',
    [
      { link: 'amara', ...amara, createdAt: '2025-01-15T14:30:00.000Z' },
      ['link may have letters, digits and hyphens only'],
    ],
  ],
  [
    'tolt',
    'referrals',
    [{ ...priya, ...amara, referredUserExternalId: 'user-1', createdAt: '2025-01-20T14:30:00.000Z' }],
  ],
  [
    'tolt',
    'sales',
    [
      {
        ...amara,
        email: priya.email,
        totalEarned: 99.99,
        commissionAmount: 19.99,
        externalId: 'comm_1',
        externalInvoiceId: 'ch_1',
        createdAt: '2025-01-25T14:30:00.000Z',
      },
      expect.objectContaining({ paidAt: new Date('2025-02-25T14:30:00Z') }),
      expect.objectContaining({ refundedAmount: 99.99 }),
      expect.arrayContaining(negative),
    ],
  ],
  [
    'dub',
    'affiliates',
    [
      {
        email: amara.affiliateEmail,
        firstName: 'Amara',
        lastName: 'Okafor',
        status: 'active',
        createdAt: '2025-01-15T14:30:00.000Z',
      },
      { email: 'ben@example.com', firstName: 'Ben', status: 'inactive', createdAt: '2025-01-16T14:30:00.000Z' },
    ],
  ],
  [
    'dub',
    'referrals',
    [{ ...priya, ...amara, referredUserExternalId: 'user-1', createdAt: '2025-01-20T14:30:00.000Z' }],
  ],
  [
    'dub',
    'sales',
    [
      {
        ...amara,
        ...priya,
        totalEarned: 1234.5,
        commissionAmount: 246.9,
        externalId: 'cm_1',
        externalInvoiceId: 'in_1',
        customerId: 'user-1',
        createdAt: '2025-01-25T14:30:00.000Z',
      },
      expect.objectContaining({ totalEarned: 49.9, paidAt: new Date('2025-03-25T14:30:00Z') }),
      expect.objectContaining({ refundedAmount: 49.9 }),
      ['totalEarned must be above 0'],
    ],
  ],
])('the export of %s for %s is read as it is', async (preset, kind, rows) => {
  expect(await readSample(preset, kind)).toEqual(rows);
});

const amounts = (...cells: string[]): string =>
  ['id,amount,earnings,partnerEmail', ...cells.map((cell, at) => `cm_${at},${cell},1,a@example.com`)].join('\n');

it('whole amounts of a product are in its minor units, whatever its dashboard writes with decimals or a sign', async () => {
  const totals = async (...cells: string[]) =>
    (await readAll('sales', amounts(...cells), { preset: 'dub' })).map((row) => 'body' in row && row.body.totalEarned);
  expect(await totals('4990', '100', '$20')).toEqual([49.9, 1, 20]);
  expect(await totals('49.90', '1.00')).toEqual([49.9, 1]);
});

it.each([[['4990', '49.90']], [['49.90', '4990']]])(
  'a column with amounts of both forms is refused where it changes, also when earlier rows are skipped: %j',
  async (cells) => {
    const message =
      'totalEarned is in another unit than amounts of rows before, some with decimals and some without; write all with decimals';
    for (const fromRow of [0, 3])
      expect(await complaintsAbout('sales', amounts(...cells), { preset: 'dub', fromRow })).toEqual([
        { of: 'row', row: 3, column: 'totalEarned', message },
      ]);
  },
);
