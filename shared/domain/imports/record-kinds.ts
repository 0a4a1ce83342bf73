import { isDeepStrictEqual } from 'node:util';
import type { createAffiliate } from '../../contract/affiliates.ts';
import type { createCoupon } from '../../contract/coupons.ts';
import { ApiError, fieldError } from '../../contract/errors.ts';
import type { RowOutcome } from '../../contract/imports.ts';
import type { createLink } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { createPromotionalCode } from '../../contract/promotional-codes.ts';
import type { createReferral } from '../../contract/referrals.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { importedAttribute, markText, withImportMark } from '../../platform/table/import-mark.ts';
import { getItem, type ItemKey } from '../../platform/table/items.ts';
import { createAffiliate as newAffiliate } from '../affiliates/create-affiliate.ts';
import { createLink as newLink } from '../affiliates/create-link.ts';
import { links } from '../affiliates/link-repository.ts';
import { renameLink } from '../affiliates/rename-link.ts';
import { affiliates, findAffiliate } from '../affiliates/repository.ts';
import { updateAffiliate } from '../affiliates/update-affiliate.ts';
import { createCoupon as newCoupon } from '../coupons/create-coupon.ts';
import { coupons, couponsNamed } from '../coupons/repository.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { updateCoupon } from '../coupons/update-coupon.ts';
import { createPromotionalCode as newCode } from '../promotional-codes/create-promotional-code.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { updatePromotionalCode } from '../promotional-codes/update-promotional-code.ts';
import { updateReferral } from '../referrals/change-referral.ts';
import { createReferral as newReferral } from '../referrals/create-referral.ts';
import { referrals } from '../referrals/repository.ts';
import type { ImportContext, ImportRow } from './import-row.ts';
import { keptField } from './refusals.ts';

interface Named {
  affiliateId?: string | null | undefined;
  affiliateEmail?: string | null | undefined;
}

interface CouponNames {
  couponId?: string | null | undefined;
  couponName?: string | null | undefined;
  couponExternalId?: string | null | undefined;
}

export interface Bodies {
  affiliates: BodyOf<typeof createAffiliate>;
  links: BodyOf<typeof createLink>;
  referrals: BodyOf<typeof createReferral>;
  coupons: BodyOf<typeof createCoupon>;
  codes: Omit<BodyOf<typeof createPromotionalCode>, 'couponId'> & CouponNames;
}

/** How rows of a kind become records: all but sales, which are written many at a time. */
interface RecordKind<Body, Found extends { id: string }> {
  store: { keyOf: (programId: string, id: string) => ItemKey };
  identity: (body: Body) => string;
  find: (context: ImportContext, body: Body) => Promise<Found | undefined>;
  create: (context: ImportContext, row: ImportRow<Body>) => Promise<unknown>;
  /** Writes the given fields that differ; returns whether there are any. */
  update: (context: ImportContext, found: Found, row: ImportRow<Body>) => Promise<boolean>;
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
  { program }: ImportContext,
  { affiliateId, affiliateEmail }: Named,
  found: { affiliateId: string | null },
): Promise<boolean> => {
  if (!affiliateId && !affiliateEmail) return false;
  return (await findAffiliate(program.id, { affiliateId, affiliateEmail })).id !== found.affiliateId;
};

