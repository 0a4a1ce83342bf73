import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { logInfo } from '../platform/logs/log.ts';

/**
 * Mails an affiliate the address that signs in to the portal: the one place that does.
 *
 * No mail is sent until the platform has `sendMail`: the address then comes from `POST /portal-links` alone.
 *
 * @param link its `url`, a secret until it is used, and its `id`, the occasion of the mail
 */
export const sendSignInLink = async (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  link: { url: string; id: string },
): Promise<void> => {
  logInfo('sign-in link not mailed', { programId: program.id, affiliateId: affiliate.id, linkId: link.id });
};
