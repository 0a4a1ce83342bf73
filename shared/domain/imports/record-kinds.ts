import { isDeepStrictEqual } from 'node:util';
import type { createAffiliate } from '../../contract/affiliates.ts';
import type { createCoupon } from '../../contract/coupons.ts';
import { ApiError, fieldError } from '../../contract/errors.ts';
import type { RowOutcome } from '../../contract/imports.ts';
import type { createLink } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { createPromotionalCode } from '../../contract/promotional-codes.ts';
import type { createReferral as createReferralOperation } from '../../contract/referrals.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { importedAttribute, markText, withImportMark } from '../../platform/table/import-mark.ts';
import { getItem, type ItemKey } from '../../platform/table/items.ts';
import { createAffiliate as newAffiliate } from '../affiliates/create-affiliate.ts';
import { createLink as newLink } from '../affiliates/create-link.ts';
import { links } from '../affiliates/link-repository.ts';
import { renameLink } from '../affiliates/rename-link.ts';
import { affiliates } from '../affiliates/repository.ts';
import { updateAffiliate } from '../affiliates/update-affiliate.ts';
import { createCoupon as newCoupon } from '../coupons/create-coupon.ts';
import { coupons } from '../coupons/repository.ts';
import { isForPayouts, type StoredCoupon } from '../coupons/rules.ts';
import { updateCoupon } from '../coupons/update-coupon.ts';
import { createPromotionalCode as newCode } from '../promotional-codes/create-promotional-code.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { updatePromotionalCode } from '../promotional-codes/update-promotional-code.ts';
import { updateReferral } from '../referrals/change-referral.ts';
import { createReferral as newReferral } from '../referrals/create-referral.ts';
import { referrals } from '../referrals/repository.ts';
import type { ImportContext, ImportRow } from './import-row.ts';
import {
  type AffiliateNames,
  type CouponNames,
  findCouponNamed,
  type NamedRecords,
  namedRecords,
} from './named-records.ts';
import { keptField } from './refusals.ts';
import { foundBy } from './remembered-reads.ts';

export interface Bodies {
  affiliates: BodyOf<typeof createAffiliate>;
  links: BodyOf<typeof createLink>;
  referrals: BodyOf<typeof createReferralOperation>;
  coupons: BodyOf<typeof createCoupon>;
  codes: Omit<BodyOf<typeof createPromotionalCode>, 'couponId'> & CouponNames;
}

interface RecordContext extends ImportContext {
  named: NamedRecords;
}

/** How rows of a kind become records: all but sales, which are written many at a time. */
interface RecordKind<Body, Found extends { id: string }> {
  store: { keyOf: (programId: string, id: string) => ItemKey };
  identity: (body: Body) => string;
  find: (programId: string, body: Body) => Promise<Found | undefined>;
  findAll?: (programId: string, bodies: readonly Body[]) => Promise<readonly (Found | undefined)[]>;
  create: (context: RecordContext, row: ImportRow<Body>) => Promise<unknown>;
  /** Writes the given fields that differ; returns whether there are any. */
  update: (context: RecordContext, found: Found, row: ImportRow<Body>) => Promise<boolean>;
}

const differing = <Body extends object>(
  { body, given }: ImportRow<Body>,
  shown: Readonly<Record<string, unknown>>,
): { [Name in keyof Body]?: NonNullable<Body[Name]> } => {
  const value = (one: unknown) => (one === '' || one === undefined ? null : one);
  const differs = ([name, is]: [string, unknown]) =>
    given.has(name) && !isDeepStrictEqual(value(is), value(shown[name]));
  // A cell that is empty gives no field, so no value is null.
  return Object.fromEntries(Object.entries(body).filter(differs)) as { [Name in keyof Body]?: NonNullable<Body[Name]> };
};

const refuseKept = (changes: object, ...kept: readonly string[]): void => {
  const field = kept.find((name) => name in changes);
  if (field) throw keptField(field);
};

const hasChanges = (changes: object): boolean => Object.keys(changes).length > 0;

const amountOf = (minor: number | null, currency: string | null): number | null =>
  minor === null ? null : fromMinor(minor, currency ?? 'USD');

/** Whether the row names another affiliate than the record's, or an affiliate where that has none. */
const namesAnother = async (
  { named }: RecordContext,
  { affiliateId, affiliateEmail }: AffiliateNames,
  found: { affiliateId: string | null },
): Promise<boolean> => {
  if (!affiliateId && !affiliateEmail) return false;
  return (await named.affiliate({ affiliateId, affiliateEmail })).id !== found.affiliateId;
};

