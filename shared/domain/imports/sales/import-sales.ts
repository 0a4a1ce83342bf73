import { ApiError } from '../../../contract/errors.ts';
import { forEachApart, forEachConcurrent } from '../../../platform/concurrency/for-each-concurrent.ts';
import { importedAttribute, markText, withImportMark } from '../../../platform/table/import-mark.ts';
import { getItem } from '../../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../../platform/table/keys.ts';
import { type Write, writeTogether } from '../../../platform/table/transaction.ts';
import { customerOf, importedOrdersWrite, readCustomers, setFirstSale } from '../../attribution/customers.ts';
import type { StoredGroups } from '../../groups/rules.ts';
import { incrementPayoutWrite } from '../../payouts/payouts.ts';
import { referrals } from '../../referrals/repository.ts';
import { sales } from '../../sales/repository.ts';
import type { StoredSale } from '../../sales/rules.ts';
import { type ImportContext, type RowResult, succeeded } from '../import-row.ts';
import { refusedRow } from '../refusals.ts';
import { type CreditLookups, creditOf } from './credit.ts';
import { updateImportedSale } from './existing-sale.ts';
import { ensureImportedBatch, readImportedBatches } from './imported-batches.ts';
import { importedSale } from './new-sale.ts';
import { type IdentifiedRow, identityOf } from './sale-row.ts';

export interface SalesTools {
  groups: StoredGroups;
  lookups: CreditLookups;
}

/** Less than a transaction may have: the local database makes others wait until it has written them. */
const maxWrites = 16;
const maxChecks = 384;
/** Repeated where somebody else changed an item meanwhile, or an id was taken. */
const maxAttempts = 8;
const updatesAtOnce = 4;
/** While one of them is on its way, the next is written. */
const packsAtOnce = 4;

const markOf = ({ importId, makesEvents }: ImportContext, { row }: IdentifiedRow) => ({ importId, row, makesEvents });

const findExisting = async (programId: string, rows: readonly IdentifiedRow[]): Promise<Map<string, StoredSale>> => {
  const named = rows.map((row) =>
    row.body.externalId
      ? ({ name: 'EXTERNAL_ID', value: row.body.externalId } as const)
      : ({ name: 'IMPORT_KEY', value: row.importKey ?? '' } as const),
  );
  const ids = await sales.findNames(programId, named);
  const byId = await sales.getMany(
    programId,
    ids.filter((id) => id !== undefined),
  );
  return new Map(
    rows.flatMap((row, at) => {
      const sale = byId.get(ids[at] ?? '');
      return sale ? [[identityOf(row), sale] as const] : [];
    }),
  );
};

const findReferrals = async (programId: string, rows: readonly IdentifiedRow[]) => {
  const emails = [...new Set(rows.flatMap(({ body }) => body.email ?? []))];
  const ids = await referrals.findNames(
    programId,
    emails.map((value) => ({ name: 'EMAIL', value }) as const),
  );
  const byId = await referrals.getMany(
    programId,
    ids.filter((id) => id !== undefined),
  );
  return new Map(emails.map((email, at) => [email, byId.get(ids[at] ?? '')]));
};

/** What the rows of a window need to know, in a few reads. */
const readAround = async (context: ImportContext, rows: readonly IdentifiedRow[], lookups: CreditLookups) => {
  const { id } = context.program;
  const [existing, referralOf, customers, batches] = await Promise.all([
    findExisting(id, rows),
    findReferrals(id, rows),
    readCustomers(
      id,
      rows.flatMap(({ body }) => customerOf(body) ?? []),
    ),
    readImportedBatches(
      context,
      rows.flatMap(({ body }) => body.paidAt ?? []),
    ),
    lookups.ahead(rows),
  ]);
  return { existing, referralOf, customers, batches };
};
type Around = Awaited<ReturnType<typeof readAround>>;

interface NewSale {
  row: IdentifiedRow;
  sale: StoredSale;
}

const countOfWrites = ({ sale }: NewSale): number =>
  2 +
  sale.searchWords.length +
  [sale.externalId, sale.externalInvoiceId, sale.importKey, sale.paidAt].filter(Boolean).length;

