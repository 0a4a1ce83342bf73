import { updateCoupon as editOperation, createCoupon as operation } from '../../contract/coupons.ts';
import { requireRecord } from '../../contract/errors.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type couponPages, showCoupon, showCoupons } from '../../contract/pages/coupons.ts';
import { createCoupon } from '../../domain/coupons/create-coupon.ts';
import { deleteCoupon } from '../../domain/coupons/delete-coupon.ts';
import { coupons, couponsNamed, couponsOfType } from '../../domain/coupons/repository.ts';
import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import { updateCoupon } from '../../domain/coupons/update-coupon.ts';
import { codesOfCoupon, promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { parseFields } from '../../http/parsing.ts';
import type { PageRequest } from '../../platform/table/page.ts';
import { unfilled } from '../components/controls.tsx';
import { dayOf, expiryOf } from '../components/days.ts';
import { withFlash } from '../components/flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { couponView } from '../pages/coupon.tsx';
import { couponCsvColumns } from '../pages/coupon-fields.tsx';
import { couponDeletionView, couponEditView, newCouponView } from '../pages/coupon-forms.tsx';
import { couponPath, couponsPath, couponsView } from '../pages/coupons.tsx';
import { redirect } from '../responses.ts';

const readCoupon = async (programId: string, couponId: string): Promise<StoredCoupon> =>
  requireRecord(await coupons.get(programId, couponId), 'Coupon');

type Filters = PageQuery<typeof showCoupons>;

const listCoupons = (programId: string, { name, couponType }: Filters, request: PageRequest) =>
  coupons.page(
    programId,
    request,
    (name && couponsNamed(name)) || (couponType && couponsOfType(couponType)) || undefined,
    (coupon) => !couponType || coupon.couponType === couponType,
  );

/** The rule for the tick box of a form; an existing rule keeps its other settings. */
const automaticRule = (isAutomatic: boolean, coupon?: StoredCoupon) => {
  const rule = coupon?.autoCouponRule;
  if (rule) return { ...rule, enabled: isAutomatic };
  if (!isAutomatic) return null;
  const codeStructure = { firstName: true, lastName: true, discountAmount: true, randomChars: true };
  return { enabled: true, codeStructure, randomCharsCase: 'uppercase' as const };
};

const restriction = (productIds: readonly string[] | null | undefined) => ({
  limitToProducts: Boolean(productIds?.length),
  productIds: productIds ?? [],
});

export const couponHandlers: PageHandlersOf<typeof couponPages> = {
  showCoupons: async ({ program, query, now }) => {
    const part = listPart(showCoupons, program.id, couponsPath(program.id), query);
    return couponsView(program.id, query, part, await listCoupons(program.id, query, part.request), now);
  },

  downloadCoupons: (request) => {
    const { program, query, now } = request;
    const read = (page: PageRequest) => listCoupons(program.id, query, page);
    return csvDownload(request, {
      name: 'coupons',
      columns: couponCsvColumns(now),
      range: rangeOf(query),
      count: read,
      read,
    });
  },

  showNewCoupon: ({ session, program }) => newCouponView({ session, program }, unfilled),

  addCoupon: {
    submit: async ({ program, form, now }) => {
      const { isAutomatic, productIds, percentOff, amountOff, duration, durationInMonths, ...rest } = form;
      // The fields of the other kind of discount are hidden, and ignored.
      const discount = rest.couponType === 'FLAT' ? { amountOff, currency: program.currency } : { percentOff };
      const body = {
        ...rest,
        ...discount,
        ...restriction(productIds),
        duration,
        durationInMonths: duration === 'repeating' ? durationInMonths : null,
        redeemBy: expiryOf('redeemBy', rest.redeemBy, now),
        autoCouponRule: automaticRule(isAutomatic),
      };
      const { id } = await createCoupon(program.id, parseFields(operation.body, body), now);
      return redirect(withFlash(couponPath(program.id, id), 'coupon-created'));
    },
    showAgain: ({ session, program }, filled) => newCouponView({ session, program }, filled),
  },

  showCoupon: async ({ program, parameters: { couponId }, query, now }) => {
    const part = listPart(showCoupon, program.id, couponPath(program.id, couponId), query);
    const [coupon, codes] = await Promise.all([
      readCoupon(program.id, couponId),
      promotionalCodes.page(program.id, part.request, codesOfCoupon(couponId)),
    ]);
    return couponView(program.id, coupon, part, codes, now);
  },

  showCouponEdit: async ({ session, program, parameters }) =>
    couponEditView({ session, program }, await readCoupon(program.id, parameters.couponId), unfilled),

  editCoupon: {
    submit: async ({ program, parameters: { couponId }, form, now }) => {
      const coupon = await readCoupon(program.id, couponId);
      const { isAutomatic, productIds, redeemBy, durationInMonths, ...rest } = form;
      const isSameDay = redeemBy === (coupon.redeemBy && dayOf(coupon.redeemBy));
      const rule = automaticRule(isAutomatic, coupon);
      const body = {
        ...rest,
        ...restriction(productIds),
        couponId,
        durationInMonths: rest.duration === 'repeating' ? durationInMonths : null,
        ...(!isSameDay && { redeemBy: expiryOf('redeemBy', redeemBy, now) }),
        ...(rule && { autoCouponRule: rule }),
      };
      await updateCoupon(program.id, parseFields(editOperation.body, body), undefined, now);
      return redirect(withFlash(couponPath(program.id, couponId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      couponEditView({ session, program }, await readCoupon(program.id, parameters.couponId), filled),
  },

  confirmCouponDeletion: async ({ session, program, parameters }) =>
    couponDeletionView(session, program.id, await readCoupon(program.id, parameters.couponId)),

  removeCoupon: async ({ program, parameters, now }) => {
    await deleteCoupon(program.id, parameters.couponId, undefined, now);
    return redirect(withFlash(couponsPath(program.id), 'coupon-deleted'));
  },
};
