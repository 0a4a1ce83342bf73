import type * as z from 'zod';
import { connectorVariant } from './connector.ts';
import { doneErasureExample, runningErasureExample } from './erasures.ts';
import type { Operation } from './operation.ts';
import { type DeclaredOperation, operations } from './operations.ts';
import { portalLinkExample } from './portal-links.ts';
import {
  affiliateExample,
  approvedSaleExample,
  bareCouponExample,
  codeExample,
  defaultGroupExample,
  doneExportExample,
  groupExample,
  linkExample,
  paidBatchExample,
  preparingBatchExample,
  readyBatchExample,
  referralExample,
  refundedSaleExample,
  requestedExportExample,
  saleExample,
} from './record-examples.ts';

type ExampleOf<O extends Operation> = O extends { lists: true } ? z.input<O['response']>[] : z.input<O['response']>;

const changedAt = '2026-02-01T12:00:00.000Z';
const { coupon: _coupon, ...codeOfCoupon } = codeExample;
const coupon = { ...bareCouponExample, promotionalCodes: [codeOfCoupon] };
const { id: affiliateId, firstName, lastName, email } = affiliateExample;

const secondLink = {
  ...linkExample,
  id: '019a0000-0000-7000-8000-0000000000b3',
  link: 'amara-summer',
  fullURLs: [{ baseUrl: 'https://example.com', fullUrl: 'https://example.com/?ref=amara-summer' }],
};

const payout = {
  id: '019a0000-0000-7000-8000-0000000000f4',
  affiliateId,
  affiliate: { id: affiliateId, firstName, lastName, email },
  amount: 129.35,
  saleCount: 14,
  status: 'UNPAID' as const,
  paidAt: null,
  promotionalCode: null,
};

const webhook = {
  id: '019a0000-0000-7000-8000-0000000000f2',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  url: 'https://example.com/webhooks',
  eventTypes: ['promotional_code.created'],
  description: null,
  active: true,
  deactivationReason: null,
  deactivatedAt: null,
  previousSecretUntil: null,
  secret: 'whsec_dGhpcyBpcyBhbiBleGFtcGxlIGFuZCBubyBzZWNyZXQ=',
};

const pending = {
  id: '019a0000-0000-7000-8000-0000000000f3',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  webhookId: webhook.id,
  eventId: '019a0000-0000-7000-8000-0000000000e0',
  eventType: 'webhook.test',
  status: 'PENDING' as const,
  cancellationReason: null,
  nextAttemptAt: '2026-01-31T12:00:00.000Z',
  attempts: [],
};

const failed = {
  ...pending,
  updatedAt: '2026-01-31T12:00:01.000Z',
  eventType: 'sale.created',
  status: 'FAILED' as const,
  nextAttemptAt: null,
  attempts: [
    {
      attemptedAt: '2026-01-31T12:00:00.500Z',
      durationMilliseconds: 212,
      responseStatus: 500,
      responseBody: 'Internal Server Error',
      error: 'The response was 500',
      manual: false,
    },
  ],
};

const auditActor = { type: 'API_KEY', id: '019a0000-0000-7000-8000-0000000000f1' } as const;
const auditEntry = {
  id: '019a0000-0000-7000-8000-0000000000a9',
  createdAt: changedAt,
  updatedAt: changedAt,
  actor: auditActor,
  cause: { requestId: 'JKJaXmPLvHcESHA=', actor: auditActor },
  action: 'UPDATED' as const,
  recordType: 'SALE' as const,
  recordId: String(saleExample.id),
  changes: { totalEarned: { from: 49.9, to: 39.9 }, commissionEarned: { from: 9.98, to: 7.98 } },
};

const event = {
  id: pending.eventId,
  createdAt: saleExample.createdAt,
  updatedAt: saleExample.createdAt,
  type: 'sale.created',
  timestamp: saleExample.createdAt,
  actor: { type: 'API_KEY' as const, id: '019a0000-0000-7000-8000-0000000000f1' },
  data: saleExample,
};

const program = {
  id: '019a0000-0000-7000-8000-000000000001',
  createdAt: '2026-01-01T12:00:00.000Z',
  updatedAt: '2026-01-01T12:00:00.000Z',
  name: 'Example',
  currency: 'USD',
  commissionRate: 20,
  baseUrls: ['https://example.com'],
  timeZone: 'Europe/Berlin',
};

const subscription = {
  id: '019a0000-0000-7000-8000-0000000000f5',
  url: 'https://hooks.example.com/standard/1/2',
  eventTypes: ['sale.created'],
  secret: webhook.secret,
  createdAt: '2026-01-31T12:00:00.000Z',
};

const health = { status: 'ok' as const, version: '1.0.0', stage: 'prod' };

