import type { ImportKind } from '../../contract/imports.ts';
import { decimalText } from '../../platform/money/money.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';
import { links } from '../affiliates/link-repository.ts';
import type { StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { coupons, couponsNamed } from '../coupons/repository.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';
import { sales } from '../sales/repository.ts';
import type { StoredSale } from '../sales/rules.ts';
import type { Source } from './exported-kinds.ts';

/** Cells by column name. A missing column is empty. */
export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface Recorded {
  createdAt: string;
}
type Metadata = Readonly<Record<string, string | number | boolean>>;

export const metadataColumn = (key: string): string => `metadata.${key}`;

const metadataCells = (metadata: Metadata): Row =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [metadataColumn(key), value]));

const common = ({ createdAt, metadata = {} }: Recorded & { metadata?: Metadata }): Row => ({
  createdAt,
  ...metadataCells(metadata),
});

const amount = (minor: number | null, currency: string | null): string | null =>
  minor === null ? null : decimalText(minor, currency ?? 'USD');

const idsOf = (items: readonly object[], field: string): string[] =>
  items.flatMap((item) => {
    const id: unknown = Reflect.get(item, field);
    return typeof id === 'string' ? [id] : [];
  });

type Found<Item> = ReadonlyMap<string, Item>;

const oldestLinkOf = ({ links: own }: StoredAffiliate): string | undefined =>
  Object.entries(own).toSorted(([one], [other]) => (one < other ? -1 : 1))[0]?.[1].link;

const affiliateRow = (affiliate: StoredAffiliate): Row => ({
  ...common(affiliate),
  email: affiliate.email,
  firstName: affiliate.firstName,
  lastName: affiliate.lastName,
  commissionRate: affiliate.commissionRate,
  affiliateLink: oldestLinkOf(affiliate),
  affiliateStatus: affiliate.status === 'ACTIVE' ? 'active' : 'inactive',
  payoutEmail: affiliate.payoutEmail,
  paymentMethod: affiliate.paymentMethod,
  externalId: affiliate.externalId,
});

const linkRows = async (programId: string, items: readonly StoredLink[]): Promise<Row[]> => {
  const owners = await affiliates.getMany(programId, idsOf(items, 'affiliateId'));
  return items.map((link) => ({
    ...common(link),
    link: link.link,
    affiliateEmail: owners.get(link.affiliateId)?.email,
    destinationUrl: link.destinationUrl,
  }));
};

/** The credited affiliate, named by the link if there is one: another program finds a link by its text. */
const creditOf = (
  { affiliateId, affiliateLinkId }: { affiliateId: string | null; affiliateLinkId: string | null },
  owners: Found<StoredAffiliate>,
  linksById: Found<StoredLink>,
): { slug: string | undefined; email: string | undefined } => {
  const link = linksById.get(affiliateLinkId ?? '');
  return {
    slug: link?.affiliateId === affiliateId ? link.link : undefined,
    email: owners.get(affiliateId ?? '')?.email,
  };
};

const creditedBy = (programId: string, items: readonly object[]) =>
  Promise.all([
    affiliates.getMany(programId, idsOf(items, 'affiliateId')),
    links.getMany(programId, idsOf(items, 'affiliateLinkId')),
  ]);

const referralRows = async (programId: string, items: readonly StoredReferral[]): Promise<Row[]> => {
  const [owners, linksById] = await creditedBy(programId, items);
  return items.map((referral) => {
    const { slug, email } = creditOf(referral, owners, linksById);
    return {
      ...common(referral),
      name: referral.name,
      email: referral.email,
      referredUserExternalId: referral.referredUserExternalId,
      ...(slug === undefined ? { affiliateEmail: email } : { affiliateId: slug }),
      plan: referral.plan,
    };
  });
};

/** A coupon without an external id that shares its name with another one gets its own id as external id. */
const externalIdsOf = async (programId: string, items: Iterable<StoredCoupon>): Promise<Found<string>> => {
  const known = new Map<string, string>();
  for (const { id, name, externalId } of items) {
    if (externalId !== null) known.set(id, externalId);
    else if ((await coupons.newestIds(programId, couponsNamed(name), 2)).length > 1) known.set(id, id);
  }
  return known;
};

const couponRows = async (programId: string, items: readonly StoredCoupon[]): Promise<Row[]> => {
  const externalIds = await externalIdsOf(programId, items);
  return items.map((coupon) => ({
    ...common(coupon),
    name: coupon.name,
    couponType: coupon.couponType,
    percentOff: coupon.percentOff,
    amountOff: amount(coupon.amountOffMinor, coupon.currency),
    currency: coupon.currency,
    duration: coupon.duration,
    durationInMonths: coupon.durationInMonths,
    maxRedemptions: coupon.maxRedemptions,
    couponCategory: coupon.couponCategory,
    limitToProducts: coupon.limitToProducts,
    productIds: coupon.productIds.join(';'),
    collectionIds: coupon.collectionIds.join(';'),
    valid: coupon.enabled,
    redeemBy: coupon.redeemBy,
    externalId: externalIds.get(coupon.id),
    integrationType: coupon.integrationType,
  }));
};