const affiliateKind: RecordKind<Bodies['affiliates'], NonNullable<Awaited<ReturnType<typeof affiliates.get>>>> = {
  store: affiliates,
  identity: ({ email }) => email,
  find: ({ program }, { email }) => affiliates.find(program.id, 'EMAIL', email),
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
  find: ({ program }, { link }) => links.find(program.id, 'SLUG', link.toLowerCase()),
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

/** The affiliate of the code that a sign-up came by. The code is not redeemed again. docs/behavior.md#imports */
const creditedBody = async (context: ImportContext, body: Bodies['referrals']): Promise<Bodies['referrals']> => {
  const { promoCode, ...others } = body;
  if (!promoCode || others.affiliateId || others.affiliateEmail) return others;
  const code = await promotionalCodes.findName(context.program.id, 'CODE', promoCode);
  if (typeof code?.affiliateId !== 'string')
    throw fieldError('promoCode', `The code ${promoCode} does not exist, or has no affiliate`);
  return { ...others, affiliateId: code.affiliateId };
};

const referralKind: RecordKind<Bodies['referrals'], NonNullable<Awaited<ReturnType<typeof referrals.get>>>> = {
  store: referrals,
  identity: ({ email }) => email,
  find: ({ program }, { email }) => referrals.find(program.id, 'EMAIL', email),
  create: async (context, { body, createdAt }) =>
    newReferral(context.program, await creditedBody(context, body), createdAt),
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

/** By externalId; without one by its name, if no other coupon has it. */
const findCoupon = async (
  programId: string,
  externalId: string | null | undefined,
  name: string | null | undefined,
) => {
  if (externalId) return coupons.find(programId, 'EXTERNAL_ID', externalId);
  if (!name) return undefined;
  const { items } = await coupons.page(programId, { limit: 2 }, couponsNamed(name));
  if (items.length > 1)
    throw fieldError('name', `Several coupons are called ${name}. Name the coupon by its external id.`);
  return items[0];
};

const shownCoupon = (coupon: StoredCoupon) => ({
  ...coupon,
  valid: coupon.enabled,
  amountOff: amountOf(coupon.amountOffMinor, coupon.currency),
});

const couponKind: RecordKind<Bodies['coupons'], StoredCoupon> = {
  store: coupons,
  identity: ({ externalId, name }) => externalId ?? name.toLowerCase(),
  find: ({ program }, { externalId, name }) => findCoupon(program.id, externalId, name),
  create: ({ program }, { body, createdAt }) => newCoupon(program.id, body, createdAt),
  update: async ({ program, now }, found, row) => {
    const changes = differing(row, shownCoupon(found));
    refuseKept(changes, 'currency', 'couponCategory');
    if (!hasChanges(changes)) return false;
    await updateCoupon(program.id, { ...changes, couponId: found.id }, undefined, now);
    return true;
  },
};

const couponOfCode = async (programId: string, { couponId, couponName, couponExternalId }: CouponNames) => {
  const found = couponId
    ? await coupons.get(programId, couponId)
    : await findCoupon(programId, couponExternalId, couponName);
  if (!found) throw new ApiError('not_found', 'Coupon not found');
  return found;
};

const codeKind: RecordKind<Bodies['codes'], NonNullable<Awaited<ReturnType<typeof promotionalCodes.get>>>> = {
  store: promotionalCodes,
  identity: ({ code }) => code ?? '',
  find: ({ program }, { code }) => promotionalCodes.find(program.id, 'CODE', code ?? ''),
  create: async ({ program }, { body: { couponName, couponExternalId, ...body }, createdAt }) => {
    const coupon = await couponOfCode(program.id, { couponId: body.couponId, couponName, couponExternalId });
    return newCode(program, { ...body, couponId: coupon.id }, createdAt);
  },
  update: async (context, found, row) => {
    const { program, now } = context;
    const { couponId, couponName, couponExternalId, ...body } = row.body;
    const named = { couponId, couponName, couponExternalId };
    if (Object.values(named).some(Boolean) && (await couponOfCode(program.id, named)).id !== found.couponId)
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

/** Imports one row of a kind. Repeating it changes nothing. Throws for a row that is to be refused. */
export interface RowImporter<Body> {
  identity: (body: Body) => string;
  importRow: (context: ImportContext, row: ImportRow<Body>) => Promise<Exclude<RowOutcome, 'refused'>>;
}

const isTaken = (error: unknown): boolean => error instanceof ApiError && error.code === 'already_exists';

/** What the record says that this very row did, where a step of the import is repeated. */
const doneBefore = async (mark: string, key: ItemKey): Promise<'created' | 'updated' | undefined> => {
  const item = await getItem('records', key, { attributes: `${importedAttribute}, version` });
  if (item?.[importedAttribute] !== mark) return undefined;
  return item.version === 1 ? 'created' : 'updated';
};

const importerOf = <Body, Found extends { id: string }>(kind: RecordKind<Body, Found>): RowImporter<Body> => ({
  identity: kind.identity,
  importRow: (context, row) => {
    const mark = { importId: context.importId, row: row.row, makesEvents: context.makesEvents };
    const withFound = async (found: Found) => {
      if (await kind.update(context, found, row)) return 'updated';
      return (await doneBefore(markText(mark), kind.store.keyOf(context.program.id, found.id))) ?? 'unchanged';
    };
    return withImportMark(mark, async () => {
      const found = await kind.find(context, row.body);
      if (found) return withFound(found);
      try {
        await kind.create(context, row);
        return 'created';
      } catch (error) {
        // Somebody created it since.
        const foundNow = isTaken(error) ? await kind.find(context, row.body) : undefined;
        if (!foundNow) throw error;
        return withFound(foundNow);
      }
    });
  },
});

export const rowImporters: { [Kind in keyof Bodies]: RowImporter<Bodies[Kind]> } = {
  affiliates: importerOf(affiliateKind),
  links: importerOf(linkKind),
  referrals: importerOf(referralKind),
  coupons: importerOf(couponKind),
  codes: importerOf(codeKind),
};
