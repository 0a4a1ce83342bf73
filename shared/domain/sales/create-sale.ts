import { createHash, randomInt } from 'node:crypto';
import type { BodyOf } from '../../contract/operation.ts';
import type { createSale as operation } from '../../contract/sales.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import type { OnFound } from '../../platform/concurrency/on-found.ts';
import { positiveMinor } from '../../platform/money/money.ts';
import { type IdempotencyContext, notIdempotent } from '../../platform/table/idempotency-context.ts';
import { recordSource } from '../../platform/table/import-mark.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { dayIn } from '../../platform/time/days.ts';
import {
  type Attribution,
  attributionByCode,
  type Expected,
  redemptionRefusal,
  storedAttribution,
  uuid,
  type Via,
} from '../attribution/attribution.ts';
import { attributionByClick, requireClick } from '../attribution/attribution-by-click.ts';
import {
  type AttributionOfSale,
  attributionByCustomer,
  attributionByReference,
  refuseInactive,
} from '../attribution/attribution-of-sale.ts';
import { customerOf, hasOrdered, orderWrite } from '../attribution/customers.ts';
import {
  mayBeUsedUp,
  type Purchase,
  redemptionDeadline,
  redemptionWrites,
  refusalOf,
  retryRedemption,
  storedRedemption,
} from '../attribution/redemption.ts';
import { type Earning, earningOf, readCommissionInputs } from '../commissions/earning.ts';
import { isForPayouts } from '../coupons/rules.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';
import type { Click } from '../tracking/read-click-id.ts';
import { ShardEmpty } from '../uses/counters.ts';
import { SaleExternalIdTaken, sales } from './repository.ts';
import { beginReview, reviewOfNewSale } from './review-rules.ts';
import { dayOfSale, type StoredSale } from './rules.ts';
import { newSaleId } from './sale-id.ts';

type Body = BodyOf<typeof operation>;
type SaleAttribution = AttributionOfSale<StoredReferral>;

interface SaleProgram {
  id: string;
  currency: string;
  commissionRate: number;
  timeZone: string;
  reviewsSales?: boolean | undefined;
}

