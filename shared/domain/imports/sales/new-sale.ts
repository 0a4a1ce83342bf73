import { createHash, randomInt } from 'node:crypto';
import { fieldError } from '../../../contract/errors.ts';
import { boundedMinor, positiveMinor } from '../../../platform/money/money.ts';
import { derivedId } from '../../../platform/table/derived-id.ts';
import { searchWordsOf } from '../../../platform/table/search.ts';
import { dayIn, startOfDayIn } from '../../../platform/time/days.ts';
import type { StoredAffiliate } from '../../affiliates/rules.ts';
import { commissionOf, earnedMinor, type History, type StoredCommissionRule } from '../../commissions/rules.ts';
import { groupOf, type StoredGroups } from '../../groups/rules.ts';
import { type StoredSale, statusOf } from '../../sales/rules.ts';
import { importedSaleId } from '../../sales/sale-id.ts';
import type { ImportContext } from '../import-row.ts';
import type { Credit } from './credit.ts';
import type { IdentifiedRow, SaleBody } from './sale-row.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

type Program = ImportContext['program'];

/** The batch of what was paid elsewhere on a day. docs/behavior.md#imports */
export const importedBatchOfDay = ({ id, timeZone }: Program, day: string) => {
  const at = startOfDayIn(timeZone, day);
  return { id: derivedId(new Date(at), id, 'IMPORTED', day), at };
};

export const importedBatchOf = (program: Program, paidAt: string) =>
  importedBatchOfDay(program, dayIn(program.timeZone, paidAt));

/** Of what is known before the sale: the months of a group count, its tiers do not, since they are of the time when it was sold. */
const historyOf = (program: Program, firstSaleAt: string | undefined): History => {
  const nothing = { revenueMinor: 0n, sales: 0 };
  return {
    firstSaleDay: firstSaleAt === undefined ? undefined : dayIn(program.timeZone, firstSaleAt),
    figures: { ALL_TIME: nothing, MONTH: nothing },
  };
};

const flatRule = (amountMinor: number, groupId: string): StoredCommissionRule => ({
  source: 'SALE',
  type: 'FLAT',
  rate: null,
  amountMinor,
  groupId,
  tier: null,
  overSince: null,
});

interface Given {
  credit: Credit;
  groups: StoredGroups;
  firstSaleAt: string | undefined;
}

const earningOf = (
  program: Program,
  row: IdentifiedRow,
  affiliate: StoredAffiliate | undefined,
  amounts: { totalEarnedMinor: number; refundedAmountMinor: number },
  { groups, firstSaleAt }: Given,
): Pick<StoredSale, 'commissionRate' | 'commissionRule' | 'commissionEarnedMinor' | 'payableAt'> => {
  const { body, createdAt } = row;
  if (!affiliate)
    return { commissionRate: 0, commissionRule: null, commissionEarnedMinor: 0, payableAt: createdAt.toISOString() };
  const group = groupOf(affiliate, groups, program);
  const toEarn = {
    totalEarnedMinor: amounts.totalEarnedMinor,
    day: dayIn(program.timeZone, createdAt),
    productIds: body.product ? [body.product.productId] : [],
    commissionRate: body.commissionRate ?? null,
  };
  const rule =
    body.commissionAmount == null
      ? commissionOf(toEarn, affiliate, group, historyOf(program, firstSaleAt)).rule
      : flatRule(boundedMinor('commissionAmount', body.commissionAmount, program.currency), group.id);
  return {
    commissionRate: rule?.rate ?? 0,
    commissionRule: rule,
    commissionEarnedMinor: rule ? earnedMinor(rule, amounts.totalEarnedMinor, amounts.refundedAmountMinor) : 0,
    payableAt: new Date(createdAt.getTime() + group.holdDays * dayMilliseconds).toISOString(),
  };
};

/** In minor units. Throws a field error for amounts that contradict each other. */
export const amountsOf = ({ currency }: Program, { totalEarned, refundedAmount }: SaleBody) => {
  const totalEarnedMinor = positiveMinor('totalEarned', totalEarned, currency);
  const refundedAmountMinor = refundedAmount == null ? 0 : boundedMinor('refundedAmount', refundedAmount, currency);
  if (refundedAmountMinor > totalEarnedMinor)
    throw fieldError('refundedAmount', 'refundedAmount must not be above totalEarned');
  return { totalEarnedMinor, refundedAmountMinor };
};

/** The sale of a row, as it is after its refund and payout. Throws a field error where the row contradicts itself. */
export const importedSale = (program: Program, row: IdentifiedRow, given: Given): StoredSale => {
  const { body, createdAt, importKey } = row;
  const { affiliate, affiliateLinkId, referral, promotionalCodeId } = given.credit;
  if (body.paidAt && !affiliate) throw fieldError('paidAt', 'paidAt needs an affiliate who was paid');
  const amounts = amountsOf(program, body);
  const at = createdAt.toISOString();
  const paidAt = body.paidAt ?? null;
  const customer = { name: body.name ?? referral?.name ?? null, email: body.email ?? referral?.email ?? null };
  return {
    id: importedSaleId(createdAt, randomInt),
    createdAt: at,
    updatedAt: at,
    version: 1,
    day: dayIn(program.timeZone, createdAt),
    affiliateId: affiliate?.id ?? null,
    referralId: referral?.id ?? null,
    affiliateLinkId,
    referringHost: null,
    promotionalCodeId,
    redemption: null,
    externalId: body.externalId ?? null,
    externalInvoiceId: body.externalInvoiceId ?? null,
    customerId: body.customerId ?? null,
    ...customer,
    searchWords: searchWordsOf(customer),
    ...amounts,
    ...earningOf(program, row, affiliate, amounts, given),
    productsBought: body.product
      ? [{ name: null, quantity: null, price: null, ...body.product }].map(({ productId, name, quantity, price }) => ({
          productId,
          name: name ?? null,
          quantity: quantity ?? null,
          price: price ?? null,
        }))
      : [],
    status: statusOf(amounts.totalEarnedMinor, amounts.refundedAmountMinor),
    reviewStatus: null,
    reviewReasons: [],
    refundedAt: amounts.refundedAmountMinor === 0 ? null : (body.refundedAt ?? at),
    payoutBatchId: paidAt === null ? null : importedBatchOf(program, paidAt).id,
    paidAt,
    source: 'IMPORTED',
    importKey,
    attribution: affiliate ? { via: 'IMPORT', affiliateLinkId, promotionalCodeId, clickedAt: null } : null,
    inStatistics: true,
    // No request has this content: one with the same external id is another sale.
    contentHash: createHash('sha256').update(`IMPORT ${row.row} ${importKey}`).digest('base64url'),
    metadata: body.metadata ?? {},
  };
};
