import { codesOfAffiliate, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** Those that pay an affiliate are among them, and only the affiliate may redeem these. */
const looked = 25;

export const newestActiveCode = async (programId: string, affiliateId: string, now: Date): Promise<string | null> => {
  const { items } = await promotionalCodes.page(programId, { limit: looked }, codesOfAffiliate(affiliateId));
  const at = now.toISOString();
  const isForAnyone = ({ active, expiresAt, limitToAffiliate }: StoredPromotionalCode) =>
    active && !limitToAffiliate && (expiresAt === null || expiresAt > at);
  return items.find(isForAnyone)?.code ?? null;
};
