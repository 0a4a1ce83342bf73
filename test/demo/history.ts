import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { importFile } from '../../infra/admin/import.ts';
import { useStack } from '../../infra/admin/target.ts';
import type { ImportKind } from '../../shared/contract/imports.ts';
import { DemoProblem } from './target.ts';

// The past of the demo: partners of the first hour and what they sold in 90 days, imported as anybody would.

const days = 90;
const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Days ago on which everything older than a week was paid. */
const payouts = [60, 30];

const names = [
  'Adaeze Obi',
  'Beatriz Santos',
  'Callum Fraser',
  'Dewi Lestari',
  'Emeka Eze',
  'Farah Aziz',
  'Gabriel Moreau',
  'Hana Kobayashi',
  'Idris Diallo',
  'Jana Horvat',
  'Kofi Boateng',
  'Lena Fischer',
];
const shoppers = ['Alex Kim', 'Billie Tran', 'Casey Ruiz', 'Devon Clarke', 'Eli Novak', 'Frankie Moss', 'Gray Olsen'];

const partners = names.map((name) => {
  const [firstName = '', lastName = ''] = name.split(' ');
  return { firstName, lastName, email: `${firstName}.${lastName}@example.org`.toLowerCase() };
});

/** Always the same numbers, so that every demo tells the same story. */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
};

const dayBefore = (now: Date, count: number, hour = 0): string => {
  const midnight = Math.floor(now.getTime() / dayMilliseconds) * dayMilliseconds;
  return new Date(midnight - count * dayMilliseconds + hour * 60 * 60 * 1000).toISOString();
};

const affiliateRows = (now: Date) =>
  partners.map((partner, at) => ({ ...partner, createdAt: dayBefore(now, days + 1 - at * 3) }));

const saleRows = (now: Date) => {
  const random = randomNumbers(7);
  return Array.from({ length: days }, (_, at) => days - at).flatMap((ago) => {
    // Business grows, and rests on weekends.
    const isWeekend = [0, 6].includes(new Date(dayBefore(now, ago)).getUTCDay());
    const count = random(isWeekend ? 3 : 5) + Math.floor((days - ago) / (isWeekend ? 16 : 9));
    return Array.from({ length: count }, (_, nth) => {
      const price = [79, 120, 249, 490, 990][random(5)] ?? 120;
      // Nobody sells before joining.
      const partner = partners[random(Math.min(partners.length, 3 + Math.floor((days - ago) / 4)))];
      const customer = shoppers[random(shoppers.length)] ?? '';
      const paidAgo = payouts.find((payout) => ago >= payout + 7);
      return {
        externalId: `history-${ago}-${nth}`,
        totalEarned: price,
        affiliateEmail: partner?.email,
        name: customer,
        email: `${customer.replace(' ', '.').toLowerCase()}@example.net`,
        createdAt: dayBefore(now, ago, 8 + random(12)),
        refundedAmount: random(20) === 0 ? price : undefined,
        paidAt: paidAgo === undefined ? undefined : dayBefore(now, paidAgo),
      };
    });
  });
};

/** Imports 90 days of history into a program of the running local stack, by the operator's command. */
export const importHistory = async (programId: string, now: Date): Promise<{ affiliates: number; sales: number }> => {
  await useStack({ dataFolder: '.local' });
  const folder = mkdtempSync(join(tmpdir(), 'demo-history-'));
  const load = async (kind: ImportKind, rows: readonly object[]): Promise<number> => {
    const file = join(folder, `${kind}.csv`);
    writeFileSync(file, stringify([...rows], { header: true }));
    const { created, refused } = await importFile({ program: programId, kind, file });
    if (refused.length > 0) throw new DemoProblem(`The history was refused: ${JSON.stringify(refused[0])}`);
    return created;
  };
  try {
    return { affiliates: await load('affiliates', affiliateRows(now)), sales: await load('sales', saleRows(now)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
