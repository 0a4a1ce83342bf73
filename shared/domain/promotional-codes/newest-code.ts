import { codesOfAffiliate, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** More than one, because codes that pay the affiliate are among the newest and are skipped. */
const looked = 25;

export const newestActiveCode = async (programId: string, affiliateId: string, now: Date): Promise<string | null> => {
  const { items } = await promotionalCodes.page(programId, { limit: looked }, codesOfAffiliate(affiliateId));
  const at = now.toISOString();
  const isForAnyone = ({ active, expiresAt, limitToAffiliate }: StoredPromotionalCode) =>
    active && !limitToAffiliate && (expiresAt === null || expiresAt > at);
  return items.find(isForAnyone)?.code ?? null;
};