/** A transaction takes no two writes of one item: a drawn id, or an invoice that two sales name. */
const itemsOf = ({ sale: { id, externalInvoiceId } }: NewSale): string[] =>
  externalInvoiceId === null ? [`ID ${id}`] : [`ID ${id}`, `INVOICE ${externalInvoiceId}`];

const packsOf = (made: readonly NewSale[], room: number): NewSale[][] => {
  const packs: NewSale[][] = [];
  let left = 0;
  let items = new Set<string>();
  for (const one of made) {
    const count = countOfWrites(one);
    const isOfPack = left >= count && !itemsOf(one).some((item) => items.has(item));
    if (isOfPack) packs.at(-1)?.push(one);
    else packs.push([one]);
    left = (isOfPack ? left : room) - count;
    items = new Set([...(isOfPack ? items : []), ...itemsOf(one)]);
  }
  return packs;
};

const firstOf = (some: readonly NewSale[]): string => some.map(({ sale }) => sale.createdAt).toSorted()[0] ?? '';

const customersOf = (pack: readonly NewSale[]): [string, NewSale[]][] =>
  [...Map.groupBy(pack, ({ sale }) => customerOf(sale))].flatMap(([customer, of]) =>
    customer === undefined ? [] : [[customer, of]],
  );

const orderWrites = (programId: string, pack: readonly NewSale[], { customers }: Around): Write[] =>
  customersOf(pack).map(([customer, of]) =>
    importedOrdersWrite(programId, customer, {
      orders: of.length,
      createdAt: firstOf(of),
      known: customers.get(customer)?.firstSaleAt,
    }),
  );

/** The next packs of the window find the customers of this one. */
const keepCustomers = (pack: readonly NewSale[], { customers }: Around): void => {
  for (const [customer, of] of customersOf(pack)) {
    const { orders = 0, firstSaleAt } = customers.get(customer) ?? {};
    const [first] = [firstOf(of), firstSaleAt].filter((at) => at !== undefined).toSorted();
    customers.set(customer, { orders: orders + of.length, firstSaleAt: first });
  }
};

const payoutsOf = (pack: readonly NewSale[]): Map<string, StoredSale[]> => {
  const paid = pack.map(({ sale }) => sale).filter((sale) => sale.payoutBatchId !== null && sale.affiliateId !== null);
  return Map.groupBy(paid, (sale) => `${sale.payoutBatchId} ${sale.affiliateId}`);
};

/** Items that more than one pack may write to: two transactions at a time would conflict. */
const sharedItemsOf = (pack: readonly NewSale[]): string[] => [
  ...customersOf(pack).map(([customer]) => customer),
  ...payoutsOf(pack).keys(),
  ...pack.flatMap(itemsOf),
];

const payoutWrites = (programId: string, pack: readonly NewSale[]): Write[] =>
  [...payoutsOf(pack).values()].map((of) => {
    const [{ payoutBatchId = '', affiliateId = '' } = {}] = of;
    const amountMinor = of.reduce((sum, { commissionEarnedMinor }) => sum + BigInt(commissionEarnedMinor), 0n);
    const sums = { amountMinor, saleCount: of.length, paidCount: of.length };
    return incrementPayoutWrite(programId, payoutBatchId ?? '', affiliateId ?? '', sums, { opens: true });
  });

const keepFirstSale = async (programId: string, sale: StoredSale, { customers }: Around): Promise<void> => {
  const customer = customerOf(sale);
  const known = customer === undefined ? undefined : customers.get(customer);
  if (customer !== undefined && known && (known.firstSaleAt ?? '9') > sale.createdAt)
    await setFirstSale(programId, customer, sale.createdAt);
};

const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ConcurrentModificationError || (error instanceof ApiError && error.status === 409);

/** Before their sales are written, so that packs that are written at once do not each make the same batch. */
const ensureBatches = async (context: ImportContext, made: readonly NewSale[], { batches }: Around): Promise<void> => {
  if (context.isDryRun) return;
  for (const { sale } of made) {
    if (sale.paidAt === null || batches.has(sale.payoutBatchId ?? '')) continue;
    await ensureImportedBatch(context, sale.paidAt);
    batches.add(sale.payoutBatchId ?? '');
  }
};

