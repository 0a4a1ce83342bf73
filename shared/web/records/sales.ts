import { ApiError, fieldError } from '../../contract/errors.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type salePages, showHeldSales, showSales } from '../../contract/pages/sales.ts';
import { createSale as operation } from '../../contract/sales.ts';
import { groupsOf } from '../../domain/groups/repository.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { reviewsSales } from '../../domain/programs/review-rules.ts';
import { promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { referrals } from '../../domain/referrals/repository.ts';
import { createSale } from '../../domain/sales/create-sale.ts';
import { deleteSale } from '../../domain/sales/delete-sale.ts';
import { listSales, salesByReference, salesInReview } from '../../domain/sales/list-sales.ts';
import { previewSale } from '../../domain/sales/preview-sale.ts';
import { refundSale } from '../../domain/sales/refund-sale.ts';
import { reviewSale } from '../../domain/sales/review-sale.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { requireSale, updateSale } from '../../domain/sales/update-sale.ts';
import { parseFields } from '../../http/parsing.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import { askWhichAffiliate, choicesFor, namedAffiliate } from '../forms/affiliate-choice.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { itemsToAddUp, listPart, rangeOf } from '../lists/list-part.ts';
import { affiliatesNamed, listWithAffiliates } from '../lists/related-records.ts';
import { groupNameOf } from '../pages/commission-rule.tsx';
import { saleView } from '../pages/sale.tsx';
import { ownRateOf, saleCsvColumns } from '../pages/sale-fields.tsx';
import { newSaleView, refundView, saleDeletionView, saleEditView } from '../pages/sale-forms.tsx';
import { salePreviewView } from '../pages/sale-preview.tsx';
import { heldSalesView } from '../pages/sale-review.tsx';
import { heldSalesPath, salePath, salesPath, salesView } from '../pages/sales.tsx';
import { redirect } from '../responses.ts';

type Filters = PageQuery<typeof showSales>;

const concurrentDecisions = 5;

/** The API finds this with the key. */
const reviewed = (program: StoredProgram) => ({ ...program, reviewsSales: reviewsSales(program) });

const listed = async (programId: string, filters: Filters, request: PageRequest) => {
  const { reference, search, affiliateEmail, status, reviewStatus, payout } = filters;
  if (!reference) return listSales(programId, { search, affiliateEmail, status, reviewStatus, payout }, request);
  const found = await salesByReference(programId, reference);
  return new Page(
    found.map((item) => ({ item, position: item.id })),
    undefined,
  );
};

/** A reference finds the sale of any affiliate. */
const listedWithAffiliates = (programId: string, filters: Filters, request: PageRequest) =>
  listWithAffiliates(
    programId,
    filters.reference ? undefined : filters.affiliateEmail,
    listed(programId, filters, request),
  );

/** 404 for anything but a number. */
const saleIdOf = ({ saleNumber }: { saleNumber: string }): number => {
  if (!/^\d{1,16}$/.test(saleNumber) || !Number.isSafeInteger(Number(saleNumber)))
    throw new ApiError('not_found', 'Sale not found');
  return Number(saleNumber);
};

/** False if someone else has decided otherwise about one of them, or deleted it. */
const decideAll = async (
  programId: string,
  numbers: readonly string[],
  decision: 'APPROVE' | 'REJECT',
  now: Date,
): Promise<boolean> => {
  let isDecided = true;
  await forEachConcurrent(numbers, concurrentDecisions, async (saleNumber) => {
    try {
      await reviewSale(programId, { saleId: saleIdOf({ saleNumber }), decision }, now);
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 'conflict' && error.code !== 'not_found')) throw error;
      isDecided = false;
    }
  });
  return isDecided;
};

const readRelated = async (
  programId: string,
  { affiliateId, referralId, promotionalCodeId, commissionRule }: StoredSale,
) => {
  const [found, referral, code, groups] = await Promise.all([
    affiliatesNamed(programId, [affiliateId]),
    referralId ? referrals.get(programId, referralId) : undefined,
    promotionalCodeId ? promotionalCodes.get(programId, promotionalCodeId) : undefined,
    commissionRule ? groupsOf(programId) : undefined,
  ]);
  const groupName = commissionRule && groups && groupNameOf(programId, groups, commissionRule.groupId);
  return { affiliate: found.get(affiliateId ?? ''), referral, code, groupName: groupName ?? undefined };
};

