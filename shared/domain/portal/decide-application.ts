import { ApiError } from '../../contract/errors.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { affiliates } from '../affiliates/repository.ts';
import { isWaiting } from '../affiliates/rules.ts';
import { writesMails } from '../programs/mail-settings.ts';
import type { StoredProgram } from '../programs/repository.ts';

interface Decision {
  affiliateId: string;
  decision: 'APPROVE' | 'DECLINE';
  message: string | null;
}

/** Approves or declines; the mail follows from the change. 404; 409 if somebody else has decided. docs/behavior.md#applications */
export const decideApplication = async (
  program: StoredProgram,
  { affiliateId, decision, message }: Decision,
  now: Date,
): Promise<void> => {
  const decidedAt = now.toISOString();
  const target = { programId: program.id, id: affiliateId, noun: 'Affiliate' };
  await editRecord(affiliates, target, (affiliate) => {
    if (!isWaiting(affiliate) || !affiliate.application)
      throw new ApiError('conflict', 'This application does not wait any more: somebody has decided it.');
    const isApproved = decision === 'APPROVE';
    const status = isApproved ? ('ACTIVE' as const) : affiliate.status;
    const application = {
      ...affiliate.application,
      status: isApproved ? ('APPROVED' as const) : ('DECLINED' as const),
      decidedAt,
      message: !isApproved && writesMails(program) ? message : null,
    };
    return { after: { ...affiliate, status, application, waitingSlot: null, updatedAt: decidedAt } };
  });
};
