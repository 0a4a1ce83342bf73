import { requireRecord } from '../../contract/errors.ts';
import { maxHoldDays } from '../../contract/group-rules.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type affiliatePages, showAffiliates } from '../../contract/pages/affiliates.ts';
import { createAffiliate } from '../../domain/affiliates/create-affiliate.ts';
import { findAffiliates, keptBy, listAffiliates } from '../../domain/affiliates/list-affiliates.ts';
import { affiliates } from '../../domain/affiliates/repository.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { type AffiliateWithTotals, withTotals } from '../../domain/affiliates/totals.ts';
import { updateAffiliate } from '../../domain/affiliates/update-affiliate.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { deleteAffiliate } from '../../domain/deletions/delete-affiliate.ts';
import { groupsOf } from '../../domain/groups/repository.ts';
import { groupOf } from '../../domain/groups/rules.ts';
import { isOnHold, sumOnHold } from '../../domain/payouts/on-hold.ts';
import { newestPayoutsOfAffiliate } from '../../domain/payouts/payouts-of-affiliate.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { codesOfAffiliate, promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { referrals, referralsOfAffiliate } from '../../domain/referrals/repository.ts';
import { sales, salesOfAffiliate } from '../../domain/sales/repository.ts';
import { respondWithPage } from '../../http/selectors.ts';
import { suppressionsOf } from '../../platform/mail/addresses.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';
import { pageByValue } from '../../platform/table/search.ts';
import { unfilled } from '../components/controls.tsx';
import { dayOf } from '../components/days.ts';
import { withFlash } from '../components/flash.ts';
import { matchingAffiliates } from '../forms/affiliate-choice.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { enteredPeriod, maxDays, type ShownPeriod, shownPeriod } from '../lists/period.ts';
import { affiliateView } from '../pages/affiliate.tsx';
import { affiliateCsvColumns } from '../pages/affiliate-fields.tsx';
import {
  affiliateDeletionView,
  affiliateEditView,
  affiliateStatusView,
  newAffiliateView,
} from '../pages/affiliate-forms.tsx';
import { affiliatePath, affiliatesPath, affiliatesView } from '../pages/affiliates.tsx';
import { readOwnDays } from '../pages/own-days.tsx';
import { statementView } from '../pages/statement.tsx';
import { readStatement } from '../pages/statement-entries.ts';
import { redirect } from '../responses.ts';
import { applicationHandlers } from './applications.ts';

const shownOfEach = 5;
const batchesLookedAt = 25;

const readAffiliate = async (programId: string, affiliateId: string): Promise<StoredAffiliate> =>
  requireRecord(await affiliates.get(programId, affiliateId), 'Affiliate');

type Filters = PageQuery<typeof showAffiliates>;

const isByEmail = ({ search, sort }: Filters): boolean => !search && sort === 'email';

/** Sorted by email they come from the index of emails, otherwise as in the API. */
const found = (programId: string, filters: Filters, request: PageRequest): Promise<Page<StoredAffiliate>> => {
  const { search, status, groupId } = filters;
  if (!isByEmail(filters)) return findAffiliates(programId, { search, status, groupId }, request);
  const keep = keptBy(programId, filters);
  return pageByValue(affiliates, programId, { name: 'EMAIL', prefix: '', keep }, request);
};

const listed = async (
  programId: string,
  filters: Filters,
  request: PageRequest,
): Promise<Page<AffiliateWithTotals>> => {
  const { search, status, groupId } = filters;
  if (!isByEmail(filters)) return listAffiliates(programId, { search, status, groupId }, request);
  return respondWithPage(await found(programId, filters, request), (some) => withTotals(programId, some));
};

const maxOnHold = 100;
const dayMilliseconds = 24 * 60 * 60 * 1000;

const readOnHold = async (programId: string, affiliateId: string, now: Date) => {
  const createdAfter = new Date(now.getTime() - maxHoldDays * dayMilliseconds).toISOString();
  const request = { limit: maxOnHold, createdAfter, isOneRead: true };
  const held = await sales.page(programId, request, salesOfAffiliate(affiliateId), (sale) => isOnHold(sale, now));
  return sumOnHold(held.items, held.next === undefined);
};