const affiliateKind: RecordKind<Bodies['affiliates'], NonNullable<Awaited<ReturnType<typeof affiliates.get>>>> = {
  store: affiliates,
  identity: ({ email }) => email,
  ...foundBy(affiliates, 'EMAIL', ({ email }) => email),
  create: ({ program }, { body, createdAt }) => newAffiliate(program.id, body, createdAt),
  update: async ({ program, now }, found, row) => {
    const status = found.status.toLowerCase();
    const has = Object.values(found.links).some(
      ({ link }) => link.toLowerCase() === row.body.affiliateLink?.toLowerCase(),
    );
    const shown = {
      ...found,
      status,
      affiliateStatus: status,
      affiliateLink: has ? row.body.affiliateLink : undefined,
    };
    const { email: _email, ...changes } = differing(row, shown);
    if (!hasChanges(changes)) return false;
    await updateAffiliate(program.id, { ...changes, affiliateId: found.id }, undefined, now);
    return true;
  },
};

const linkKind: RecordKind<Bodies['links'], NonNullable<Awaited<ReturnType<typeof links.get>>>> = {
  store: links,
  identity: ({ link }) => link.toLowerCase(),
  ...foundBy(links, 'SLUG', ({ link }) => link.toLowerCase()),
  create: ({ program }, { body, createdAt }) => newLink(program.id, body, createdAt),
  update: async (context, found, row) => {
    const { program, now } = context;
    if (await namesAnother(context, row.body, found))
      throw fieldError('link', `The link ${row.body.link} belongs to another affiliate`);
    const { link, destinationUrl } = differing(row, { ...found });
    if (link === undefined && destinationUrl === undefined) return false;
    const changes = {
      ...(link !== undefined && { newLink: link }),
      ...(destinationUrl !== undefined && { destinationUrl }),
    };
    await renameLink(program.id, { ...changes, link: found.link }, undefined, now);
    return true;
  },
};

/** Credited to the affiliate of its code, if it has one: nobody where the code pays that affiliate. docs/behavior.md#imports */
const createReferral = async (
  { program, named }: RecordContext,
  { body, createdAt }: ImportRow<Bodies['referrals']>,
) => {
  const { promoCode, ...others } = body;
  if (!promoCode) return newReferral(program, others, createdAt);
  const found = await named.codeWithCoupon(promoCode);
  if (found?.coupon && isForPayouts(found.coupon))
    return newReferral(program, others, createdAt, { ...notIdempotent, rewardCodeId: found.code.id });
  if (!found?.code.affiliateId)
    throw fieldError('promoCode', `The code ${promoCode} does not exist, or has no affiliate`);
  return newReferral(program, { ...others, affiliateId: found.code.affiliateId }, createdAt);
};

const referralKind: RecordKind<Bodies['referrals'], NonNullable<Awaited<ReturnType<typeof referrals.get>>>> = {
  store: referrals,
  identity: ({ email }) => email,
  ...foundBy(referrals, 'EMAIL', ({ email }) => email),
  create: createReferral,
  update: async (context, found, row) => {
    const { program, now } = context;
    if (await namesAnother(context, row.body, found))
      throw fieldError('email', `The referral ${row.body.email} belongs to another affiliate`);
    const {
      affiliateId: _id,
      affiliateEmail: _email,
      promoCode: _code,
      clickId: _click,
      ...changes
    } = differing(row, { ...found });
    refuseKept(changes, 'referredUserExternalId');
    const { referredUserExternalId: _external, ...changed } = changes;
    if (!hasChanges(changed)) return false;
    await updateReferral(program.id, { ...changed, referralId: found.id }, undefined, now);
    return true;
  },
};

const shownCoupon = (coupon: StoredCoupon) => ({
  ...coupon,
  valid: coupon.enabled,
  amountOff: amountOf(coupon.amountOffMinor, coupon.currency),
});

const couponKind: RecordKind<Bodies['coupons'], StoredCoupon> = {
  store: coupons,
  identity: ({ externalId, name }) => externalId ?? name.toLowerCase(),
  find: (programId, { externalId, name }) =>
    externalId ? coupons.find(programId, 'EXTERNAL_ID', externalId) : findCouponNamed(programId, name),
  create: ({ program }, { body, createdAt }) => newCoupon(program.id, body, createdAt),
  update: async ({ program, now }, found, row) => {
    const changes = differing(row, shownCoupon(found));
    refuseKept(changes, 'currency', 'couponCategory');
    if (!hasChanges(changes)) return false;
    await updateCoupon(program.id, { ...changes, couponId: found.id }, undefined, now);
    return true;
  },
};

