import { ApiError, requireRecord } from '../../contract/errors.ts';
import { type affiliatePages, showApplications } from '../../contract/pages/affiliates.ts';
import { affiliates, waitingAffiliates } from '../../domain/affiliates/repository.ts';
import { isWaiting } from '../../domain/affiliates/rules.ts';
import { decideApplication } from '../../domain/portal/decide-application.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { listPart } from '../lists/list-part.ts';
import { applicationsPath, applicationsView, declineView } from '../pages/applications.tsx';
import { redirect } from '../responses.ts';

const shownApplications = 20;

const readWaiting = async (programId: string, affiliateId: string) => {
  const affiliate = requireRecord(await affiliates.get(programId, affiliateId), 'Affiliate');
  if (!isWaiting(affiliate)) throw new ApiError('conflict', 'This affiliate does not wait for a decision.');
  return affiliate;
};

type ApplicationPage = 'showApplications' | 'confirmDecline' | 'decideApplication';

export const applicationHandlers: Pick<PageHandlersOf<typeof affiliatePages>, ApplicationPage> = {
  showApplications: async ({ session, program, query }) => {
    const part = listPart(showApplications, program.id, applicationsPath(program.id), query);
    const request = { ...part.request, limit: shownApplications };
    return applicationsView({ session, program }, part, await affiliates.page(program.id, request, waitingAffiliates));
  },

  confirmDecline: async ({ session, program, parameters }) =>
    declineView({ session, program }, await readWaiting(program.id, parameters.applicantId), unfilled),

  decideApplication: {
    submit: async ({ program, parameters: { applicantId: affiliateId }, form: { decision, message = null }, now }) => {
      await decideApplication(program, { affiliateId, decision, message }, now);
      const flash = decision === 'APPROVE' ? 'application-approved' : 'application-declined';
      return redirect(withFlash(applicationsPath(program.id), flash));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      declineView({ session, program }, await readWaiting(program.id, parameters.applicantId), filled),
  },
};
