import { fieldError } from '../../contract/errors.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type referralPages, showReferrals } from '../../contract/pages/referrals.ts';
import { createReferral as operation } from '../../contract/referrals.ts';
import { affiliateIdOfFilter } from '../../domain/affiliates/repository.ts';
import { deleteReferral } from '../../domain/deletions/delete-referral.ts';
import { updateReferral } from '../../domain/referrals/change-referral.ts';
import { createReferral } from '../../domain/referrals/create-referral.ts';
import { findReferral, listReferrals } from '../../domain/referrals/list-referrals.ts';
import { referrals } from '../../domain/referrals/repository.ts';
import type { StoredReferral } from '../../domain/referrals/rules.ts';
import { sales, salesOfReferral } from '../../domain/sales/repository.ts';
import { parseFields } from '../../http/parsing.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { pageByValue } from '../../platform/table/search.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import { askWhichAffiliate, choicesFor, namedAffiliate } from '../forms/affiliate-choice.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { affiliatesNamed, listWithAffiliates } from '../lists/related-records.ts';
import { newReferralView, referralDeletionView, referralEditView, referralView } from '../pages/referral.tsx';
import { referralCsvColumns } from '../pages/referral-fields.tsx';
import { referralPath, referralsPath, referralsView } from '../pages/referrals.tsx';
import { redirect } from '../responses.ts';

const newestSales = { limit: 10 };

const readReferral = (programId: string, value: string) => findReferral(programId, { name: 'id', value });

type Filters = PageQuery<typeof showReferrals>;

/** A search finds emails by their beginning. */
const listed = async (programId: string, { email, affiliateEmail, status, sort }: Filters, request: PageRequest) => {
  if (!email && sort !== 'email') return listReferrals(programId, { affiliateEmail, status }, request);
  const affiliateId = await affiliateIdOfFilter(programId, { affiliateEmail });
  if (affiliateId === null) return new Page<StoredReferral>([], undefined);
  const keep = (one: StoredReferral) =>
    (!affiliateId || one.affiliateId === affiliateId) && (!status || one.subscriptionStatus === status);
  return pageByValue(referrals, programId, { name: 'EMAIL', prefix: email?.toLowerCase() ?? '', keep }, request);
};

const listedWithAffiliates = (programId: string, filters: Filters, request: PageRequest) =>
  listWithAffiliates(programId, filters.affiliateEmail, listed(programId, filters, request));

export const referralHandlers: PageHandlersOf<typeof referralPages> = {
  showReferrals: async ({ program, query, address }) => {
    const asked = await askWhichAffiliate(program.id, query.affiliateEmail, address);
    if (asked) return asked;
    const part = listPart(showReferrals, program.id, referralsPath(program.id), query);
    const { found, byId } = await listedWithAffiliates(program.id, query, part.request);
    return referralsView(program, query, part, found, byId);
  },

  downloadReferrals: (request) => {
    const { program, query } = request;
    return csvDownload(request, {
      name: 'referrals',
      columns: referralCsvColumns(program),
      range: rangeOf(query),
      count: (page) => listed(program.id, query, page),
      read: async (page) => {
        const { found, byId } = await listedWithAffiliates(program.id, query, page);
        return found.map((referral) => ({ referral, affiliate: byId.get(referral.affiliateId ?? '') }));
      },
    });
  },

  showNewReferral: ({ session, program }) => newReferralView({ session, program }, {}, unfilled),

  addReferral: {
    submit: async ({ program, form: { affiliateEmail, chosenAffiliate, ...form }, now }) => {
      const affiliate = await namedAffiliate(program.id, { affiliateEmail, chosenAffiliate });
      if ((affiliate === undefined) === (form.promoCode == null))
        throw fieldError('affiliateEmail', 'Enter either the affiliate or a code');
      const body = { ...form, affiliateId: affiliate?.id };
      const { id } = await createReferral(program, parseFields(operation.body, body), now);
      return redirect(withFlash(referralPath(program.id, id), 'referral-created'));
    },
    showAgain: async ({ session, program }, filled) =>
      newReferralView({ session, program }, await choicesFor(program.id, filled), filled),
  },

  showReferral: async ({ program, parameters: { referralId } }) => {
    const [{ referral, byId }, sold] = await Promise.all([
      readReferral(program.id, referralId).then(async (referral) => ({
        referral,
        byId: await affiliatesNamed(program.id, [referral.affiliateId]),
      })),
      sales.page(program.id, newestSales, salesOfReferral(referralId)),
    ]);
    return referralView(program, referral, byId.get(referral.affiliateId ?? ''), sold.items);
  },

  showReferralEdit: async ({ session, program, parameters }) =>
    referralEditView({ session, program }, await readReferral(program.id, parameters.referralId), unfilled),

  editReferral: {
    submit: async ({ program, parameters: { referralId }, form, now }) => {
      await updateReferral(program.id, { referralId, ...form }, undefined, now);
      return redirect(withFlash(referralPath(program.id, referralId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      referralEditView({ session, program }, await readReferral(program.id, parameters.referralId), filled),
  },

  confirmReferralDeletion: async ({ session, program, parameters }) =>
    referralDeletionView({ session, program }, await readReferral(program.id, parameters.referralId), unfilled),

  removeReferral: {
    submit: async ({ program, parameters, now }) => {
      await deleteReferral(program.id, parameters.referralId, undefined, now);
      return redirect(withFlash(referralsPath(program.id), 'referral-deleted'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      referralDeletionView({ session, program }, await readReferral(program.id, parameters.referralId), filled),
  },
};
