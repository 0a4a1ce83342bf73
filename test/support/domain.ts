import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type * as z from 'zod';
import { ApiError } from '../../shared/contract/errors.ts';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import type { StoredLink } from '../../shared/domain/affiliates/link-rules.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { createTotalsWrite } from '../../shared/domain/affiliates/totals.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import type { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../../shared/domain/promotional-codes/rules.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import type { StoredReferral } from '../../shared/domain/referrals/rules.ts';
import { adjustments, type StoredAdjustment } from '../../shared/domain/sales/adjustments.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { createUsesWrites } from '../../shared/domain/uses/counters.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { type Write, writeTogether } from '../../shared/platform/table/transaction.ts';
import { makeStoredAdjustment, makeStoredSale } from './sales.ts';
import {
  makeStoredAffiliate,
  makeStoredCode,
  makeStoredCoupon,
  makeStoredLink,
  makeStoredReferral,
  waitingApplication,
} from './stored-records.ts';

// What tests of the domain begin with: records as the table keeps them, each in a program that no other test has.

/** When actions run, unless a test says otherwise. Time is passed in. */
export const now = new Date('2026-03-01T12:00:00.000Z');

/** So many milliseconds after `now`, as text. */
export const at = (milliseconds: number): string => new Date(now.getTime() + milliseconds).toISOString();

export interface TestProgram {
  id: string;
  currency: string;
  commissionRate: number;
  timeZone: string;
}

/** All that the domain takes of a program. It needs no record. */
export const newProgram = (overrides: Partial<TestProgram> = {}): TestProgram => ({
  id: randomUUID(),
  currency: 'USD',
  commissionRate: 10,
  timeZone: 'UTC',
  ...overrides,
});

/** A body as a handler gets it: parsed by its operation. */
export const bodyOf = <Body extends z.ZodObject>({ body }: { body: Body }, input: z.input<Body>): z.output<Body> =>
  body.parse(input);

const store = async <Stored>(record: Stored, writes: readonly Write[]): Promise<Stored> => {
  await writeTogether(writes);
  return record;
};

const fresh = () => ({ id: newRecordId(now), createdAt: now.toISOString(), updatedAt: now.toISOString() });

export const storeAffiliate = ({ id }: Pick<TestProgram, 'id'>, overrides: Partial<StoredAffiliate> = {}) => {
  const affiliate = makeStoredAffiliate({ ...fresh(), email: `${randomUUID()}@example.com`, ...overrides });
  return store(affiliate, [...affiliates.createWrites(id, affiliate), createTotalsWrite(id, affiliate.id)]);
};

/** An affiliate who waits to be approved. */
export const storeApplicant = (program: Pick<TestProgram, 'id'>) =>
  storeAffiliate(program, { status: 'INACTIVE', application: waitingApplication() });

/** A link that is not entered on its affiliate. */
export const storeLink = ({ id }: TestProgram, overrides: Partial<StoredLink> = {}) => {
  const link = makeStoredLink({ ...fresh(), link: randomUUID(), ...overrides });
  return store(link, links.createWrites(id, link));
};

export const storeReferral = ({ id }: TestProgram, overrides: Partial<StoredReferral> = {}) => {
  const referral = makeStoredReferral({ ...fresh(), email: `${randomUUID()}@example.com`, ...overrides });
  return store(referral, referrals.createWrites(id, referral));
};

const cappedAtCreation = ({ maxRedemptions }: { maxRedemptions?: number | null }) => ({
  cappedSince: maxRedemptions == null ? null : now.toISOString(),
});

/** A coupon of 20 %. */
export const storeCoupon = ({ id }: TestProgram, overrides: Partial<StoredCoupon> = {}) => {
  const coupon = makeStoredCoupon({ ...fresh(), ...cappedAtCreation(overrides), ...overrides });
  return store(coupon, [...coupons.createWrites(id, coupon), ...createUsesWrites(id, 'COUPON', coupon)]);
};

export const storeCode = (
  { id }: TestProgram,
  { id: couponId }: { id: string },
  overrides: Partial<StoredPromotionalCode> = {},
) => {
  const terms = { code: randomUUID(), couponId, ...cappedAtCreation(overrides), ...overrides };
  const code = makeStoredCode({ ...fresh(), ...terms });
  return store(code, [...promotionalCodes.createWrites(id, code), ...createUsesWrites(id, 'PROMOTIONAL_CODE', code)]);
};

/** A sale of 100.00 with 10.00 of commission. */
export const storeSale = ({ id }: TestProgram, affiliateId: string, overrides: Partial<StoredSale> = {}) => {
  const sale = makeStoredSale(affiliateId, { createdAt: now.toISOString(), ...overrides });
  return store(sale, sales.createWrites(id, sale));
};

export const storeAdjustment = async (
  { id }: TestProgram,
  affiliateId: string,
  amountMinor: number,
): Promise<StoredAdjustment> => {
  const adjustment = makeStoredAdjustment(affiliateId, amountMinor);
  return store(adjustment, adjustments.createWrites(id, adjustment));
};

/** Every adjustment of an affiliate that waits for a batch. */
export const openAdjustmentsIn = async ({ id }: TestProgram): Promise<StoredAdjustment[]> => {
  const all: StoredAdjustment[] = [];
  for await (const adjustment of adjustments.all(id)) all.push(adjustment);
  return all.filter(({ payoutBatchId }) => payoutBatchId === null);
};

/** What a refusal says: its status, and the path and code of its first detail where it has one. */
export interface Refusal {
  status: number;
  path?: string;
  code?: string;
}

/** How an action ends: `accepted`, or its refusal. Any other error fails the test. */
export const outcomeOf = async (action: () => unknown): Promise<'accepted' | Refusal> => {
  try {
    await action();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const detail = error.details?.[0];
    return {
      status: error.status,
      ...(detail && { path: detail.path }),
      ...(detail?.code && { code: detail.code }),
    };
  }
};

/** Expects that an action is refused like that. */
export const expectRefusal = async (action: () => unknown, refusal: Refusal): Promise<void> =>
  expect(await outcomeOf(action)).toEqual(refusal);
