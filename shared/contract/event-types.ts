/** Every type of event that a webhook can ask for. What each carries is in `events/`. Decisions, section 3. */
export const eventTypes = [
  'affiliate.created',
  'affiliate.updated',
  'affiliate.deleted',
  'link.created',
  'link.updated',
  'link.deleted',
  'coupon.created',
  'coupon.updated',
  'coupon.deleted',
  'promotional_code.created',
  'promotional_code.updated',
  'promotional_code.deleted',
  'promotional_code.redeemed',
  'referral.created',
  'referral.updated',
  'referral.deleted',
  'sale.created',
  'sale.updated',
  'sale.deleted',
  'sale.refunded',
] as const;

export type EventType = (typeof eventTypes)[number];
