import { ApiError } from '../../contract/errors.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { affiliates } from '../affiliates/repository.ts';
import { isWaiting, type StoredAffiliate } from '../affiliates/rules.ts';
import { handleOf } from '../programs/handles.ts';
import { mailsKind } from '../programs/mail-settings.ts';
import type { StoredProgram } from '../programs/repository.ts';

interface Decision {
  affiliateId: string;
  decision: 'APPROVE' | 'DECLINE';
  /** To whoever applied and is declined. */
  message: string | null;
}

/** Tells whoever applied. An application that was decided once has one mail. */
const mailDecision = async (program: StoredProgram, affiliate: StoredAffiliate, message: string | null, now: Date) => {
  const { id, email: to, application } = affiliate;
  const common = { programId: program.id, to, occasion: `${id} ${application?.decidedAt}` };
  if (application?.status === 'DECLINED')
    return sendMail({ ...common, kind: 'APPLICATION_DECLINED', data: { message } }, now);
  const canSignIn = program.portalIsOn && mailsKind(program, 'PORTAL_SIGN_IN');
  const url = canSignIn ? new URL(`/portal/${handleOf(program)}`, process.env.APP_URL).href : null;
  return sendMail({ ...common, kind: 'APPLICATION_APPROVED', data: { url } }, now);
};

/** Approves or declines, and mails it. 404; 409 if somebody else has decided. docs/behavior.md#applications */
export const decideApplication = async (
  program: StoredProgram,
  { affiliateId, decision, message }: Decision,
  now: Date,
): Promise<void> => {
  const decidedAt = now.toISOString();
  const target = { programId: program.id, id: affiliateId, noun: 'Affiliate' };
  const decided = await editRecord(affiliates, target, (affiliate) => {
    if (!isWaiting(affiliate) || !affiliate.application)
      throw new ApiError('conflict', 'This application does not wait any more: somebody has decided it.');
    const isApproved = decision === 'APPROVE';
    const status = isApproved ? ('ACTIVE' as const) : affiliate.status;
    const application = {
      ...affiliate.application,
      status: isApproved ? ('APPROVED' as const) : ('DECLINED' as const),
      decidedAt,
    };
    return { after: { ...affiliate, status, application, waitingSlot: null, updatedAt: decidedAt } };
  });
  await mailDecision(program, decided, message, now);
};