export const saleHandlers: PageHandlersOf<typeof salePages> = {
  showSales: async ({ program, query, address }) => {
    const asked = await askWhichAffiliate(program.id, query.affiliateEmail, address);
    if (asked) return asked;
    const part = listPart(showSales, program.id, salesPath(program.id), query);
    const { found, byId } = await listedWithAffiliates(program.id, query, part.request);
    const addedUp = await itemsToAddUp(part, found, query.totals === 'on', (request) =>
      listed(program.id, query, request),
    );
    return salesView(program, query, { part, page: found, addedUp }, byId);
  },

  downloadSales: (request) => {
    const { program, query } = request;
    return csvDownload(request, {
      name: 'sales',
      columns: saleCsvColumns(program),
      range: rangeOf(query),
      count: (page) => listed(program.id, query, page),
      read: async (page) => {
        const { found, byId } = await listedWithAffiliates(program.id, query, page);
        return found.map((sale) => ({ sale, affiliate: byId.get(sale.affiliateId ?? '') }));
      },
    });
  },

  showHeldSales: async ({ session, program, query }) => {
    const part = listPart(showHeldSales, program.id, heldSalesPath(program.id), query);
    const { found, byId } = await listWithAffiliates(
      program.id,
      undefined,
      salesInReview(program.id, 'HELD', part.request),
    );
    return heldSalesView({ session, program }, part, found, byId);
  },

  decideSales: async ({ program, form: { action, ...chosen }, address, now }) => {
    const ids = Object.keys(chosen).slice(0, 100);
    const decision = action === 'approve' ? 'APPROVE' : 'REJECT';
    const isDecided = await decideAll(program.id, ids, decision, now);
    const name = action === 'approve' ? 'sales-approved' : 'sales-rejected';
    const done = isDecided ? name : 'sales-not-all-decided';
    return redirect(withFlash(address, ids.length === 0 ? 'nothing-chosen' : done));
  },

  showNewSale: ({ session, program, query }) =>
    newSaleView({ session, program }, { initial: query.affiliateEmail }, unfilled),

  addSale: {
    submit: async ({ program, form: { affiliateEmail, chosenAffiliate, ...form }, now }) => {
      const affiliate = await namedAffiliate(program.id, { affiliateEmail, chosenAffiliate });
      if (affiliate && form.referralId != null)
        throw fieldError('referralId', 'referralId must be empty where an affiliate is named');
      const referralId = affiliate?.id ?? form.referralId;
      if (form.email == null && form.promoCode == null && referralId == null)
        throw fieldError('promoCode', 'promoCode is required unless you enter an email or an affiliate');
      const sale = await createSale(reviewed(program), parseFields(operation.body, { ...form, referralId }), now);
      return redirect(withFlash(salePath(program.id, sale), 'sale-created'));
    },
    showAgain: async ({ session, program }, filled) =>
      newSaleView({ session, program }, await choicesFor(program.id, filled), filled),
  },

  showSalePreview: ({ session, program, query }) =>
    salePreviewView({ session, program }, { initial: query.affiliateEmail }, unfilled),

  previewSale: {
    submit: async ({ session, program, form: { productId, ...form }, entered, now }) => {
      const affiliate = await namedAffiliate(program.id, form);
      if (!affiliate) throw fieldError('affiliateEmail', 'affiliateEmail is required');
      const { totalEarned, email } = form;
      const product = productId == null ? undefined : { productId };
      const sale = { affiliateId: affiliate.id, totalEarned, email, product };
      const [earning, groups] = await Promise.all([previewSale(program, sale, now), groupsOf(program.id)]);
      const groupName = groupNameOf(program.id, groups, earning.commissionRule?.groupId ?? '');
      const again = { ...unfilled, values: { ...entered, affiliateEmail: affiliate.email } };
      return salePreviewView({ session, program }, {}, again, { earning, affiliate, groupName });
    },
    showAgain: async ({ session, program }, filled) =>
      salePreviewView({ session, program }, await choicesFor(program.id, filled), filled),
  },

  showSale: async ({ session, program, parameters }) => {
    const sale = await requireSale(program.id, saleIdOf(parameters));
    return saleView({ session, program }, sale, await readRelated(program.id, sale));
  },

  showSaleEdit: async ({ session, program, parameters }) =>
    saleEditView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), unfilled),

  editSale: {
    submit: async ({ program, parameters, form: { commissionRate, ...form }, now }) => {
      const saleId = saleIdOf(parameters);
      // A rate that was left as it is must not decide the commission anew.
      const isKept =
        commissionRate === undefined || commissionRate === ownRateOf(await requireSale(program.id, saleId));
      const sent = { saleId, ...form, ...(!isKept && { commissionRate }) };
      const sale = await updateSale(reviewed(program), sent, undefined, now);
      return redirect(withFlash(salePath(program.id, sale), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      saleEditView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), filled),
  },

  showRefund: async ({ session, program, parameters }) =>
    refundView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), unfilled),

  refund: {
    submit: async ({ program, parameters, form: { scope, amount, version }, now }) => {
      if (scope === 'part' && amount == null) throw fieldError('amount', 'amount is required for a refund in part');
      const body = { saleId: saleIdOf(parameters), ...(scope === 'part' && { amount }) };
      const { sale } = await refundSale(program, body, [version], now);
      return redirect(withFlash(salePath(program.id, sale), 'sale-refunded'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      refundView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), filled),
  },

  confirmSaleDeletion: async ({ session, program, parameters }) =>
    saleDeletionView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), unfilled),

  removeSale: {
    submit: async ({ program, parameters, now }) => {
      await deleteSale(program.id, saleIdOf(parameters), undefined, now);
      return redirect(withFlash(salesPath(program.id), 'sale-deleted'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      saleDeletionView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), filled),
  },
};
