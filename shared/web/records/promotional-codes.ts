import { fieldError } from '../../contract/errors.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type promotionalCodePages, showPromotionalCodes } from '../../contract/pages/promotional-codes.ts';
import { createPromotionalCode as operation } from '../../contract/promotional-codes.ts';
import { affiliateIdOfFilter, affiliates } from '../../domain/affiliates/repository.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { createPromotionalCodesInBulk } from '../../domain/promotional-codes/create-many.ts';
import { createPromotionalCode } from '../../domain/promotional-codes/create-promotional-code.ts';
import { deletePromotionalCode } from '../../domain/promotional-codes/delete-promotional-code.ts';
import { findPromotionalCode, listPromotionalCodes } from '../../domain/promotional-codes/list-promotional-codes.ts';
import { promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { codeResponses } from '../../domain/promotional-codes/responses.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import { updatePromotionalCode } from '../../domain/promotional-codes/update-promotional-code.ts';
import { sales, salesOfCode } from '../../domain/sales/repository.ts';
import { parseFields } from '../../http/parsing.ts';
import { respondWithOne, respondWithPage } from '../../http/selectors.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { pageByValue } from '../../platform/table/search.ts';
import { unfilled } from '../components/controls.tsx';
import { dayOf, expiryOf } from '../components/days.ts';
import { withFlash } from '../components/flash.ts';
import { askWhichAffiliate, choicesFor, namedAffiliate } from '../forms/affiliate-choice.tsx';
import { couponChoice } from '../forms/coupon-choice.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf, recordsInPart } from '../lists/list-part.ts';
import { readInOneTrip } from '../lists/related-records.ts';
import { bulkCodesView, bulkResultView } from '../pages/bulk-codes.tsx';
import { codesPath } from '../pages/coupons.tsx';
import { codeDeletionView, codeEditView, newCodeView, promotionalCodeView } from '../pages/promotional-code.tsx';
import { codeCsvColumns } from '../pages/promotional-code-fields.tsx';
import { codePath, type ListedCode, promotionalCodesView } from '../pages/promotional-codes.tsx';
import { redirect } from '../responses.ts';

type Filters = PageQuery<typeof showPromotionalCodes>;

const newestSales = { limit: 10 };
const couponsBeside = { limit: recordsInPart - 1 };
const concurrentEdits = 5;

/** Whether the index of codes gives the list, in its order. */
const isByText = ({ code, sort }: Filters): boolean => Boolean(code) || sort === 'code';

const findCodes = async (
  programId: string,
  filters: Filters,
  request: PageRequest,
): Promise<Page<StoredPromotionalCode>> => {
  const { code, affiliateEmail, state } = filters;
  const active = state && state === 'active';
  if (!isByText(filters)) return listPromotionalCodes(programId, { affiliateEmail, active }, request);
  // The index of the local stack is case-insensitive.
  const keep = (one: StoredPromotionalCode) =>
    one.code.startsWith(code ?? '') && (active === undefined || one.active === active);
  const [affiliateId, found] = await Promise.all([
    affiliateIdOfFilter(programId, { affiliateEmail }),
    pageByValue(promotionalCodes, programId, { name: 'CODE', prefix: code ?? '', keep }, request),
  ]);
  if (affiliateId === null) return new Page([], undefined);
  const ofAffiliate = found.entries.filter(({ item }) => !affiliateId || item.affiliateId === affiliateId);
  return new Page(ofAffiliate, found.next);
};

const listCodes = async (program: { id: string }, filters: Filters, request: PageRequest, now: Date) =>
  respondWithPage(await findCodes(program.id, filters, request), (codes) =>
    codeResponses(readInOneTrip(program), codes, now),
  );

/** In three round trips: the newest coupons are read beside the codes, and the names of others stay unknown. */
const listCodesOfAffiliate = async (
  programId: string,
  filters: Filters & { affiliateEmail: string },
  request: PageRequest,
): Promise<Page<ListedCode>> => {
  const [found, affiliate, { items }] = await Promise.all([
    findCodes(programId, filters, request),
    affiliates.find(programId, 'EMAIL', filters.affiliateEmail),
    coupons.page(programId, couponsBeside),
  ]);
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return found.map((code) => ({
    ...code,
    affiliate: affiliate ?? null,
    coupon: { id: code.couponId, name: names.get(code.couponId) ?? null },
  }));
};

const readCode = (programId: string, value: string) => findPromotionalCode(programId, { name: 'id', value });

/** Copies of a coupon for one payout have no codes but those of the payout. */
const couponsOffered = (programId: string, couponId: string | undefined) =>
  couponChoice(programId, couponId, { isOffered: ({ payoutBatchId }) => payoutBatchId === null });

const whenEmpty = { firstName: true, lastName: true, discountAmount: true };

const lineOf = (line: string) => {
  const [code = '', affiliateEmail] = line.split(/\s*,\s*/);
  return { code, ...(affiliateEmail && { affiliateEmail }) };
};

export const promotionalCodeHandlers: PageHandlersOf<typeof promotionalCodePages> = {
  showPromotionalCodes: async ({ session, program, query, address, now }) => {
    const asked = await askWhichAffiliate(program.id, query.affiliateEmail, address);
    if (asked) return asked;
    const part = listPart(showPromotionalCodes, program.id, codesPath(program.id), query);
    const { affiliateEmail } = query;
    const found: Page<ListedCode> =
      affiliateEmail && !isByText(query)
        ? await listCodesOfAffiliate(program.id, { ...query, affiliateEmail }, part.request)
        : await listCodes(program, query, part.request, now);
    return promotionalCodesView({ session, program }, query, part, found, now);
  },

  downloadPromotionalCodes: (request) => {
    const { program, query, now } = request;
    return csvDownload(request, {
      name: 'promotional-codes',
      columns: codeCsvColumns,
      range: rangeOf(query),
      count: (page) => findCodes(program.id, query, page),
      read: (page) => listCodes(program, query, page, now),
    });
  },

  setCodesActive: async ({ program, form: { action, ...chosen }, address, now }) => {
    const ids = Object.keys(chosen).slice(0, 100);
    await forEachConcurrent(ids, concurrentEdits, async (promotionalCodeId) => {
      await updatePromotionalCode(program, { promotionalCodeId, active: action === 'activate' }, undefined, now);
    });
    const name = action === 'activate' ? 'codes-activated' : 'codes-deactivated';
    // The filters of the list are in its address.
    return redirect(withFlash(address, ids.length === 0 ? 'nothing-chosen' : name));
  },

  showNewPromotionalCode: async ({ session, program, query }) =>
    newCodeView(
      { session, program },
      await couponsOffered(program.id, query.couponId),
      { initial: query.affiliateEmail },
      unfilled,
    ),

  addPromotionalCode: {
    submit: async ({ program, form: { affiliateEmail, chosenAffiliate, ...form }, now }) => {
      const affiliate = await namedAffiliate(program.id, { affiliateEmail, chosenAffiliate });
      if (form.code == null && !affiliate) throw fieldError('code', 'code is required unless you enter an affiliate');
      const generated = form.code == null && { isAutoGenerated: true, codeStructure: whenEmpty };
      const body = parseFields(operation.body, {
        ...form,
        ...generated,
        affiliateId: affiliate?.id,
        expiresAt: expiryOf('expiresAt', form.expiresAt, now),
        limitToCustomers: form.customerId != null,
      });
      const { code } = await createPromotionalCode(program, body, now);
      return redirect(withFlash(codePath(program.id, code.id), 'code-created'));
    },
    showAgain: async ({ session, program }, filled) => {
      const [choice, affiliate] = await Promise.all([
        couponsOffered(program.id, filled.values.couponId),
        choicesFor(program.id, filled),
      ]);
      return newCodeView({ session, program }, choice, affiliate, filled);
    },
  },

  showBulkCodes: async ({ session, program, query }) =>
    bulkCodesView({ session, program }, await couponsOffered(program.id, query.couponId), unfilled),

  addCodesInBulk: {
    submit: async ({ session, program, form: { codes, ...form }, entered, now }) => {
      const terms = { ...form, expiresAt: expiryOf('expiresAt', form.expiresAt, now) };
      const entries = codes.map((line) => ({ ...terms, ...lineOf(line) }));
      const results = (await createPromotionalCodesInBulk(program, entries, now)).map(({ error }, at) => ({
        line: codes[at] ?? '',
        error,
      }));
      return bulkResultView({ session, program }, await couponsOffered(program.id, terms.couponId), results, entered);
    },
    showAgain: async ({ session, program }, filled) =>
      bulkCodesView({ session, program }, await couponsOffered(program.id, filled.values.couponId), filled),
  },

  showPromotionalCode: async ({ program, parameters: { promotionalCodeId }, now }) => {
    const [{ stored, shown }, sold] = await Promise.all([
      readCode(program.id, promotionalCodeId).then(async (stored) => ({
        stored,
        shown: await respondWithOne(stored, (codes) => codeResponses(readInOneTrip(program), codes, now)),
      })),
      sales.page(program.id, newestSales, salesOfCode(promotionalCodeId)),
    ]);
    return promotionalCodeView(program, stored, shown, sold.items, now);
  },

  showPromotionalCodeEdit: async ({ session, program, parameters }) =>
    codeEditView({ session, program }, await readCode(program.id, parameters.promotionalCodeId), unfilled),

  editPromotionalCode: {
    submit: async ({ program, parameters: { promotionalCodeId }, form, now }) => {
      const { expiresAt, ...rest } = form;
      const before = await readCode(program.id, promotionalCodeId);
      // The time that an integration has set survives a form that shows its day alone.
      const isSameDay = expiresAt === (before.expiresAt && dayOf(before.expiresAt));
      const limitToCustomers = form.customerId != null;
      const body = {
        promotionalCodeId,
        ...rest,
        limitToCustomers,
        ...(!isSameDay && { expiresAt: expiryOf('expiresAt', expiresAt, now) }),
      };
      await updatePromotionalCode(program, body, undefined, now);
      return redirect(withFlash(codePath(program.id, promotionalCodeId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      codeEditView({ session, program }, await readCode(program.id, parameters.promotionalCodeId), filled),
  },

  confirmPromotionalCodeDeletion: async ({ session, program, parameters }) =>
    codeDeletionView(session, program.id, await readCode(program.id, parameters.promotionalCodeId)),

  removePromotionalCode: async ({ program, parameters, now }) => {
    await deletePromotionalCode(program.id, parameters.promotionalCodeId, undefined, now);
    return redirect(withFlash(codesPath(program.id), 'code-deleted'));
  },
};
