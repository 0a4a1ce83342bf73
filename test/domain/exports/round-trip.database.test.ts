import { beforeAll, describe, expect, it } from 'vitest';
import type { ExportedName } from '../../../shared/contract/exports.ts';
import { type ImportKind, importKinds } from '../../../shared/contract/imports.ts';
import type { filesIn } from '../../support/zip-files.ts';
import { importWorld } from '../imports/import-world.ts';
import { exportWorld } from './export-world.ts';
import { fillProgram, setBaseUrls } from './full-program.ts';

type Files = ReturnType<typeof filesIn>;
type Json = Record<string, unknown>;

let [source, target] = [{} as Files, {} as Files];
const refused: string[] = [];
const changedAgain: string[] = [];

beforeAll(async () => {
  const world = await exportWorld();
  await fillProgram(world.program);
  await world.count();
  source = await world.run();
  const imported = await importWorld();
  await setBaseUrls(imported.program.id);
  const otherThan = async (kind: ImportKind, expected: RegExp): Promise<string[]> => {
    const { results } = await imported.run(kind, source.rowsOf(kind));
    return results.filter((result) => !expected.test(result)).map((result) => `${kind} ${result}`);
  };
  for (const kind of importKinds) refused.push(...(await otherThan(kind, / (created|unchanged)$/)));
  for (const kind of importKinds) changedAgain.push(...(await otherThan(kind, / unchanged$/)));
  await imported.count();
  target = await (await exportWorld(imported.program)).run();
}, 60_000);

/** What a record of each kind is called in every program. */
const nameOf: Partial<Record<ExportedName, (record: Json) => string>> = {
  affiliates: ({ email }) => `affiliate ${email}`,
  links: ({ link }) => `link ${link}`,
  referrals: ({ email }) => `referral ${email}`,
  coupons: ({ name, percentOff }) => `coupon ${name} ${percentOff}`,
  'promotional-codes': ({ code }) => `code ${code}`,
  sales: ({ createdAt }) => `sale ${createdAt}`,
};

const namesIn = (files: Files): Map<unknown, string> =>
  new Map(
    Object.entries(nameOf).flatMap(([name, of]) =>
      files.linesOf(name).map((record) => [record.id, of(record)] as const),
    ),
  );

/** With names in place of ids, which differ from program to program. */
const withNames = (value: unknown, names: ReadonlyMap<unknown, string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => withNames(item, names));
  if (typeof value !== 'object' || value === null) return names.get(value) ?? value;
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, withNames(item, names)]));
};

/** What an import does not bring back, by field, wherever it is. Everything else is equal, times to the millisecond included. */
const notBroughtBack: Readonly<Record<string, string>> = {
  updatedAt: 'it is the time of the last edit, and an import is one',
  programId: 'it is another program',
  affiliateProgramId: 'it is another program',
  program: 'it is another program',
  totalCommissionPaid: 'what was paid too much is taken back by adjustments, which are not imported',
  source: 'it says that the record was imported, and a rate that its sale sets it',
  attribution: 'it says that the record was imported',
  groupId: 'groups are not imported',
  timesRedeemed: 'a redemption of a code is not repeated',
  payoutBatchId: 'what was paid on a day is one batch, and what is not paid is in none',
};

/** By the name of a file: what an import makes of another field. */
const changed: Partial<Record<ExportedName, (record: Json) => Json>> = {
  // The rate of a group that is not there.
  affiliates: ({ commissionRate, ...affiliate }) => ({
    ...affiliate,
    commissionRate: affiliate.email === 'partner@example.com' ? null : commissionRate,
  }),
  // Coupons of one name are told apart by their ids.
  coupons: ({ externalId, ...coupon }) => ({
    ...coupon,
    externalId: String(coupon.name) === 'Same' ? null : externalId,
  }),
};

const withoutFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutFields);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([field]) => !Object.hasOwn(notBroughtBack, field));
  return Object.fromEntries(kept.map(([field, item]) => [field, withoutFields(item)]));
};

const compared = (files: Files, name: ExportedName): unknown[] => {
  const names = namesIn(files);
  const change = changed[name] ?? ((record) => record);
  return files.linesOf(name).map((record) => withoutFields(change(withNames(record, names) as Json)));
};

/** What the affiliate of a sale has earned by it: what a payout gave, and what adjustments take back of that. */
const withAdjustments = (files: Files): Map<unknown, number> => {
  const adjusted = Map.groupBy(files.linesOf('adjustments'), ({ saleId }) => saleId);
  const sumOf = (id: unknown) => (adjusted.get(id) ?? []).reduce((sum, { amount }) => sum + Number(amount), 0);
  return new Map(
    files
      .linesOf('sales')
      .map(({ id, createdAt, commissionEarned }) => [createdAt, Number(commissionEarned) + sumOf(id)]),
  );
};

describe('a program that was exported and imported into an empty one', () => {
  it('has every row of every file', () => {
    expect(refused).toEqual([]);
    for (const kind of importKinds) expect(source.rowsOf(kind).length, kind).toBeGreaterThan(0);
  });

  it('is not changed where the files are imported again', () => {
    expect(changedAgain).toEqual([]);
  });

  it.each(importKinds)('exports the same %s again, byte by byte', (kind) => {
    expect(target.textOf(`${kind}.csv`)).toBe(source.textOf(`${kind}.csv`));
  });

  it.each(['affiliates', 'links', 'referrals'] as const)('has the same %s, with their totals', (name) => {
    expect(compared(target, name)).toEqual(compared(source, name));
  });

  it('has the same coupons and codes', () => {
    const withoutNested = (name: ExportedName) => (files: Files) =>
      compared(files, name).map((record) => ({ ...(record as Json), coupon: null, promotionalCodes: null }));
    for (const name of ['coupons', 'promotional-codes'] as const)
      expect(withoutNested(name)(target), name).toEqual(withoutNested(name)(source));
  });

  it('has the same sales, and each has earned its affiliate the same', () => {
    const withoutCommission = (files: Files) =>
      compared(files, 'sales').map((sale) => ({ ...(sale as Json), commissionEarned: null }));
    expect(withoutCommission(target)).toEqual(withoutCommission(source));
    expect(withAdjustments(target)).toEqual(withAdjustments(source));
  });

  it('has a payout for each affiliate that was paid on a day', () => {
    const paid = (files: Files) => {
      const names = namesIn(files);
      return files
        .linesOf('payouts')
        .filter(({ status }) => status === 'PAID')
        .map(({ affiliateId, saleCount }) => ({ affiliate: names.get(affiliateId), saleCount }));
    };
    const inOrder = (files: Files) =>
      paid(files).toSorted((one, other) => (String(one.affiliate) < String(other.affiliate) ? -1 : 1));
    expect(inOrder(target)).toEqual(inOrder(source));
  });
});
