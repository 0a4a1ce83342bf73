import { ApiError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { createReferral as operation } from '../../contract/referrals.ts';
import { type IdempotencyContext, notIdempotent } from '../../platform/table/idempotency-context.ts';
import { recordSource } from '../../platform/table/import-mark.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { dayIn } from '../../platform/time/days.ts';
import { findAffiliate } from '../affiliates/repository.ts';
import {
  type Attribution,
  affiliateByIdOrSlug,
  attributionByCode,
  redemptionRefusal,
  refuseInactiveAffiliate,
  refuseSelfReferral,
  storedAttribution,
} from '../attribution/attribution.ts';
import { attributionByClick, requireClick } from '../attribution/attribution-by-click.ts';
import { hasOrdered } from '../attribution/customers.ts';
import {
  mayBeUsedUp,
  redemptionDeadline,
  redemptionWrites,
  refusalOf,
  retryRedemption,
  storedRedemption,
} from '../attribution/redemption.ts';
import { ReferralEmailTaken, referrals } from './repository.ts';
import type { StoredReferral } from './rules.ts';

type Body = BodyOf<typeof operation>;

interface CreateOptions extends Pick<IdempotencyContext, 'recordCreated'> {
  /** A code that pays an affiliate, redeemed before: the referral keeps it and credits nobody. */
  rewardCodeId?: string;
}

const creditsNobody: Attribution = { affiliate: undefined, affiliateLinkId: null, via: 'CODE', redeemed: undefined };

const attributionOf = async (programId: string, body: Body, isExact: boolean, now: Date): Promise<Attribution> => {
  if (body.promoCode) return attributionByCode(programId, body.promoCode, isExact);
  if (body.clickId) return attributionByClick(programId, await requireClick(programId, body.clickId), now);
  const { affiliate, ...found } = body.affiliateId
    ? await affiliateByIdOrSlug(programId, body.affiliateId)
    : { affiliate: await findAffiliate(programId, body), affiliateLinkId: null, via: 'MANUAL' as const };
  if (!affiliate) throw new ApiError('not_found', 'Affiliate not found');
  return { affiliate, ...found, redeemed: undefined };
};

const refuseCredit = async (programId: string, attribution: Attribution, body: Body): Promise<void> => {
  const named = ['promoCode', 'clickId', 'affiliateId'].find((name) => body[name as keyof Body]) ?? 'affiliateEmail';
  refuseInactiveAffiliate(attribution, named);
  await refuseSelfReferral(programId, attribution.affiliate, body.email, attribution.redeemed?.code);
};

/** A sign-up has no amount, so a code with a minimum cannot be redeemed. */
const refuseRedemption = async (
  program: { id: string; currency: string },
  { redeemed }: Attribution,
  body: Body,
  now: Date,
): Promise<void> => {
  if (!redeemed) return;
  const purchase = {
    amountMinor: undefined,
    currency: program.currency,
    programCurrency: program.currency,
    customerId: undefined,
    email: body.email,
    productIds: [],
    isFirstOrder: !(redeemed.code.firstTimeOrder && (await hasOrdered(program.id, body.email))),
  };
  const reason = refusalOf(redeemed, purchase, now);
  if (reason && mayBeUsedUp(redeemed)) throw new ConcurrentModificationError('The uses of a cap were not read');
  if (reason) throw redemptionRefusal(reason);
};

const newReferral = (
  timeZone: string,
  body: Body,
  { attribution, rewardCodeId }: { attribution: Attribution; rewardCodeId: string | undefined },
  now: Date,
): StoredReferral => {
  const { affiliate, affiliateLinkId, referringHost = null, redeemed } = attribution;
  const promotionalCodeId = redeemed?.code.id ?? rewardCodeId ?? null;
  const at = now.toISOString();
  return {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    day: dayIn(timeZone, now),
    affiliateId: affiliate?.id ?? null,
    affiliateLinkId,
    referringHost,
    promotionalCodeId,
    redemption: redeemed ? storedRedemption(redeemed) : null,
    name: body.name,
    email: body.email,
    referredUserExternalId: body.referredUserExternalId ?? null,
    plan: body.plan ?? null,
    subscriptionStatus: 'ACTIVE',
    referralMedium: promotionalCodeId !== null ? 'COUPON' : affiliateLinkId === null ? null : 'LINK',
    source: recordSource(),
    attribution: storedAttribution(attribution),
    inStatistics: true,
    totalRevenueMinor: 0,
    totalCommissionMinor: 0,
    notes: null,
    metadata: body.metadata ?? {},
  };
};

/**
 * Redeems the code, or returns the same referral sent before. A condition on the affiliate would make sign-ups conflict; the
 * sweep after a deletion finds them. docs/behavior.md#referral-records
 */
export const createReferral = (
  program: { id: string; currency: string; timeZone: string },
  body: Body,
  now: Date,
  { recordCreated, rewardCodeId }: CreateOptions = notIdempotent,
): Promise<StoredReferral> =>
  retryRedemption(async (isExact) => {
    const [attribution, existing] = await Promise.all([
      rewardCodeId === undefined ? attributionOf(program.id, body, isExact, now) : creditsNobody,
      referrals.find(program.id, 'EMAIL', body.email),
    ]);
    const { affiliate, redeemed } = attribution;
    if (existing) {
      if (existing.affiliateId === (affiliate?.id ?? null)) return existing;
      throw new ReferralEmailTaken(body.email);
    }
    if (recordSource() !== 'IMPORTED') await refuseCredit(program.id, attribution, body);
    try {
      await refuseRedemption(program, attribution, body, now);
    } catch (error) {
      if (error instanceof ConcurrentModificationError) throw error;
      // The same referral, sent concurrently, may have used the code up.
      const sentMeanwhile = await referrals.find(program.id, 'EMAIL', body.email);
      if (sentMeanwhile && sentMeanwhile.affiliateId === (affiliate?.id ?? null)) return sentMeanwhile;
      throw error;
    }
    const referral = newReferral(program.timeZone, body, { attribution, rewardCodeId }, now);
    try {
      const writes = [
        ...referrals.createWrites(program.id, referral),
        ...(redeemed ? await redemptionWrites(program.id, redeemed, referral) : []),
        ...recordCreated(referral.id),
      ];
      await writeTogether(writes, redemptionDeadline(redeemed));
    } catch (error) {
      // Another request has this email: the retry finds out for which affiliate.
      if (error instanceof ReferralEmailTaken)
        throw new ConcurrentModificationError('The email was taken', { cause: error });
      throw error;
    }
    return referral;
  });
