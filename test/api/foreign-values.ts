import { randomUUID } from 'node:crypto';
import type { KeyOperationId, World } from './every-operation.ts';

const cursorOf = async ({ api }: World, path: string): Promise<string> => {
  const { headers } = await api.get(`${path}?limit=1`);
  const next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return new URL(next ?? '').searchParams.get('cursor') ?? '';
};

type ValuesOf = (world: World) => unknown[] | Promise<unknown[]>;

/** For every field that names something: values of a program by which its own key would find, or clash with, a record. */
export const foreignValues: Record<KeyOperationId, Record<string, ValuesOf>> = {
  listAffiliates: {
    id: ({ affiliate }) => [affiliate.id, affiliate.affiliateLinks[0]?.link],
    email: ({ affiliate }) => [affiliate.email],
    search: ({ affiliate }) => [affiliate.email, affiliate.name],
    cursor: async (world) => [await cursorOf(world, '/affiliates')],
  },
  createAffiliate: {
    email: ({ affiliate }) => [affiliate.email],
    payoutEmail: ({ affiliate }) => [affiliate.email],
    affiliateLink: ({ affiliate }) => [affiliate.affiliateLinks[0]?.link],
    externalId: ({ coupon }) => [coupon.externalId],
  },
  listCoupons: {
    id: ({ coupon }) => [coupon.id],
    externalId: ({ coupon }) => [coupon.externalId],
    name: ({ coupon }) => [coupon.name],
    cursor: async (world) => [await cursorOf(world, '/coupons')],
  },
  createCoupon: {
    name: ({ coupon }) => [coupon.name],
    externalId: ({ coupon }) => [coupon.externalId],
    productIds: ({ coupon }) => [[coupon.id]],
    collectionIds: ({ coupon }) => [[coupon.id]],
  },
  listPromotionalCodes: {
    id: ({ code }) => [code.id],
    code: ({ code }) => [code.code],
    externalId: ({ code }) => [code.externalId],
    couponId: ({ coupon }) => [coupon.id],
    affiliateId: ({ affiliate }) => [affiliate.id],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
    cursor: async (world) => [await cursorOf(world, '/promotional-codes')],
  },
  createPromotionalCode: {
    couponId: ({ coupon }) => [coupon.id],
    code: ({ code }) => [code.code],
    affiliateId: ({ affiliate }) => [affiliate.id],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
    externalId: ({ code }) => [code.externalId],
    customerId: ({ affiliate }) => [affiliate.id],
  },
  deletePromotionalCode: { promotionalCodeId: ({ code }) => [code.id] },
  updateAffiliate: {
    affiliateId: ({ affiliate }) => [affiliate.id],
    emailAddress: ({ affiliate }) => [affiliate.email],
    email: ({ affiliate }) => [affiliate.email],
    affiliateLink: ({ link }) => [link.link],
    payoutEmail: ({ affiliate }) => [affiliate.email],
    externalId: ({ coupon }) => [coupon.externalId],
  },
  deleteAffiliate: { affiliateId: ({ affiliate }) => [affiliate.id, affiliate.email] },
  updateCoupon: {
    couponId: ({ coupon }) => [coupon.id],
    name: ({ coupon }) => [coupon.name],
    productIds: ({ coupon }) => [[coupon.id]],
    collectionIds: ({ coupon }) => [[coupon.id]],
  },
  deleteCoupon: { couponId: ({ coupon }) => [coupon.id] },
  updatePromotionalCode: {
    promotionalCodeId: ({ code }) => [code.id],
    code: ({ code }) => [code.code],
    customerId: ({ affiliate }) => [affiliate.id],
    externalId: ({ code }) => [code.externalId],
  },
  validatePromotionalCode: {
    code: ({ code }) => [code.code],
    email: ({ referral }) => [referral.email],
    customerId: ({ affiliate }) => [affiliate.id],
    productIds: ({ coupon }) => [[coupon.id]],
  },
  createPromotionalCodesInBulk: {
    promotionalCodes: ({ coupon, affiliate }) => [
      [{ couponId: coupon.id, code: 'FOREIGN-COUPON' }],
      [{ couponId: randomUUID(), code: 'FOREIGN', affiliateId: affiliate.id }],
    ],
  },
  listReferrals: {
    id: ({ referral }) => [referral.id],
    externalId: ({ referral }) => [referral.referredUserExternalId],
    affiliateId: ({ affiliate }) => [affiliate.id],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
    email: ({ referral }) => [referral.email],
    cursor: async (world) => [await cursorOf(world, '/referrals')],
  },
  createReferral: {
    name: ({ referral }) => [referral.name],
    email: ({ referral }) => [referral.email],
    referredUserExternalId: ({ referral }) => [referral.referredUserExternalId],
    affiliateId: ({ affiliate, link }) => [affiliate.id, link.link],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
    promoCode: ({ code }) => [code.code],
  },
  updateReferral: {
    referralId: ({ referral }) => [referral.id],
    name: ({ referral }) => [referral.name],
    email: ({ referral }) => [referral.email],
    referredUserExternalId: ({ referral }) => [referral.referredUserExternalId],
  },
  deleteReferral: { referralId: ({ referral }) => [referral.id, referral.email] },
  listSales: {
    id: ({ sale }) => [sale.id],
    externalId: ({ sale }) => [sale.externalId],
    externalInvoiceId: ({ sale }) => [sale.externalInvoiceId],
    affiliateId: ({ affiliate }) => [affiliate.id],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
    referralId: ({ referral }) => [referral.id],
    promotionalCodeId: ({ code }) => [code.id],
    payoutBatchId: ({ batch }) => [batch.id],
    search: ({ referral }) => [referral.email, referral.name],
    cursor: async (world) => [await cursorOf(world, '/sales')],
  },
  createSale: {
    name: ({ referral }) => [referral.name],
    email: ({ referral }) => [referral.email],
    referralId: ({ referral, affiliate, link }) => [referral.id, affiliate.id, link.link],
    promoCode: ({ code }) => [code.code],
    externalId: ({ sale }) => [sale.externalId],
    externalInvoiceId: ({ sale }) => [sale.externalInvoiceId],
    customerId: ({ affiliate }) => [affiliate.id],
  },
  updateSale: {
    saleId: ({ sale }) => [sale.id],
    name: ({ referral }) => [referral.name],
    email: ({ referral }) => [referral.email],
    externalId: ({ sale }) => [sale.externalId],
    externalInvoiceId: ({ sale }) => [sale.externalInvoiceId],
  },
  refundSale: { saleId: ({ sale }) => [sale.id] },
  deleteSale: { saleId: ({ sale }) => [sale.id] },
  listLinks: {
    id: ({ link }) => [link.id],
    link: ({ link }) => [link.link],
    affiliateId: ({ affiliate }) => [affiliate.id],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
    cursor: async (world) => [await cursorOf(world, '/links')],
  },
  createLink: {
    link: ({ link }) => [link.link],
    affiliateId: ({ affiliate }) => [affiliate.id],
    affiliateEmail: ({ affiliate }) => [affiliate.email],
  },
  updateLink: {
    newLink: ({ link }) => [link.link],
    id: ({ link }) => [link.id],
    link: ({ link }) => [link.link],
  },
  deleteLink: { id: ({ link }) => [link.id], link: ({ link }) => [link.link] },
  listPayoutBatches: {
    id: ({ batch }) => [batch.id],
    cursor: async (world) => [await cursorOf(world, '/payout-batches')],
  },
  createPayoutBatch: { name: ({ batch }) => [batch.name], affiliateIds: ({ affiliate }) => [[affiliate.id]] },
  updatePayoutBatch: { payoutBatchId: ({ batch }) => [batch.id], name: ({ batch }) => [batch.name] },
  deletePayoutBatch: { payoutBatchId: ({ batch }) => [batch.id] },
  listWebhooks: {
    id: ({ webhook }) => [webhook.id],
    cursor: async (world) => [await cursorOf(world, '/webhooks')],
  },
  createWebhook: {},
  updateWebhook: { webhookId: ({ webhook }) => [webhook.id] },
  deleteWebhook: { webhookId: ({ webhook }) => [webhook.id] },
  rotateWebhookSecret: { webhookId: ({ webhook }) => [webhook.id] },
  testWebhook: { webhookId: ({ webhook }) => [webhook.id] },
  listWebhookDeliveries: {
    id: ({ delivery }) => [delivery.id],
    webhookId: ({ webhook }) => [webhook.id],
    eventId: ({ delivery }) => [delivery.eventId],
    cursor: async (world) => [await cursorOf(world, '/webhook-deliveries')],
  },
  // Either or: test/webhooks/operations.test.ts asks for a foreign endpoint without a delivery.
  retryWebhookDeliveries: { deliveryId: ({ delivery }) => [delivery.id], webhookId: ({ webhook }) => [webhook.id] },
  listEvents: {
    id: ({ delivery }) => [delivery.eventId],
    cursor: async (world) => [await cursorOf(world, '/events')],
    after: async ({ api }) => [(await api.get('/events?limit=1&after=start')).headers.get('next-after')],
  },
  readProgram: {},
  readAffiliate: { id: ({ affiliate, link }) => [affiliate.id, `email:${affiliate.email}`, `link:${link.link}`] },
  readCoupon: { id: ({ coupon }) => [coupon.id, `external:${coupon.externalId}`] },
  readPromotionalCode: { id: ({ code }) => [code.id, `code:${code.code}`, `external:${code.externalId}`] },
  readReferral: {
    id: ({ referral }) => [referral.id, `email:${referral.email}`, `external:${referral.referredUserExternalId}`],
  },
  readSale: { id: ({ sale }) => [sale.id, `external:${sale.externalId}`, `invoice:${sale.externalInvoiceId}`] },
  readLink: { id: ({ link }) => [link.id, `link:${link.link}`] },
  readPayoutBatch: {
    id: ({ batch }) => [batch.id],
    cursor: async (world) => [await cursorOf(world, '/payout-batches')],
  },
  readWebhook: { id: ({ webhook }) => [webhook.id] },
  readWebhookDelivery: { id: ({ delivery }) => [delivery.id] },
  readEvent: { id: ({ delivery }) => [delivery.eventId] },
  testConnection: {},
  listSubscriptions: {},
  subscribe: {},
  readSubscription: { id: ({ subscription }) => [subscription.id] },
  unsubscribe: { id: ({ subscription }) => [subscription.id] },
};
