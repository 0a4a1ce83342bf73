import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ApiError, requireRecord } from '../../contract/errors.ts';
import { decryptFromClient, encryptForClient } from '../../platform/secrets/encryption.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { handleOf } from '../programs/handles.ts';
import { getProgram, type StoredProgram } from '../programs/repository.ts';

/** Addresses that sign an affiliate in to the portal. docs/behavior.md#signing-in-to-the-portal */

const linkSeconds = 15 * 60;

/** Nothing is stored until it is used: the whole link is in its token, encrypted. */
const SignInLink = z.object({
  id: z.string(),
  programId: z.string(),
  affiliateId: z.string(),
  emailHash: z.string(),
  expiresAt: z.string(),
  /** In a frame it continues by itself, where scripts run: no mail scanner opens it. */
  isForEmbedding: z.boolean(),
});
export type SignInLink = z.output<typeof SignInLink>;

export interface CreatedLink {
  path: string;
  expiresAt: string;
}

/** Whether an affiliate may be in the portal: also one who waits for approval, to see that. */
export const mayEnterPortal = ({ status }: Pick<StoredAffiliate, 'status'>): boolean => status !== 'BANNED';

/** Links and the sessions that they begin keep it: whoever reads the mails of an earlier address is not them any more. */
export const emailHashOf = ({ email }: Pick<StoredAffiliate, 'email'>): string =>
  createHash('sha256').update(email).digest('base64url');

/** Of a link or a session: whether it still leads in, with the affiliate as they are now. docs/behavior.md#signing-in-to-the-portal */
export const stillAdmits = (
  { emailHash }: Pick<SignInLink, 'emailHash'>,
  affiliate: Pick<StoredAffiliate, 'status' | 'email'>,
): boolean => mayEnterPortal(affiliate) && emailHash === emailHashOf(affiliate);

export const newSignInLink = async (
  program: Pick<StoredProgram, 'id' | 'handle'>,
  affiliate: Pick<StoredAffiliate, 'id' | 'email'>,
  isForEmbedding: boolean,
  now: Date,
  id: string = randomUUID(),
): Promise<CreatedLink> => {
  const expiresAt = new Date(now.getTime() + linkSeconds * 1000).toISOString();
  const link: SignInLink = {
    id,
    programId: program.id,
    affiliateId: affiliate.id,
    emailHash: emailHashOf(affiliate),
    expiresAt,
    isForEmbedding,
  };
  const token = await encryptForClient('sessions', JSON.stringify(link), 'portal-link');
  return { path: `/portal/${handleOf(program)}/sign-in?token=${token}`, expiresAt };
};

/** Undefined if altered, expired, or of another program. */
export const readSignInLink = async (programId: string, token: string, now: Date): Promise<SignInLink | undefined> => {
  const text = await decryptFromClient('sessions', token, 'portal-link');
  if (!text) return undefined;
  const link = SignInLink.parse(JSON.parse(text));
  return link.programId === programId && link.expiresAt > now.toISOString() ? link : undefined;
};

/** For embedding and support. 404 without the affiliate; 409 where they may not enter, or the portal is off. docs/behavior.md#signing-in-to-the-portal */
export const createPortalLink = async (programId: string, affiliateId: string, now: Date): Promise<CreatedLink> => {
  const [program, found] = await Promise.all([getProgram(programId), affiliates.get(programId, affiliateId)]);
  const affiliate = requireRecord(found, 'Affiliate');
  if (!program.portalIsOn)
    throw new ApiError(
      'conflict',
      'The portal of this program is switched off. An owner can switch it on in Settings.',
    );
  if (!mayEnterPortal(affiliate)) throw new ApiError('conflict', 'A banned affiliate cannot enter the portal');
  return newSignInLink(program, affiliate, true, now);
};
