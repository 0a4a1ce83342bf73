import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { actorText } from '../../contract/actor.ts';
import { ApiError } from '../../contract/errors.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { decryptFromClient, encryptForClient } from '../../platform/secrets/encryption.ts';
import { withActor } from '../../platform/table/actor.ts';
import { affiliates } from '../affiliates/repository.ts';
import { StoredAffiliate } from '../affiliates/rules.ts';
import { updateAffiliate } from '../affiliates/update-affiliate.ts';
import { handleOf } from '../programs/handles.ts';
import { mailsKind } from '../programs/mail-settings.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { mayEnterPortal } from './sign-in-link.ts';

/** Payout details that an affiliate enters take effect once they are confirmed by mail. docs/behavior.md#payout-details-in-the-portal */

const linkMilliseconds = 24 * 60 * 60 * 1000;
const context = 'payout-details';

const PayoutDetails = StoredAffiliate.pick({ paymentMethod: true, payoutEmail: true });
export type PayoutDetails = z.output<typeof PayoutDetails>;

/** Nothing is stored: the details are in the link, encrypted. Any edit of the affiliate, such as its own, ends it. */
const Confirmation = PayoutDetails.extend({
  programId: z.string(),
  affiliateId: z.string(),
  version: z.number(),
  expiresAt: z.string(),
});
type Confirmation = z.output<typeof Confirmation>;

interface Found {
  affiliate: StoredAffiliate;
  confirmation: Confirmation;
}

/** False if there is nothing to change. 409 where it is not mailed. */
export const mailPayoutDetails = async (
  program: StoredProgram,
  { id: affiliateId, version, email, ...before }: StoredAffiliate,
  {
    paymentMethod = before.paymentMethod,
    payoutEmail = before.payoutEmail,
  }: { [Name in keyof PayoutDetails]?: PayoutDetails[Name] | undefined },
  now: Date,
): Promise<boolean> => {
  if (!mailsKind(program, 'PAYOUT_DETAILS_CONFIRM'))
    throw new ApiError('conflict', 'Payout details cannot be changed here. Write to the program.');
  if (paymentMethod === before.paymentMethod && payoutEmail === before.payoutEmail) return false;
  const expiresAt = new Date(now.getTime() + linkMilliseconds).toISOString();
  const confirmation: Confirmation = {
    programId: program.id,
    affiliateId,
    version,
    paymentMethod,
    payoutEmail,
    expiresAt,
  };
  const token = await encryptForClient('sessions', JSON.stringify(confirmation), context);
  const path = `/portal/${handleOf(program)}/payout-details/confirm?token=${token}`;
  const data = { paymentMethod, payoutEmail: payoutEmail ?? email, url: new URL(path, process.env.APP_URL).href };
  return sendMail(
    { programId: program.id, kind: 'PAYOUT_DETAILS_CONFIRM', to: email, data, occasion: randomUUID() },
    now,
  );
};

/** Undefined if the link was altered, has expired, was used, or is of another program. */
export const readPayoutDetails = async (programId: string, token: string, now: Date): Promise<Found | undefined> => {
  const text = await decryptFromClient('sessions', token, context);
  if (!text) return undefined;
  const confirmation = Confirmation.parse(JSON.parse(text));
  if (confirmation.programId !== programId || confirmation.expiresAt <= now.toISOString()) return undefined;
  const affiliate = await affiliates.get(programId, confirmation.affiliateId);
  const isUsable = affiliate && mayEnterPortal(affiliate) && affiliate.version === confirmation.version;
  return isUsable ? { affiliate, confirmation } : undefined;
};

/** As the affiliate. False if the link cannot be used any more. */
export const confirmPayoutDetails = async (
  programId: string,
  { token, requestId }: { token: string; requestId: string },
  now: Date,
): Promise<boolean> => {
  const found = await readPayoutDetails(programId, token, now);
  if (!found) return false;
  const { affiliateId, version, paymentMethod, payoutEmail } = found.confirmation;
  try {
    const edit = { affiliateId, paymentMethod, payoutEmail };
    await withActor(
      actorText({ type: 'AFFILIATE', id: affiliateId }),
      () => updateAffiliate(programId, edit, [version], now),
      requestId,
    );
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'precondition_failed') return false;
    throw error;
  }
};
