import { codesOfAffiliate, promotionalCodes } from './repository.ts';

const looked = 10;

export const newestActiveCode = async (programId: string, affiliateId: string, now: Date): Promise<string | null> => {
  const { items } = await promotionalCodes.page(programId, { limit: looked }, codesOfAffiliate(affiliateId));
  const at = now.toISOString();
  return items.find(({ active, expiresAt }) => active && (expiresAt === null || expiresAt > at))?.code ?? null;
};
