import { codesOfAffiliate, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** Codes that pay the affiliate may be the newest, so more are read where the first ones are not for visitors: 250 at most. */
const pageSizes = [25, 75, 75, 75] as const;

/** The newest active code of the affiliate that anyone can redeem. docs/behavior.md#payouts-in-coupons */
export const newestActiveCode = async (programId: string, affiliateId: string, now: Date): Promise<string | null> => {
  const at = now.toISOString();
  const isForAnyone = ({ active, expiresAt, ...code }: StoredPromotionalCode) =>
    active &&
    !code.limitToAffiliate &&
    !code.limitToCustomers &&
    code.customerId === null &&
    (expiresAt === null || expiresAt > at);
  let after: string | undefined;
  for (const limit of pageSizes) {
    const { items, next } = await promotionalCodes.page(programId, { limit, after }, codesOfAffiliate(affiliateId));
    const found = items.find(isForAnyone);
    if (found) return found.code;
    if (next === undefined) return null;
    after = next;
  }
  return null;
};