const readAffiliateParts = async (program: StoredProgram, affiliateId: string, shown: ShownPeriod, now: Date) => {
  const programId = program.id;
  const newest = { limit: shownOfEach };
  const [affiliate, codes, referred, sold, payouts, days, groups, onHold] = await Promise.all([
    readAffiliate(programId, affiliateId).then(async (found) =>
      requireRecord((await withTotals(programId, [found]))[0], 'Affiliate'),
    ),
    promotionalCodes.page(programId, newest, codesOfAffiliate(affiliateId)),
    referrals.page(programId, newest, referralsOfAffiliate(affiliateId)),
    sales.page(programId, newest, salesOfAffiliate(affiliateId)),
    newestPayoutsOfAffiliate(programId, affiliateId, batchesLookedAt),
    readOwnDays(programId, { name: 'AFFILIATE', id: affiliateId }, shown),
    groupsOf(programId),
    readOnHold(programId, affiliateId, now),
  ]);
  const group = groupOf(affiliate, groups, program);
  const ids = [...codes.items, ...payouts.map(({ batch }) => batch)].flatMap(({ couponId }) => couponId ?? []);
  const [couponsOf, suppressions] = await Promise.all([
    coupons.getManyEvenDeleted(programId, new Set(ids)),
    suppressionsOf([affiliate.email]),
  ]);
  const suppression = suppressions.get(affiliate.email);
  const newestOf = { codes: codes.items, referrals: referred.items, sales: sold.items };
  return { affiliate, suppression, group, ...newestOf, coupons: couponsOf, payouts, days, onHold };
};

export const affiliateHandlers: PageHandlersOf<typeof affiliatePages> = {
  showAffiliates: async ({ program, query }) => {
    const part = listPart(showAffiliates, program.id, affiliatesPath(program.id), query);
    const [page, groups] = await Promise.all([listed(program.id, query, part.request), groupsOf(program.id)]);
    return affiliatesView(program, query, part, { page, groups });
  },

  ...applicationHandlers,

  suggestAffiliates: async ({ program, query }) => {
    const found = await matchingAffiliates(program.id, query.words);
    return { kind: 'json', body: found.map((affiliate) => ({ name: fullName(affiliate), email: affiliate.email })) };
  },

  downloadAffiliates: async (request) => {
    const { program, query } = request;
    return csvDownload(request, {
      name: 'affiliates',
      columns: affiliateCsvColumns(program, await groupsOf(program.id)),
      range: rangeOf(query),
      count: (page) => found(program.id, query, page),
      read: (page) => listed(program.id, query, page),
    });
  },

  showNewAffiliate: async ({ session, program }) =>
    newAffiliateView({ session, program, groups: await groupsOf(program.id) }, unfilled),

  addAffiliate: {
    submit: async ({ program, form, now }) => {
      const { id } = await createAffiliate(program.id, form, now);
      return redirect(withFlash(affiliatePath(program.id, id), 'affiliate-created'));
    },
    showAgain: async ({ session, program }, filled) =>
      newAffiliateView({ session, program, groups: await groupsOf(program.id) }, filled),
  },

  showAffiliate: async ({ session, program, parameters, query, now }) =>
    affiliateView(
      session,
      program,
      await readAffiliateParts(program, parameters.affiliateId, shownPeriod(query, now), now),
    ),

  showStatement: async ({ program, parameters: { affiliateId }, query, now }) => {
    const today = dayOf(now);
    const thisMonth = { first: `${today.slice(0, 7)}-01`, last: today };
    // A payout batch without a start pays sales of any age.
    const most = query.batch ? Number.POSITIVE_INFINITY : maxDays;
    const chosen = enteredPeriod(query, thisMonth, now, most);
    return statementView(
      program,
      await readStatement(program.id, affiliateId, chosen.period, query.batch),
      chosen,
      now,
    );
  },

  showAffiliateEdit: async ({ session, program, parameters }) => {
    const [affiliate, groups] = await Promise.all([
      readAffiliate(program.id, parameters.affiliateId),
      groupsOf(program.id),
    ]);
    return affiliateEditView({ session, program, groups }, affiliate, unfilled);
  },

  editAffiliate: {
    submit: async ({ program, parameters: { affiliateId }, form, now }) => {
      await updateAffiliate(program.id, { affiliateId, ...form }, undefined, now);
      return redirect(withFlash(affiliatePath(program.id, affiliateId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) => {
      const [affiliate, groups] = await Promise.all([
        readAffiliate(program.id, parameters.affiliateId),
        groupsOf(program.id),
      ]);
      return affiliateEditView({ session, program, groups }, affiliate, filled);
    },
  },

  confirmAffiliateStatus: async ({ session, program, parameters, query }) =>
    affiliateStatusView({ session, program }, await readAffiliate(program.id, parameters.affiliateId), query.status),

  setAffiliateStatus: async ({ program, parameters: { affiliateId }, form, now }) => {
    await updateAffiliate(program.id, { affiliateId, status: form.status }, undefined, now);
    return redirect(withFlash(affiliatePath(program.id, affiliateId), `affiliate-${form.status}`));
  },

  confirmAffiliateDeletion: async ({ session, program, parameters }) =>
    affiliateDeletionView({ session, program }, await readAffiliate(program.id, parameters.affiliateId), unfilled),

  removeAffiliate: {
    submit: async ({ program, parameters, now }) => {
      await deleteAffiliate(program.id, parameters.affiliateId, undefined, now);
      return redirect(withFlash(affiliatesPath(program.id), 'affiliate-deleted'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      affiliateDeletionView({ session, program }, await readAffiliate(program.id, parameters.affiliateId), filled),
  },
};