/** Of operations that have none of their own, such as those that show the records above. */
const examples: {
  readonly [O in Exclude<DeclaredOperation, { example: { response: unknown } }> as O['id']]: ExampleOf<O>;
} = {
  readHealth: health,
  listAffiliates: [affiliateExample],
  readAffiliate: affiliateExample,
  createAffiliate: affiliateExample,
  updateAffiliate: { ...affiliateExample, updatedAt: changedAt, commissionRate: 25 },
  deleteAffiliate: { message: 'Affiliate deleted', deletedAffiliate: { id: affiliateId, email } },
  listGroups: [groupExample, defaultGroupExample],
  readGroup: groupExample,
  createGroup: groupExample,
  updateGroup: { ...groupExample, updatedAt: changedAt, holdDays: 14 },
  deleteGroup: { message: 'Group deleted', deletedGroup: { id: groupExample.id, name: groupExample.name } },
  moveAffiliates: {
    message: 'The affiliates are being moved',
    groupId: groupExample.id,
    moveTo: defaultGroupExample.id,
  },
  listReferrals: [referralExample],
  readReferral: referralExample,
  createReferral: referralExample,
  updateReferral: { ...referralExample, updatedAt: changedAt, plan: 'pro' },
  deleteReferral: {
    message: 'Referral deleted',
    deletedReferral: { id: referralExample.id, email: referralExample.email },
  },
  listSales: [saleExample],
  readSale: saleExample,
  createSale: saleExample,
  updateSale: { ...saleExample, updatedAt: changedAt, totalEarned: 39.9, commissionEarned: 7.98 },
  createPortalLink: portalLinkExample,
  previewSale: {
    commissionEarned: 5,
    commissionRule: {
      source: 'PRODUCT',
      type: 'FLAT',
      rate: null,
      amount: 5,
      groupId: '019a0000-0000-7000-8000-0000000000e1',
    },
    payableAt: '2026-03-02T12:00:00.000Z',
  },
  reviewSale: approvedSaleExample,
  refundSale: refundedSaleExample,
  deleteSale: { message: 'Sale deleted', deletedSale: { id: saleExample.id } },
  listLinks: [linkExample],
  readLink: linkExample,
  createLink: secondLink,
  updateLink: {
    ...secondLink,
    updatedAt: changedAt,
    link: 'amara-autumn',
    fullURLs: [{ baseUrl: 'https://example.com', fullUrl: 'https://example.com/?ref=amara-autumn' }],
  },
  deleteLink: { message: 'Link deleted', deletedLink: { id: secondLink.id, link: secondLink.link } },
  listCoupons: [coupon],
  readCoupon: coupon,
  createCoupon: { ...bareCouponExample, promotionalCodes: [] },
  updateCoupon: { ...coupon, updatedAt: changedAt, valid: false },
  deleteCoupon: { message: 'Coupon deleted', deletedCoupon: { id: coupon.id, name: coupon.name } },
  listPromotionalCodes: [codeExample],
  readPromotionalCode: codeExample,
  createPromotionalCode: codeExample,
  updatePromotionalCode: { ...codeExample, updatedAt: changedAt, active: false },
  deletePromotionalCode: {
    message: 'Promotional code deleted',
    deletedCode: { id: codeExample.id, code: codeExample.code },
  },
  validatePromotionalCode: {
    valid: true,
    reason: null,
    discount: { couponType: 'PERCENTAGE', percentOff: 20, amountOff: null, currency: null, discountAmount: 9.98 },
    promotionalCode: codeExample,
  },
  createPromotionalCodesInBulk: {
    results: [
      {
        status: 200,
        promotionalCode: {
          ...codeOfCoupon,
          id: '019a0000-0000-7000-8000-0000000000d2',
          code: 'AMARA-VIP',
        },
      },
      {
        status: 404,
        error: 'Coupon not found',
        details: [{ path: 'couponId', message: 'Coupon not found' }],
      },
    ],
  },
  listPayoutBatches: [readyBatchExample],
  readPayoutBatch: { ...readyBatchExample, payouts: [payout] },
  createPayoutBatch: preparingBatchExample,
  updatePayoutBatch: paidBatchExample,
  deletePayoutBatch: {
    message: 'Payout batch deleted',
    deletedPayoutBatch: { id: readyBatchExample.id, name: readyBatchExample.name },
  },
  listWebhooks: [webhook],
  readWebhook: webhook,
  createWebhook: webhook,
  updateWebhook: { ...webhook, updatedAt: changedAt },
  deleteWebhook: { message: 'Webhook deleted', deletedWebhook: { id: webhook.id, url: webhook.url } },
  rotateWebhookSecret: { ...webhook, updatedAt: changedAt, previousSecretUntil: '2026-02-02T12:00:00.000Z' },
  testWebhook: pending,
  listWebhookDeliveries: [failed],
  readWebhookDelivery: failed,
  retryWebhookDeliveries: { message: 'The delivery is sent again', webhookId: webhook.id, deliveryId: failed.id },
  listAuditLog: [auditEntry],
  readAuditEntry: auditEntry,
  createErasure: runningErasureExample,
  readErasure: doneErasureExample,
  listEvents: [event],
  readEvent: event,
  readStatistics: [
    {
      from: '2026-01-01',
      to: '2026-01-31',
      key: null,
      clicks: 1240,
      referrals: 31,
      sales: 18,
      revenue: 912.4,
      refunds: 49.9,
      commission: 182.48,
    },
  ],
  listExports: [{ ...doneExportExample, downloadUrl: undefined }],
  readExport: doneExportExample,
  createExport: requestedExportExample,
  readProgram: {
    ...program,
    handle: 'example',
    attribution: 'LAST_CLICK',
    attributionDays: 60,
    reviewRules: {
      selfReferral: 'BLOCK',
      sameDomain: 'HOLD',
      burst: { mode: 'OFF', sales: 10 },
      refundRate: { mode: 'OFF', percent: 30 },
    },
  },
  readOpenApi: { openapi: '3.1.0', info: { title: 'Affiliate program API', version: '1.0.0' }, paths: {} },
  readDocumentation: '<!doctype html>',
  exchangeConnectorCode: { access_token: '2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11' },
  testConnection: { program_name: program.name, program_id: program.id, currency: program.currency },
  listSubscriptions: [subscription],
  subscribe: subscription,
  readSubscription: subscription,
  unsubscribe: { message: 'Subscription ended', id: subscription.id },
};

const byId = new Map<string, unknown>(Object.entries(examples));
const idOfVariant = new Map(operations.map((operation) => [connectorVariant(operation)?.id, operation.id]));

/** What the documentation shows as the response of an operation. */
export const responseExampleOf = ({ id, example }: Operation): unknown =>
  example.response ?? byId.get(idOfVariant.get(id) ?? id);