/** Compares JSON values: independent of the order of metadata, and null is absent. */
const contentHashOf = ({ metadata, ...body }: Body): string => {
  const entries = Object.entries(metadata ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const content = { ...body, ...(metadata && { metadata: Object.fromEntries(entries) }) };
  const text = JSON.stringify(content, (_, value) => value ?? undefined);
  return createHash('sha256').update(text).digest('base64url');
};

/** The same sale sent before, or undefined; 409 if its external ids belong to another sale. */
const sameSaleSentBefore = async (programId: string, body: Body): Promise<StoredSale | undefined> => {
  const { externalId, externalInvoiceId } = body;
  const [byExternalId, byInvoice] = await Promise.all([
    externalId ? sales.find(programId, 'EXTERNAL_ID', externalId) : undefined,
    externalInvoiceId ? sales.find(programId, 'EXTERNAL_INVOICE_ID', externalInvoiceId) : undefined,
  ]);
  const hash = contentHashOf(body);
  if (externalId && byExternalId && byExternalId.contentHash !== hash)
    throw new SaleExternalIdTaken('externalId', externalId);
  if (externalInvoiceId && byInvoice && byInvoice.contentHash !== hash)
    throw new SaleExternalIdTaken('externalInvoiceId', externalInvoiceId);
  return byExternalId ?? byInvoice;
};

/** By `referralId`, else by the customer's email. Without a code, `referralId` decides alone and is read by itself. */
const referralBeside = async (
  programId: string,
  { promoCode, referralId, email }: Body,
): Promise<StoredReferral | undefined> => {
  if (referralId && !promoCode) return undefined;
  const named = referralId && uuid.test(referralId) ? await referrals.get(programId, referralId) : undefined;
  return named ?? (email ? referrals.find(programId, 'EMAIL', email) : undefined);
};

const emailIfOf = (affiliateId: string, referral: StoredReferral | undefined): string | undefined =>
  referral?.affiliateId === affiliateId ? referral.email : undefined;

/** The first that is there: code, referral, the customer's referral, click. docs/behavior.md#why-an-affiliate-is-credited */
const attributionOf = async (
  programId: string,
  body: Body,
  click: Click | undefined,
  { isExact, now, onFound }: { isExact: boolean; now: Date; onFound: OnFound<Expected> },
): Promise<SaleAttribution> => {
  // A click that decides nothing may have expired.
  const byClick = click && begin(attributionByClick(programId, click, now, onFound));
  // Most codes have an affiliate, so the referral of the customer is read beside the code.
  const reading = begin(referralBeside(programId, body));
  const withoutCode = (otherwise?: Attribution) =>
    body.referralId
      ? attributionByReference(programId, body.referralId, { ...referrals, onFound })
      : attributionByCustomer(
          programId,
          { byEmail: reading, customerId: body.customerId },
          { byClick, otherwise },
          { ...referrals, onFound },
        );
  if (!body.promoCode) return withoutCode();
  const byCode = await attributionByCode(programId, body.promoCode, isExact, ({ affiliateId }) => {
    if (body.email || !body.referralId) return onFound({ affiliateId });
    begin(reading.then((read) => onFound({ affiliateId, emailOfReferral: emailIfOf(affiliateId, read) })));
  });
  const { affiliate, redeemed } = byCode;
  if (redeemed && isForPayouts(redeemed.coupon)) return { ...byCode, referral: undefined };
  if (!affiliate) return { ...(await withoutCode(byCode)), redeemed };
  const customer = await reading;
  return { ...byCode, referral: customer?.affiliateId === affiliate.id ? customer : undefined };
};

const refuseRedemption = async (
  program: SaleProgram,
  { redeemed }: SaleAttribution,
  purchase: Omit<Purchase, 'currency' | 'programCurrency' | 'isFirstOrder'> & { firstOrder: boolean },
  now: Date,
): Promise<void> => {
  if (!redeemed) return;
  const { firstOrder } = purchase;
  const customer = customerOf(purchase);
  const isFirstOrder =
    firstOrder && !(redeemed.code.firstTimeOrder && customer !== undefined && (await hasOrdered(program.id, customer)));
  const { currency } = program;
  const reason = refusalOf(redeemed, { ...purchase, currency, programCurrency: currency, isFirstOrder }, now);
  if (reason && mayBeUsedUp(redeemed)) throw new ConcurrentModificationError('The uses of a cap were not read');
  if (reason) throw redemptionRefusal(reason);
};

const productOf = ({ product }: Body): StoredSale['productsBought'] =>
  product
    ? [
        {
          productId: product.productId,
          name: product.name ?? null,
          quantity: product.quantity ?? null,
          price: product.price ?? null,
        },
      ]
    : [];

const newSale = (
  program: SaleProgram,
  body: Body,
  attribution: SaleAttribution,
  { totalEarnedMinor, now }: { totalEarnedMinor: number; now: Date },
): Omit<StoredSale, keyof Earning> => {
  const { affiliate, referral, affiliateLinkId, referringHost = null, redeemed } = attribution;
  const at = now.toISOString();
  const customer = { name: body.name ?? referral?.name ?? null, email: body.email ?? referral?.email ?? null };
  return {
    id: newSaleId(now, randomInt),
    createdAt: at,
    updatedAt: at,
    version: 1,
    day: dayIn(program.timeZone, now),
    affiliateId: affiliate?.id ?? null,
    referralId: referral?.id ?? null,
    affiliateLinkId,
    referringHost,
    promotionalCodeId: redeemed?.code.id ?? null,
    redemption: redeemed ? storedRedemption(redeemed) : null,
    externalId: body.externalId ?? null,
    externalInvoiceId: body.externalInvoiceId ?? null,
    customerId: body.customerId ?? null,
    ...customer,
    searchWords: searchWordsOf(customer),
    totalEarnedMinor,
    refundedAmountMinor: 0,
    productsBought: productOf(body),
    status: 'ACTIVE',
    reviewStatus: null,
    reviewReasons: [],
    refundedAt: null,
    payoutBatchId: null,
    paidAt: null,
    source: recordSource(),
    importKey: null,
    attribution: storedAttribution(attribution),
    inStatistics: true,
    contentHash: contentHashOf(body),
    metadata: body.metadata ?? {},
  };
};

const toEarn = (sale: Omit<StoredSale, keyof Earning>, { commissionRate = null }: Body) => ({
  ...sale,
  day: dayOfSale(sale),
  productIds: sale.productsBought.map(({ productId }) => productId),
  commissionRate,
  customer: customerOf(sale),
});

/** Writes a sale with its redemption, or finds the same sale where it was sent at the same moment. */
const writeSale = async (
  program: SaleProgram,
  body: Body,
  { sale, redeemed }: { sale: StoredSale; redeemed: SaleAttribution['redeemed'] },
  recordCreated: IdempotencyContext['recordCreated'],
): Promise<StoredSale> => {
  const customer = customerOf(sale);
  try {
    const writes = [
      ...sales.createWrites(program.id, sale),
      ...(redeemed ? await redemptionWrites(program.id, redeemed, sale) : []),
      ...(customer ? [orderWrite(program.id, customer, sale.createdAt, redeemed?.code.firstTimeOrder ?? false)] : []),
      ...recordCreated(sale.id),
    ];
    await writeTogether(writes, redemptionDeadline(redeemed));
    return sale;
  } catch (error) {
    // Another request with the same external id was first: the next round finds its sale.
    if (error instanceof SaleExternalIdTaken)
      throw new ConcurrentModificationError('The external id was taken', { cause: error });
    if (!(error instanceof ShardEmpty) || !(await error.isUsedUp(program.id))) throw error;
    const sentMeanwhile = await sameSaleSentBefore(program.id, body);
    if (sentMeanwhile) return sentMeanwhile;
    throw redemptionRefusal(error.reason);
  }
};

const fieldOf: Readonly<Partial<Record<Via, keyof Body>>> = { CODE: 'promoCode', CLICK: 'clickId' };

const fieldThatDecided = ({ email }: Body, { via, referral }: SaleAttribution): keyof Body => {
  if (via === 'CUSTOMER') return referral?.email === email ? 'email' : 'customerId';
  return fieldOf[via] ?? 'referralId';
};

/** One attempt to record a sale. With `isExact` it reads the shards of the caps. */
const recordSale = async (
  program: SaleProgram,
  body: Body,
  { now, recordCreated, isExact }: { now: Date; recordCreated: IdempotencyContext['recordCreated']; isExact: boolean },
): Promise<StoredSale> => {
  // A forged click is refused, whatever else is given.
  const click = body.clickId ? await requireClick(program.id, body.clickId) : undefined;
  const rules = beginReview(program);
  const inputs = readCommissionInputs(program, now);
  const onFound = ({ affiliateId, emailOfReferral }: Expected): void => {
    const customer = customerOf({ email: body.email ?? emailOfReferral, customerId: body.customerId });
    void inputs.historyOf({ affiliateId, customer });
  };
  const attributing = begin(attributionOf(program.id, body, click, { isExact, now, onFound }));
  const sentBefore = await sameSaleSentBefore(program.id, body);
  if (sentBefore) return sentBefore;
  const totalEarnedMinor = positiveMinor('totalEarned', body.totalEarned, program.currency);
  const attribution = await attributing;
  const { redeemed } = attribution;
  const field = fieldThatDecided(body, attribution);
  refuseInactive(attribution, field);
  const recorded = newSale(program, body, attribution, { totalEarnedMinor, now });
  const [earning, review] = await Promise.all([
    earningOf(program, toEarn(recorded, body), attribution.affiliate, inputs),
    reviewOfNewSale(program, attribution, recorded, { rules, field, now }),
  ]);
  const sale = { ...recorded, ...earning, ...review };
  const purchase = {
    amountMinor: totalEarnedMinor,
    customerId: sale.customerId ?? undefined,
    email: sale.email ?? undefined,
    productIds: sale.productsBought.map(({ productId }) => productId),
    firstOrder: body.firstOrder !== false,
  };
  try {
    await refuseRedemption(program, attribution, purchase, now);
  } catch (error) {
    if (error instanceof ConcurrentModificationError) throw error;
    // The same sale, sent at the same moment, may be what used the code up.
    const sentMeanwhile = await sameSaleSentBefore(program.id, body);
    if (sentMeanwhile) return sentMeanwhile;
    throw error;
  }
  return writeSale(program, body, { sale, redeemed }, recordCreated);
};

/** Redeems the code with the sale, or returns the same sale sent before. docs/behavior.md#creating-a-sale */
export const createSale = (
  program: SaleProgram,
  body: Body,
  now: Date,
  { recordCreated } = notIdempotent,
): Promise<StoredSale> => retryRedemption((isExact) => recordSale(program, body, { now, recordCreated, isExact }));