const codeKind: RecordKind<Bodies['codes'], NonNullable<Awaited<ReturnType<typeof promotionalCodes.get>>>> = {
  store: promotionalCodes,
  identity: ({ code }) => code ?? '',
  ...foundBy(promotionalCodes, 'CODE', ({ code }) => code ?? ''),
  create: async ({ program, named }, { body: { couponName, couponExternalId, ...body }, createdAt }) => {
    const coupon = await named.coupon({ couponId: body.couponId, couponName, couponExternalId });
    const affiliate = body.affiliateId || body.affiliateEmail ? await named.affiliate(body) : undefined;
    const read = async () => ({ coupon, affiliate });
    return newCode(program, { ...body, couponId: coupon.id }, createdAt, { ...notIdempotent, read });
  },
  update: async (context, found, row) => {
    const { program, now } = context;
    const { couponId, couponName, couponExternalId, ...body } = row.body;
    const names = { couponId, couponName, couponExternalId };
    if (Object.values(names).some(Boolean) && (await context.named.coupon(names)).id !== found.couponId)
      throw fieldError('code', `The code ${found.code} belongs to another coupon`);
    if (await namesAnother(context, body, found))
      throw fieldError('code', `The code ${found.code} belongs to another affiliate`);
    const minimumAmount = amountOf(found.minimumAmountMinor, found.minimumAmountCurrency);
    const {
      affiliateId: _id,
      affiliateEmail: _email,
      code: _code,
      ...changes
    } = differing({ ...row, body }, { ...found, minimumAmount });
    if (!hasChanges(changes)) return false;
    await updatePromotionalCode(program, { ...changes, promotionalCodeId: found.id }, undefined, now);
    return true;
  },
};

type RowOfKind<Body> = (row: ImportRow<Body>) => Promise<Exclude<RowOutcome, 'refused'>>;

export interface RecordImporter<Body> {
  identity: (body: Body) => string;
  /** What imports each row of a window. Repeating it changes nothing; it throws for a row that is to be refused. */
  forRows: (context: ImportContext, rows: readonly ImportRow<Body>[]) => Promise<RowOfKind<Body>>;
}

const isTaken = (error: unknown): boolean => error instanceof ApiError && error.code === 'already_exists';

/** What the record says that this very row did, where a step of the import is repeated. */
const doneBefore = async (mark: string, key: ItemKey): Promise<'created' | 'updated' | undefined> => {
  const item = await getItem('records', key, { attributes: `${importedAttribute}, version` });
  if (item?.[importedAttribute] !== mark) return undefined;
  return item.version === 1 ? 'created' : 'updated';
};

const importRow = <Body, Found extends { id: string }>(
  kind: RecordKind<Body, Found>,
  context: RecordContext,
  row: ImportRow<Body>,
  find: () => Promise<Found | undefined>,
): ReturnType<RowOfKind<Body>> => {
  const { program, importId, makesEvents } = context;
  const mark = { importId, row: row.row, makesEvents };
  const withFound = async (found: Found) => {
    if (await kind.update(context, found, row)) return 'updated';
    return (await doneBefore(markText(mark), kind.store.keyOf(program.id, found.id))) ?? 'unchanged';
  };
  return withImportMark(mark, async () => {
    const found = await find();
    if (found) return withFound(found);
    try {
      await kind.create(context, row);
      return 'created';
    } catch (error) {
      // Somebody created it since.
      const foundNow = isTaken(error) ? await kind.find(program.id, row.body) : undefined;
      if (!foundNow) throw error;
      return withFound(foundNow);
    }
  });
};

const importerOf = <Body, Found extends { id: string }>(kind: RecordKind<Body, Found>): RecordImporter<Body> => ({
  identity: kind.identity,
  forRows: async (importContext, rows) => {
    const { id } = importContext.program;
    const context = { ...importContext, named: namedRecords(id) };
    const bodies = rows.map(({ body }) => body);
    const [all] = await Promise.all([kind.findAll?.(id, bodies), context.named.ahead(bodies as object[])]);
    const found = new Map(all?.map((one, at) => [rows[at]?.row, one]));
    return (row) => importRow(kind, context, row, async () => (all ? found.get(row.row) : kind.find(id, row.body)));
  },
});

export const rowImporters: { [Kind in keyof Bodies]: RecordImporter<Bodies[Kind]> } = {
  affiliates: importerOf(affiliateKind),
  links: importerOf(linkKind),
  referrals: importerOf(referralKind),
  coupons: importerOf(couponKind),
  codes: importerOf(codeKind),
};
