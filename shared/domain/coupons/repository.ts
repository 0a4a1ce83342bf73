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
export const couponsInCategory = (category: string) => ({ index: 'GSI3', parts: ['CATEGORY', category] }) as const;
export const automaticCoupons = { index: 'GSI4', parts: ['AUTOMATIC'] } as const;
/** Without the copies for payouts. Coupons that an earlier version created have no such entry. */
export const originalsInCategory = (category: StoredCoupon['couponCategory']) =>
  ({ index: 'GSI6', parts: ['ORIGINAL', category] }) as const;
export const couponsForAffiliates = { index: 'GSI5', parts: ['AFFILIATE_CODES'] } as const;

export const coupons = recordStore({
  table: 'records',
  kind: 'COUPON',
  keepsActor: true,
  schema: StoredCoupon,
  indexes: (coupon) => [
    couponsNamed(coupon.name),
    couponsOfType(coupon.couponType),
    couponsInCategory(coupon.couponCategory),
    ...(coupon.automaticSince === null ? [] : [automaticCoupons]),
    ...(takesAffiliateCodes(coupon) ? [couponsForAffiliates] : []),
    ...(coupon.payoutBatchId === null ? [originalsInCategory(coupon.couponCategory)] : []),
  ],
  uniques: {
    EXTERNAL_ID: ({ externalId }) =>
      externalId === null ? undefined : { value: externalId, refusal: () => externalIdTaken(externalId) },
    IMPORT_NAME: ({ importName }) =>
      importName === undefined ? undefined : { value: importName, refusal: () => nameImported(importName) },
    SLOT: ({ automaticSlot }) => (automaticSlot === null ? undefined : slotOf(automaticSlot)),
  },
});
