import type { ImportKind, ImportPreset } from '../../../contract/imports.ts';
import { csvLines } from '../../../platform/text/csv.ts';
import { readCells } from './cells.ts';
import { columnNamed, columnsOf, createOperations, mergedColumns, missingColumns } from './columns.ts';
import { presets } from './presets/presets.ts';
import type { Mapping } from './read-rows.ts';
import { wordOf } from './words.ts';

/** What people call a column, beside its name. Of several columns of a kind the first is meant. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  email: ['email address', 'e-mail', 'mail', 'customer email', 'customer email address'],
  fullName: ['full name', 'name', 'affiliate name', 'partner name', 'affiliate'],
  name: ['full name', 'customer name', 'customer', 'coupon name', 'title'],
  firstName: ['given name', 'forename'],
  lastName: ['surname', 'family name'],
  'affiliates.commissionRate': ['commission'],
  commissionRate: ['commission percent', 'commission percentage', 'rate'],
  commissionAmount: ['commission', 'commission earned', 'earnings', 'earned commission', 'reward'],
  affiliateLink: ['link', 'slug', 'token', 'referral link', 'ref', 'referral code'],
  link: ['slug', 'token', 'referral link', 'ref', 'link token'],
  destinationUrl: ['destination', 'url', 'landing page', 'target'],
  payoutEmail: ['paypal', 'paypal email', 'payout address', 'payment email'],
  paymentMethod: ['payout method', 'payment'],
  externalId: ['id', 'order id', 'order number', 'order', 'reference', 'external reference'],
  externalInvoiceId: ['invoice id', 'invoice', 'invoice number', 'charge id', 'transaction id'],
  referredUserExternalId: ['user id', 'customer id', 'external id'],
  customerId: ['customer', 'user id'],
  affiliateEmail: ['partner email', 'promoter email', 'referrer email', 'referred by', 'affiliate'],
  promoCode: ['code', 'coupon', 'coupon code', 'discount code', 'promotional code'],
  code: ['coupon code', 'discount code', 'promotional code', 'promo code'],
  couponName: ['coupon', 'discount'],
  totalEarned: ['amount', 'sale amount', 'total', 'revenue', 'sale', 'order total', 'price', 'net amount'],
  refundedAmount: ['refund', 'refund amount', 'refunded'],
  refundedAt: ['refund date', 'refunded on'],
  paidAt: ['payment date', 'paid on', 'payout date', 'paid date'],
  createdAt: [
    'created',
    'created on',
    'creation date',
    'date',
    'signed up at',
    'sign up date',
    'signup date',
    'joined',
    'joined at',
    'enrolled at',
    'date created',
  ],
  plan: ['subscription', 'subscription plan', 'product'],
  percentOff: ['percent', 'percentage', 'discount percent'],
  amountOff: ['discount amount'],
  redeemBy: ['expires', 'expires at', 'expiry date', 'valid until'],
  expiresAt: ['expires', 'expiry date', 'valid until', 'expiration date'],
  maxRedemptions: ['usage limit', 'max uses', 'redemption limit'],
  state: ['status', 'commission status'],
  isPaid: ['paid'],
  'product.productId': ['product id', 'sku'],
  'product.name': ['product', 'product name'],
  'product.quantity': ['quantity'],
  'product.price': ['unit price', 'product price'],
};

type Guess = (header: string) => string | null | undefined;

const presetGuess = (kind: ImportKind, preset: ImportPreset | undefined): Guess => {
  const columns = Object.entries((preset && presets[preset].columns[kind]) ?? {});
  const known = new Map(columns.map(([header, column]) => [wordOf(header), column]));
  return (header) => known.get(wordOf(header));
};

const nameGuess = (kind: ImportKind): Guess => {
  const known = new Map(columnsOf(kind).map(({ name }) => [wordOf(name), name]));
  return (header) => columnNamed(kind, known.get(wordOf(header)) ?? header)?.name;
};

const synonymGuess = (kind: ImportKind): Guess => {
  const known = new Map<string, string>();
  for (const { name } of columnsOf(kind))
    for (const synonym of [...(synonyms[`${kind}.${name}`] ?? []), ...(synonyms[name] ?? [])])
      if (!known.has(wordOf(synonym))) known.set(wordOf(synonym), name);
  return (header) => known.get(wordOf(header));
};

const excludes = (column: string, taken: ReadonlySet<string>): boolean =>
  column === 'fullName' && taken.has('firstName');

/**
 * The column of each header: what the preset says, else the column of that name, in any spelling, else a usual synonym. The first of
 * two headers for one column gets it. `missing` are the required columns that no header is for.
 */
export const guessMapping = (
  kind: ImportKind,
  headers: readonly string[],
  preset?: ImportPreset,
): { mapping: Mapping; missing: string[] } => {
  const taken = new Set<string>();
  const found = new Map<string, string | null>();
  const exact: Guess = (header) => columnNamed(kind, header)?.name;
  for (const guess of [presetGuess(kind, preset), exact, nameGuess(kind), synonymGuess(kind)])
    for (const header of headers) {
      const column = found.has(header) ? undefined : guess(header);
      if (column === null) found.set(header, null);
      if (!column || taken.has(column) || excludes(column, taken)) continue;
      taken.add(column);
      found.set(header, column);
    }
  const mapping = Object.fromEntries(headers.map((header) => [header, found.get(header) ?? null]));
  return { mapping, missing: missingColumns(kind, taken) };
};

const rowsOfHead = 10;

/** The headers and the first ten rows of a file, as they are; reads no further. Throws an ImportFileError as `readRows` does. */
export const headOf = async (bytes: AsyncIterable<Uint8Array>): Promise<{ headers: string[]; rows: string[][] }> => {
  const rows: string[][] = [];
  for await (const { cells } of readCells(bytes)) {
    rows.push(cells.map((cell) => cell.trim()));
    if (rows.length > rowsOfHead) break;
  }
  const [headers = [], ...first] = rows;
  return { headers, rows: first };
};

const sampleTime = '2024-01-31T12:00:00Z';

const sampleCell = (example: unknown, path: readonly string[]): string => {
  const value = path.reduce<unknown>(
    (inner, key) => (inner !== null && typeof inner === 'object' ? Reflect.get(inner, key) : undefined),
    example,
  );
  return Array.isArray(value) ? value.join(';') : String(value ?? '');
};

/** A CSV file with every column of a kind and one sample row, which the reader accepts. */
export const templateOf = (kind: ImportKind): string => {
  const { body } = createOperations[kind].example;
  const merged: readonly string[] = mergedColumns;
  const columns = columnsOf(kind).filter(
    ({ type, place, name }) => type !== 'metadata' && !(place === 'extra' && merged.includes(name)),
  );
  const cellOf = ({ name, path }: (typeof columns)[number]): string =>
    name === 'createdAt' ? sampleTime : sampleCell(body, path);
  return csvLines([columns.map(({ name }) => name), columns.map(cellOf)]);
};
