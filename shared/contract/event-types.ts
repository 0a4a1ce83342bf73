/** Each type of event in the words of the dashboard. See docs/behavior.md#events-and-changes */
export const eventWords = {
  'affiliate.created': 'An affiliate joined the program',
  'affiliate.updated': 'An affiliate was edited, approved or banned',
  'affiliate.deleted': 'An affiliate was deleted',
  'group.created': 'A group was created',
  'group.updated': 'A group was edited: how its affiliates earn',
  'group.deleted': 'A group was deleted',
  'link.created': 'A link was added for an affiliate',
  'link.updated': 'A link was renamed',
  'link.deleted': 'A link was deleted',
  'coupon.created': 'A coupon was created',
  'coupon.updated': 'A coupon was edited or deactivated',
  'coupon.deleted': 'A coupon was deleted',
  'promotional_code.created': 'A code was created, manually or automatically',
  'promotional_code.updated': 'A code was edited or deactivated',
  'promotional_code.deleted': 'A code was deleted',
  'promotional_code.redeemed': 'A code was used for a sale or a referral',
  'referral.created': 'A person was referred through a link or a code',
  'referral.updated': 'A referral was edited',
  'referral.deleted': 'A referral was deleted',
  'sale.created': 'A sale was recorded',
  'sale.updated': 'A sale was edited, or its commission changed',
  'sale.deleted': 'A sale was deleted',
  'sale.refunded': 'A sale was refunded, in part or in whole',
  'sale.held': 'A sale is held for review',
  'sale.approved': 'A held sale was approved',
  'sale.rejected': 'A held sale was rejected, and earns nothing',
  'payout_batch.created': 'A payout batch was created',
  'payout_batch.updated': 'The name or status of a payout batch changed',
  'payout_batch.deleted': 'A payout batch was deleted',
  'payout_batch.ready': 'A payout batch is ready to pay',
  'payout_batch.paid': 'A payout batch was marked as paid',
  'webhook.test': 'A test event, sent even if it is not selected',
} as const satisfies Readonly<Record<`${string}.${string}`, string>>;

export type EventType = keyof typeof eventWords;

/** In the order in which people choose among them. */
export const eventTypes = Object.keys(eventWords) as EventType[];