const writePack = async (context: ImportContext, pack: readonly NewSale[], around: Around): Promise<void> => {
  const { id } = context.program;
  const created = pack.flatMap(({ row, sale }) =>
    withImportMark(markOf(context, row), () => sales.createWrites(id, sale)),
  );
  await writeTogether([...created, ...orderWrites(id, pack, around), ...payoutWrites(id, pack)]);
  keepCustomers(pack, around);
};

const doneBefore = async (context: ImportContext, row: IdentifiedRow, sale: StoredSale) => {
  const key = sales.keyOf(context.program.id, sale.id);
  const item = await getItem('records', key, { attributes: `${importedAttribute}, version` });
  if (item?.[importedAttribute] !== markText(markOf(context, row))) return 'unchanged';
  return item.version === 1 ? 'created' : 'updated';
};

const importExisting = async (
  context: ImportContext,
  { row, sale }: NewSale,
  around: Around,
  { lookups }: SalesTools,
): Promise<RowResult> => {
  try {
    const credit = await creditOf(row.body, around.referralOf.get(row.body.email ?? ''), lookups);
    if (!context.isDryRun) await keepFirstSale(context.program.id, sale, around);
    const mark = markOf(context, row);
    const isChanged = await withImportMark(mark, () => updateImportedSale(context, sale, row, credit));
    return succeeded(row.row, isChanged ? 'updated' : await doneBefore(context, row, sale));
  } catch (error) {
    return refusedRow(row.row, error);
  }
};

const makeSale = async (
  { program }: ImportContext,
  row: IdentifiedRow,
  around: Around,
  { groups, lookups }: SalesTools,
): Promise<NewSale | RowResult> => {
  try {
    const credit = await creditOf(row.body, around.referralOf.get(row.body.email ?? ''), lookups);
    const firstSaleAt = around.customers.get(customerOf(row.body) ?? '')?.firstSaleAt;
    return { row, sale: importedSale(program, row, { credit, groups, firstSaleAt }) };
  } catch (error) {
    return refusedRow(row.row, error);
  }
};

const importOne = async (context: ImportContext, row: IdentifiedRow, tools: SalesTools): Promise<RowResult> => {
  for (let attempt = 1; ; attempt++) {
    const around = await readAround(context, [row], tools.lookups);
    const existing = around.existing.get(identityOf(row));
    if (existing) return importExisting(context, { row, sale: existing }, around, tools);
    const made = await makeSale(context, row, around, tools);
    if (!('sale' in made)) return made;
    try {
      await ensureBatches(context, [made], around);
      await writePack(context, [made], around);
      return succeeded(row.row, 'created');
    } catch (error) {
      if (!isChangedMeanwhile(error) || attempt === maxAttempts) return refusedRow(row.row, error);
    }
  }
};

/**
 * Imports a window of rows, none of which is about the same sale as another one. New sales are written many in one
 * transaction; each row of a transaction that fails is tried alone. May be repeated: what is there stays as it is.
 */
export const importSales = async (
  context: ImportContext,
  rows: readonly IdentifiedRow[],
  tools: SalesTools,
): Promise<RowResult[]> => {
  const around = await readAround(context, rows, tools.lookups);
  const results: RowResult[] = [];
  const fresh: NewSale[] = [];
  const known: NewSale[] = [];
  for (const row of rows) {
    const sale = around.existing.get(identityOf(row));
    if (sale) known.push({ row, sale });
    else {
      const made = await makeSale(context, row, around, tools);
      if ('sale' in made) fresh.push(made);
      else results.push(made);
    }
  }
  await ensureBatches(context, fresh, around);
  const packs = packsOf(fresh, context.isDryRun ? maxChecks : maxWrites);
  await forEachApart(packs, packsAtOnce, sharedItemsOf, async (pack) => {
    try {
      await writePack(context, pack, around);
      results.push(...pack.map(({ row }) => succeeded(row.row, 'created')));
    } catch (error) {
      if (!isChangedMeanwhile(error) && !(error instanceof ApiError)) throw error;
      for (const { row } of pack) results.push(await importOne(context, row, tools));
    }
  });
  await forEachConcurrent(known, updatesAtOnce, async (one) => {
    results.push(await importExisting(context, one, around, tools));
  });
  return results.toSorted((one, other) => one.row - other.row);
};
