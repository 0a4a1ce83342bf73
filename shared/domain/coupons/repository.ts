import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';
import { StoredCoupon, takesAffiliateCodes } from './rules.ts';

const externalIdTaken = (externalId: string) =>
  new ApiError('already_exists', `A coupon with the externalId ${externalId} already exists`, {
    details: [{ path: 'externalId', message: 'externalId is already in use' }],
  });

const nameImported = (name: string) =>
  new ApiError('already_exists', `A coupon with the name ${name} was imported already`, {
    details: [{ path: 'name', message: 'name is already in use' }],
  });

/** Names are case-insensitive. */
export const couponsNamed = (name: string) => ({ index: 'GSI1', parts: ['NAME', name.toLowerCase()] }) as const;
export const couponsOfType = (type: string) => ({ index: 'GSI2', parts: ['TYPE', type] }) as const;
/** Without copies for payouts, except those that an earlier version made. */
export const couponsInCategory = (category: string) => ({ index: 'GSI3', parts: ['CATEGORY', category] }) as const;
const copiesForPayouts = { index: 'GSI3', parts: ['COPY'] } as const;
/** Copies for payouts have a key of their own: each payout by a FLAT coupon makes one, so they would fill every page. */
export const allInCategory = (category: StoredCoupon['couponCategory']) =>
  category === 'PAYOUT' ? [couponsInCategory(category), copiesForPayouts] : [couponsInCategory(category)];
export const automaticCoupons = { index: 'GSI4', parts: ['AUTOMATIC'] } as const;
export const couponsForAffiliates = { index: 'GSI5', parts: ['AFFILIATE_CODES'] } as const;

export const coupons = recordStore({
  table: 'records',
  kind: 'COUPON',
  keepsActor: true,
  schema: StoredCoupon,
  indexes: (coupon) => [
    couponsNamed(coupon.name),
    couponsOfType(coupon.couponType),
    coupon.payoutBatchId === null ? couponsInCategory(coupon.couponCategory) : copiesForPayouts,
    ...(coupon.automaticSince === null ? [] : [automaticCoupons]),
    ...(takesAffiliateCodes(coupon) ? [couponsForAffiliates] : []),
  ],
  uniques: {
    EXTERNAL_ID: ({ externalId }) =>
      externalId === null ? undefined : { value: externalId, refusal: () => externalIdTaken(externalId) },
    IMPORT_NAME: ({ importName }) =>
      importName === undefined ? undefined : { value: importName, refusal: () => nameImported(importName) },
    SLOT: ({ automaticSlot }) => (automaticSlot === null ? undefined : slotOf(automaticSlot)),
  },
});
