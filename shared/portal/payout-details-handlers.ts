import type { portalPages } from '../contract/pages/portal.ts';
import { confirmPayoutDetails, mailPayoutDetails, readPayoutDetails } from '../domain/portal/payout-details.ts';
import { unfilled } from '../web/components/controls.tsx';
import { withFlash } from '../web/components/flash.ts';
import type { PageHandlersOf } from '../web/handlers.ts';
import { redirect } from '../web/responses.ts';
import {
  badConfirmationView,
  newPayoutDetailsView,
  payoutDetailsConfirmedView,
  payoutDetailsView,
} from './details.tsx';
import { sectionPath } from './paths.ts';

type PayoutDetailsPage = 'showPayoutDetails' | 'changePayoutDetails' | 'showNewPayoutDetails' | 'confirmPayoutDetails';

export const payoutDetailsHandlers: Pick<PageHandlersOf<typeof portalPages>, PayoutDetailsPage> = {
  showPayoutDetails: ({ session, program, affiliate }) => payoutDetailsView(session, program, affiliate, unfilled),

  changePayoutDetails: {
    submit: async ({ program, affiliate, form, now }) => {
      const isMailed = await mailPayoutDetails(program, affiliate, form, now);
      return redirect(withFlash(sectionPath(program, 'payout-details'), isMailed ? 'payout-details-mailed' : 'saved'));
    },
    showAgain: ({ session, program, affiliate }, filled) => payoutDetailsView(session, program, affiliate, filled),
  },

  showNewPayoutDetails: async ({ program, query: { token }, now }) => {
    const found = token === undefined ? undefined : await readPayoutDetails(program.id, token, now);
    if (!found || token === undefined) return badConfirmationView(program);
    return newPayoutDetailsView(program, { affiliate: found.affiliate, details: found.confirmation, token });
  },

  confirmPayoutDetails: async ({ program, form: { token }, requestId, now }) =>
    (await confirmPayoutDetails(program.id, { token, requestId }, now))
      ? payoutDetailsConfirmedView(program)
      : badConfirmationView(program),
};
