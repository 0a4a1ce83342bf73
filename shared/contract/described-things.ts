import { fieldDescriptions, type Thing } from './field-descriptions.ts';
import type { Operation } from './operation.ts';
import type { DeclaredOperation } from './operations.ts';

/** What a schema is about, which decides the texts of its fields. */

const thingOfTag = {
  Affiliates: 'Affiliate',
  'Portal links': 'PortalLink',
  Groups: 'Group',
  Referrals: 'Referral',
  Sales: 'Sale',
  Links: 'Link',
  Coupons: 'Coupon',
  'Promotional codes': 'PromotionalCode',
  'Payout batches': 'PayoutBatch',
  Webhooks: 'Webhook',
  'Webhook deliveries': 'WebhookDelivery',
  Events: 'Event',
  'Audit log': 'AuditEntry',
  Erasures: 'Erasure',
  Statistics: 'Statistic',
  Exports: 'Export',
  Program: 'Program',
  Documentation: undefined,
  Connection: 'Connection',
  Subscriptions: 'Subscription',
} satisfies Readonly<Record<DeclaredOperation['tag'], Thing | undefined>>;

/** Fields whose objects are about something else than the object around them. */
const thingOfField: Readonly<Record<string, Thing>> = {
  affiliate: 'Affiliate',
  affiliateLinks: 'Link',
  attribution: 'Attribution',
  commissionRule: 'CommissionRule',
  discount: 'Discount',
  product: 'Product',
  productRules: 'ProductRule',
  productsBought: 'Product',
  program: 'Program',
  promotionalCodes: 'PromotionalCode',
  results: 'BulkResult',
  tiers: 'Tier',
};

const things = new Map<string, Thing | undefined>(Object.entries(thingOfTag));

export const thingOf = ({ tag }: Pick<Operation, 'tag'>): Thing | undefined => things.get(tag);

/** Of a query, whose fields choose records where it is that of a list. */
export const thingOfQuery = (operation: Pick<Operation, 'tag' | 'lists'>): Thing | undefined =>
  operation.lists ? 'Filter' : thingOf(operation);

const isThing = (name: string): name is Thing => name in fieldDescriptions;

/** `CouponOfCode` is a coupon and `SaleUpdatedEvent` is about a sale: by the longest name that it begins with. */
export const thingNamed = (name: string): Thing | undefined =>
  Object.keys(fieldDescriptions)
    .filter(isThing)
    .filter((thing) => name.startsWith(thing))
    .sort((one, other) => other.length - one.length)[0];

export const thingInside = (field: string, around: Thing | undefined): Thing | undefined =>
  thingOfField[field] ?? around;

export const descriptionOf = (field: string, thing: Thing | undefined): string | undefined => {
  const texts: Readonly<Record<string, string>> = thing ? fieldDescriptions[thing] : {};
  return Object.hasOwn(texts, field) ? texts[field] : undefined;
};
