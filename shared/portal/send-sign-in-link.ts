import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { logInfo } from '../platform/logs/log.ts';

/**
 * Mails an affiliate the address that signs in to the portal, which is a secret until it is used.
 *
 * No mail is sent until the platform can: the address then comes from `POST /portal-links` alone.
 */
export const sendSignInLink = async (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  _url: string,
): Promise<void> => {
  logInfo('sign-in link not mailed', { programId: program.id, affiliateId: affiliate.id });
};
