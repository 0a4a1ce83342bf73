import type * as z from 'zod';
import { fieldError } from '../../contract/errors.ts';
import {
  type payoutBatchPages,
  type payoutForm,
  showPayoutBatch,
  showPayoutBatches,
} from '../../contract/pages/payout-batches.ts';
import { couponContradiction } from '../../contract/payout-batches.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { createPayoutBatch, newPayoutBatch } from '../../domain/payouts/create-payout-batch.ts';
import { deletePayoutBatch } from '../../domain/payouts/delete-payout-batch.ts';
import { byPaymentMethod, findBatchWithPaymentMethods, paidByCodes } from '../../domain/payouts/payment-methods.ts';
import { findPayoutCoupon, refusalOfCoupon } from '../../domain/payouts/payout-coupon.ts';
import { previewPayouts } from '../../domain/payouts/prepare/preview.ts';
import { batchesWithStatus, payoutBatches } from '../../domain/payouts/repository.ts';
import {
  findBatchWithPayouts,
  findPayoutBatch,
  payoutsWithAffiliates,
  payoutsWithoutAffiliates,
} from '../../domain/payouts/responses.ts';
import type { StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import { updatePayoutBatch } from '../../domain/payouts/update-payout-batch.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { type Filled, unfilled } from '../components/controls.tsx';
import { nextDay, startOfDay } from '../components/days.ts';
import { withFlash } from '../components/flash.ts';
import { choicesFor, namedAffiliate } from '../forms/affiliate-choice.tsx';
import { couponChoice } from '../forms/coupon-choice.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { itemsToAddUp, listPart, rangeOf } from '../lists/list-part.ts';
import { newPayoutView, payoutPreviewView } from '../pages/new-payout.tsx';
import { paymentView, payoutBatchDeletionView, payoutBatchView } from '../pages/payout-batch.tsx';
import { batchCsvColumns } from '../pages/payout-batch-fields.tsx';
import { payoutBatchesPath, payoutBatchesView, payoutBatchPath } from '../pages/payout-batches.tsx';
import { isPaidBy, leftOutOfFiles, payoutFileColumns } from '../pages/payout-files.ts';
import { redirect } from '../responses.ts';
import type { Session } from '../session/session.ts';

const listBatches = (programId: string, status: StoredPayoutBatch['status'] | undefined, request: PageRequest) =>
  payoutBatches.page(programId, request, status && batchesWithStatus(status));

type Entered = z.output<typeof payoutForm>;

const withoutCoupon = 'Choose the coupon whose codes pay the affiliates';
const withoutMethod = 'Choose the payment method Coupon, or no coupon';

/** The days of a form as the times that a batch has: it ends before the day after the last one. */
const selectionOf = (
  { affiliateEmail: _, chosenAffiliate: __, periodStart, periodEnd, ...form }: Entered,
  affiliate: StoredAffiliate | undefined,
) => {
  if (couponContradiction(form)) throw fieldError('couponId', form.couponId ? withoutMethod : withoutCoupon);
  return {
    ...form,
    affiliateIds: affiliate && [affiliate.id],
    periodStart: periodStart && startOfDay(periodStart),
    periodEnd: periodEnd && startOfDay(nextDay(periodEnd)),
  };
};

const couponsOffered = ({ id, currency }: StoredProgram, couponId: string | undefined, now: Date) =>
  couponChoice(id, couponId, {
    category: 'PAYOUT',
    isOffered: (coupon) => refusalOfCoupon(coupon, currency, now) === undefined,
  });

const formAgain = async (
  { session, program, now }: { session: Session; program: StoredProgram; now: Date },
  filled: Filled,
) => {
  const [affiliateChoice, offered] = await Promise.all([
    choicesFor(program.id, filled),
    couponsOffered(program, filled.values.couponId, now),
  ]);
  return newPayoutView({ session, program }, { ...affiliateChoice, ...offered }, filled);
};

const payoutPage = async (
  programId: string,
  batch: StoredPayoutBatch,
  request: PageRequest,
  read = payoutsWithAffiliates,
) => {
  const { entries, next } = await read(programId, batch, request);
  return new Page(
    entries.map((item) => ({ item, position: item.payout.affiliateId })),
    next,
  );
};

export const payoutBatchHandlers: PageHandlersOf<typeof payoutBatchPages> = {
  showPayoutBatches: async ({ program, query }) => {
    const part = listPart(showPayoutBatches, program.id, payoutBatchesPath(program.id), query);
    const list = (request: PageRequest) => listBatches(program.id, query.status, request);
    const page = await list(part.request);
    const addedUp = await itemsToAddUp(part, page, query.totals === 'on', list);
    return payoutBatchesView(program, query, { part, page, addedUp });
  },

  downloadPayoutBatches: (request) => {
    const { program, query } = request;
    const read = (page: PageRequest) => listBatches(program.id, query.status, page);
    return csvDownload(request, {
      name: 'payout-batches',
      columns: batchCsvColumns,
      range: rangeOf(query),
      count: read,
      read,
    });
  },

  showNewPayoutBatch: async ({ session, program, query, now }) => {
    const offered = await couponsOffered(program, query.couponId, now);
    return newPayoutView({ session, program }, { initial: query.affiliateEmail, ...offered }, unfilled);
  },

  previewPayoutBatch: {
    submit: async ({ session, program, form, entered, now }) => {
      const affiliate = await namedAffiliate(program.id, form);
      const batch = newPayoutBatch(program.currency, selectionOf(form, affiliate), now);
      const { chosenAffiliate: _, ...others }: Readonly<Record<string, string>> = entered;
      const fields = { ...others, ...(affiliate && { affiliateEmail: affiliate.email }) };
      const [coupon, preview] = await Promise.all([
        findPayoutCoupon(program.id, batch, now),
        previewPayouts(program.id, batch),
      ]);
      return payoutPreviewView({ session, program }, { batch, coupon }, preview, fields);
    },
    showAgain: formAgain,
  },

  addPayoutBatch: {
    submit: async ({ program, form, now }) => {
      const { id } = await createPayoutBatch(program, selectionOf(form, await namedAffiliate(program.id, form)), now);
      return redirect(payoutBatchPath(program.id, id));
    },
    showAgain: formAgain,
  },

  showPayoutBatch: async ({ program, parameters: { payoutBatchId }, query }) => {
    const part = listPart(showPayoutBatch, program.id, payoutBatchPath(program.id, payoutBatchId), query);
    const { batch, ...payouts } = await findBatchWithPayouts(program.id, payoutBatchId, part.request);
    const isWhole = !part.isFurtherOn && payouts.next === undefined;
    if (batch.couponId !== null) {
      const { couponId } = batch;
      const kept = await coupons.get(program.id, couponId);
      const coupon = kept ?? (await coupons.getManyEvenDeleted(program.id, [couponId])).get(couponId);
      // Only copies of a deleted coupon still pay.
      const createsCodes = kept !== undefined || coupon?.couponType === 'FLAT';
      return payoutBatchView(program.id, batch, { part, ...payouts }, { methods: paidByCodes, coupon, createsCodes });
    }
    const methods = isWhole
      ? byPaymentMethod(payouts.entries.map(({ payout, affiliate }) => ({ ...payout, affiliate })))
      : (await findBatchWithPaymentMethods(program.id, payoutBatchId)).methods;
    return payoutBatchView(
      program.id,
      batch,
      { part, ...payouts },
      { methods, coupon: undefined, createsCodes: false },
    );
  },

  downloadPayouts: async (request) => {
    const { program, parameters, query } = request;
    const { format } = query;
    const batch = await findPayoutBatch(program.id, parameters.payoutBatchId);
    return csvDownload(request, {
      name: `payouts-${format}`,
      columns: payoutFileColumns(batch, format),
      count: (page) => payoutPage(program.id, batch, page, payoutsWithoutAffiliates),
      read: (page) => payoutPage(program.id, batch, page),
      only: (pages) => isPaidBy(format, pages),
    });
  },

  confirmPayment: async ({ session, program, parameters }) =>
    paymentView(
      { session, program },
      await findBatchWithPaymentMethods(program.id, parameters.payoutBatchId),
      unfilled,
    ),

  markAsPaid: {
    submit: async ({ program, parameters: { payoutBatchId }, form, now }) => {
      const { batch, methods } = await findBatchWithPaymentMethods(program.id, payoutBatchId);
      const { count } = leftOutOfFiles(methods);
      if (batch.status === 'READY' && (count > 0 || !methods.isComplete) && form.leftOut !== count)
        throw fieldError('leftOut', 'leftOut must be ticked: check below who is in no payment file');
      await updatePayoutBatch(program.id, { payoutBatchId, status: 'PAID' }, undefined, now);
      return redirect(withFlash(payoutBatchPath(program.id, payoutBatchId), 'batch-paid'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      paymentView(
        { session, program },
        await findBatchWithPaymentMethods(program.id, parameters.payoutBatchId),
        filled,
      ),
  },

  confirmPayoutBatchDeletion: async ({ session, program, parameters }) =>
    payoutBatchDeletionView(session, program.id, await findPayoutBatch(program.id, parameters.payoutBatchId)),

  removePayoutBatch: async ({ program, parameters, now }) => {
    await deletePayoutBatch(program.id, parameters.payoutBatchId, undefined, now);
    return redirect(withFlash(payoutBatchesPath(program.id), 'batch-deleted'));
  },
};