const codeRows = async (programId: string, items: readonly StoredPromotionalCode[]): Promise<Row[]> => {
  const [owners, couponsById] = await Promise.all([
    affiliates.getMany(programId, idsOf(items, 'affiliateId')),
    coupons.getMany(programId, idsOf(items, 'couponId')),
  ]);
  const externalIds = await externalIdsOf(programId, couponsById.values());
  return items.map((code) => {
    const couponExternalId = externalIds.get(code.couponId);
    return {
      ...common(code),
      code: code.code,
      ...(couponExternalId === undefined ? { couponName: couponsById.get(code.couponId)?.name } : { couponExternalId }),
      affiliateEmail: owners.get(code.affiliateId ?? '')?.email,
      externalId: code.externalId,
      active: code.active,
      expiresAt: code.expiresAt,
      maxRedemptions: code.maxRedemptions,
      firstTimeOrder: code.firstTimeOrder,
      minimumAmount: amount(code.minimumAmountMinor, code.minimumAmountCurrency),
      minimumAmountCurrency: code.minimumAmountCurrency,
      limitToCustomers: code.limitToCustomers,
      customerId: code.customerId,
      limitToAffiliate: code.limitToAffiliate,
    };
  });
};

/** There is no commission without an affiliate. A flat one is the amount before refunds. */
const commissionCells = ({ commissionRule, commissionRate }: StoredSale, currency: string): Row =>
  commissionRule?.type === 'FLAT'
    ? { commissionAmount: amount(commissionRule.amountMinor, currency) }
    : { commissionRate: commissionRule?.rate ?? commissionRate };

const productCells = ({ productsBought: [product] }: StoredSale): Row =>
  product
    ? {
        'product.productId': product.productId,
        'product.name': product.name,
        'product.quantity': product.quantity,
        'product.price': product.price,
      }
    : {};

const saleRows = async ({ id, currency }: Source['program'], items: readonly StoredSale[]): Promise<Row[]> => {
  const [[owners, linksById], codes] = await Promise.all([
    creditedBy(id, items),
    promotionalCodes.getMany(id, idsOf(items, 'promotionalCodeId')),
  ]);
  return items.map((sale) => {
    const { slug, email } = creditOf(sale, owners, linksById);
    const code = codes.get(sale.promotionalCodeId ?? '');
    // A code that belongs to another affiliate by now would credit them.
    const creditsSame = code !== undefined && (code.affiliateId === null || code.affiliateId === sale.affiliateId);
    return {
      ...common(sale),
      totalEarned: amount(sale.totalEarnedMinor, currency),
      currency,
      referralId: slug,
      email: sale.email,
      name: sale.name,
      promoCode: creditsSame ? code.code : undefined,
      externalId: sale.externalId,
      externalInvoiceId: sale.externalInvoiceId,
      customerId: sale.customerId,
      ...productCells(sale),
      affiliateEmail: email,
      // An import refuses a commission that nobody is credited with.
      ...(email !== undefined && { ...commissionCells(sale, currency), paidAt: sale.paidAt }),
      ...(sale.refundedAmountMinor > 0 && {
        refundedAmount: amount(sale.refundedAmountMinor, currency),
        refundedAt: sale.refundedAt,
      }),
    };
  });
};

type Program = Source['program'];

const rowsOf = <Item>(
  store: { page: (programId: string, request: PageRequest) => Promise<Page<Item>> },
  toRows: (items: readonly Item[], program: Program) => Promise<readonly Row[]> | readonly Row[],
) =>
  async function* ({ program, pages }: Source): AsyncGenerator<readonly Row[]> {
    for await (const items of pages((request) => store.page(program.id, request))) yield await toRows(items, program);
  };

/** The rows of each kind that an import reads, a page of records at a time. */
export const csvRows: { readonly [Kind in ImportKind]: (source: Source) => AsyncGenerator<readonly Row[]> } = {
  affiliates: rowsOf(affiliates, (items) => items.map(affiliateRow)),
  links: rowsOf(links, (items, { id }) => linkRows(id, items)),
  referrals: rowsOf(referrals, (items, { id }) => referralRows(id, items)),
  coupons: rowsOf(coupons, (items, { id }) => couponRows(id, items)),
  codes: rowsOf(promotionalCodes, (items, { id }) => codeRows(id, items)),
  sales: rowsOf(sales, (items, program) => saleRows(program, items)),
};

/** Import columns that an export omits: ids, which another program does not have, and what other columns say already. */
export const unusedColumns: { readonly [Kind in ImportKind]: readonly string[] } = {
  affiliates: ['status', 'groupId', 'fullName'],
  links: ['affiliateId'],
  referrals: ['promoCode', 'firstName', 'lastName'],
  coupons: [],
  codes: ['couponId', 'affiliateId'],
  sales: ['affiliateId', 'firstOrder', 'state', 'isPaid'],
};
