import { ApiError, fieldError } from '../../contract/errors.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type salePages, showSales } from '../../contract/pages/sales.ts';
import { createSale as operation } from '../../contract/sales.ts';
import { promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { referrals } from '../../domain/referrals/repository.ts';
import { createSale } from '../../domain/sales/create-sale.ts';
import { deleteSale } from '../../domain/sales/delete-sale.ts';
import { listSales, salesByReference } from '../../domain/sales/list-sales.ts';
import { refundSale } from '../../domain/sales/refund-sale.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { requireSale, updateSale } from '../../domain/sales/update-sale.ts';
import { parseFields } from '../../http/parsing.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { unfilled } from '../controls.tsx';
import { csvDownload, everyPage } from '../csv-download.ts';
import { withFlash } from '../flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { listPart, rangeOf } from '../list-part.ts';
import { newSaleView, refundView, saleDeletionView, saleEditView, saleView } from '../pages/sale.tsx';
import { saleCsvColumns, salePath, salesPath, salesView } from '../pages/sales.tsx';
import { affiliatesNamed, listWithAffiliates } from '../related-records.ts';
import { redirect } from '../responses.ts';

type Filters = PageQuery<typeof showSales>;

const listed = async (programId: string, filters: Filters, request: PageRequest) => {
  const { reference, search, affiliateEmail, status } = filters;
  if (!reference) return listSales(programId, { search, affiliateEmail, status }, request);
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

const readRelated = async (programId: string, { affiliateId, referralId, promotionalCodeId }: StoredSale) => {
  const [found, referral, code] = await Promise.all([
    affiliatesNamed(programId, [affiliateId]),
    referralId ? referrals.get(programId, referralId) : undefined,
    promotionalCodeId ? promotionalCodes.get(programId, promotionalCodeId) : undefined,
  ]);
  return { affiliate: found.get(affiliateId ?? ''), referral, code };
};

export const saleHandlers: PageHandlersOf<typeof salePages> = {
  showSales: async ({ program, query }) => {
    const part = listPart(showSales, program.id, salesPath(program.id), query);
    const { found, byId } = await listedWithAffiliates(program.id, query, part.request);
    return salesView(program, query, part, found, byId);
  },

  downloadSales: ({ program, query }) =>
    csvDownload(
      'sales',
      saleCsvColumns(program),
      everyPage(rangeOf(query), async (request) => {
        const { found, byId } = await listedWithAffiliates(program.id, query, request);
        return found.map((sale) => ({ sale, affiliate: byId.get(sale.affiliateId ?? '') }));
      }),
    ),

  showNewSale: ({ session, program }) => newSaleView({ session, program }, unfilled),

  addSale: {
    submit: async ({ program, form, now }) => {
      if (form.email == null && form.promoCode == null && form.referralId == null)
        throw fieldError('promoCode', 'promoCode is required unless you enter an email or a link');
      const sale = await createSale(program, parseFields(operation.body, form), now);
      return redirect(withFlash(salePath(program.id, sale), 'sale-created'));
    },
    showAgain: ({ session, program }, filled) => newSaleView({ session, program }, filled),
  },

  showSale: async ({ program, parameters }) => {
    const sale = await requireSale(program.id, saleIdOf(parameters));
    return saleView(program, sale, await readRelated(program.id, sale));
  },

  showSaleEdit: async ({ session, program, parameters }) =>
    saleEditView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), unfilled),

  editSale: {
    submit: async ({ program, parameters, form, now }) => {
      const sale = await updateSale(program, { saleId: saleIdOf(parameters), ...form }, undefined, now);
      return redirect(withFlash(salePath(program.id, sale), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      saleEditView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), filled),
  },

  showRefund: async ({ session, program, parameters }) =>
    refundView({ session, program }, await requireSale(program.id, saleIdOf(parameters)), unfilled),

  refund: {
    submit: async ({ program, parameters, form: { amount, version }, now }) => {
      const { sale } = await refundSale(program, { saleId: saleIdOf(parameters), amount }, [version], now);
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
