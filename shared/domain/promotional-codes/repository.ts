import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';
import { StoredPromotionalCode } from './rules.ts';

/** Thrown for a taken code, so that a random one can be redrawn. */
export class CodeTaken extends ApiError {
  constructor(code: string) {
    super('already_exists', `The code ${code} already exists in this program`, {
      details: [{ path: 'code', message: 'code already exists in this program' }],
    });
  }
}

const externalIdTaken = (externalId: string) =>
  new ApiError('already_exists', `A promotional code with the externalId ${externalId} already exists`, {
    details: [{ path: 'externalId', message: 'externalId is already in use' }],
  });

export const codesOfCoupon = (couponId: string) => ({ index: 'GSI1', parts: ['COUPON', couponId] }) as const;
export const codesOfAffiliate = (affiliateId: string) =>
  ({ index: 'GSI2', parts: ['AFFILIATE', affiliateId] }) as const;
export const codesThatAre = (active: boolean) => ({ index: 'GSI3', parts: ['ACTIVE', String(active)] }) as const;

export const promotionalCodes = recordStore({
  table: 'records',
  kind: 'PROMOTIONAL_CODE',
  keepsActor: true,
  schema: StoredPromotionalCode,
  indexes: ({ couponId, affiliateId, active }) => [
    codesOfCoupon(couponId),
    codesThatAre(active),
    ...(affiliateId === null ? [] : [codesOfAffiliate(affiliateId)]),
  ],
  // See docs/behavior.md#code-text
  uniques: {
    CODE: ({ code, couponId, affiliateId }) => ({
      value: code,
      refusal: () => new CodeTaken(code),
      refs: { couponId, ...(affiliateId !== null && { affiliateId }) },
    }),
    EXTERNAL_ID: ({ externalId }) =>
      externalId === null ? undefined : { value: externalId, refusal: () => externalIdTaken(externalId) },
    AFFILIATE_SLOT: ({ affiliateSlot }) =>
      affiliateSlot === null ? undefined : { ...slotOf(0), value: affiliateSlot },
  },
});
