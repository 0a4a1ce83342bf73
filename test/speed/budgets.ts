import type { requests } from './requests.ts';

/** How many calls come one after the other, and what all consume. The check of the key is one write unit of it. */
type Cost = readonly [roundTrips: number, readUnits: number, writeUnits: number];

/** What each request of an operation costs in a function that knows its key. Raise one only for a reason that the commit tells. */
export const budgets: { readonly [Id in keyof typeof requests]: Readonly<Record<keyof (typeof requests)[Id], Cost>> } =
  {
    readAffiliate: {
      'by id': [1, 2, 1],
      'by email': [2, 3, 1],
      'by link': [2, 3, 1],
    },
    listAffiliates: {
      unfiltered: [1, 2, 1],
      'by status': [2, 4.5, 1],
      search: [2, 5, 1],
    },
    createAffiliate: {
      'with a name': [2, 0, 19],
      'with an Idempotency-Key': [4, 0, 24],
    },
    updateAffiliate: {
      'by id': [2, 2, 3],
      'by email': [3, 3, 3],
      'with an Idempotency-Key': [4, 2, 6],
    },
    deleteAffiliate: {
      'by id': [2, 2, 18],
    },
    readCoupon: {
      'by id, with a code of an affiliate': [3, 3.5, 1],
      'by id, without codes': [1, 1.5, 1],
      'by external id': [4, 4.5, 1],
    },
    listCoupons: {
      unfiltered: [2, 1.5, 1],
      'by type': [3, 3, 1],
    },
    createCoupon: {
      uncapped: [2, 0, 6],
    },
    updateCoupon: {
      'without codes': [2, 1.5, 5],
      'with a code of an affiliate': [3, 3.5, 5],
    },
    deleteCoupon: {
      uncapped: [2, 1, 8],
    },
    readPromotionalCode: {
      'by id': [2, 3, 1],
      'by its text': [2, 4, 1],
      'by id, capped': [3, 4, 1],
    },
    listPromotionalCodes: {
      unfiltered: [2, 3, 1],
      'by coupon': [3, 4.5, 1],
    },
    createPromotionalCode: {
      supplied: [2, 2, 8],
      generated: [2, 2, 8],
      'with the email of the affiliate': [3, 3, 8],
      'with an Idempotency-Key': [4, 2, 13],
    },
    updatePromotionalCode: {
      'of an affiliate': [2, 3, 5],
    },
    deletePromotionalCode: {
      uncapped: [2, 1, 10],
    },
    validatePromotionalCode: {
      uncapped: [2, 4, 1],
      capped: [3, 5, 1],
    },
    createPromotionalCodesInBulk: {
      'of ten': [2, 2, 71],
    },
    readReferral: {
      'by id': [1, 1, 1],
      'by email': [2, 2, 1],
    },
    listReferrals: {
      unfiltered: [1, 1, 1],
      'by affiliate': [2, 1.5, 1],
      'by email of the affiliate': [3, 2.5, 1],
    },
    createReferral: {
      'of an affiliate': [2, 2, 7],
      'of a link': [3, 3, 8],
      'by code': [3, 5, 9],
    },
    updateReferral: {
      plan: [2, 1, 3],
    },
    deleteReferral: {
      'by id': [3, 2, 11],
    },
    readSale: {
      'by id': [1, 1, 1],
      'by external id': [2, 2, 1],
    },
    listSales: {
      unfiltered: [1, 1, 1],
      'by affiliate': [2, 1.5, 1],
    },
    createSale: {
      'by code': [3, 5, 17],
      'by code, capped': [3, 5, 19],
      'by code of a known customer': [3, 6, 22],
      'by referral': [3, 2, 19],
      'by affiliate': [3, 2, 6],
      'by code, with an external id': [3, 6, 19],
      'by code, with an Idempotency-Key': [4, 5, 22],
    },
    updateSale: {
      name: [2, 1, 7],
    },
    refundSale: {
      'in full': [2, 1, 6],
    },
    deleteSale: {
      'by id': [2, 1, 8],
    },
    readLink: {
      'by id': [2, 3.5, 1],
      'by its text': [3, 4.5, 1],
    },
    listLinks: {
      unfiltered: [3, 4.5, 1],
      'by affiliate': [3, 4, 1],
    },
    createLink: {
      'of an affiliate': [3, 2, 7],
    },
    updateLink: {
      'by id': [2, 3.5, 9],
    },
    deleteLink: {
      'by id': [3, 1, 10],
    },
    readPayoutBatch: {
      'by id': [1, 1, 1],
    },
    listPayoutBatches: {
      unfiltered: [1, 1, 1],
      'by status': [2, 2.5, 1],
    },
    createPayoutBatch: {
      'of all affiliates': [2, 0, 4],
    },
    updatePayoutBatch: {
      name: [2, 1, 3],
    },
    deletePayoutBatch: {
      'by id': [2, 1, 6],
    },
    readWebhook: {
      'by id': [1, 1, 1],
    },
    listWebhooks: {
      unfiltered: [2, 2, 1],
    },
    createWebhook: {
      'of all events': [2, 1, 5],
    },
    updateWebhook: {
      description: [2, 1, 3],
    },
    deleteWebhook: {
      'by id': [2, 1, 7],
    },
    rotateWebhookSecret: {
      'by id': [2, 1, 5],
    },
    testWebhook: {
      'by id': [3, 2, 13],
    },
    readWebhookDelivery: {
      'by id': [1, 1, 1],
    },
    listWebhookDeliveries: {
      unfiltered: [1, 1, 1],
      'by webhook': [2, 2.5, 1],
    },
    retryWebhookDeliveries: {
      'one delivery': [3, 2, 1],
    },
    readEvent: {
      'by id': [1, 1, 1],
    },
    listEvents: {
      unfiltered: [1, 1, 1],
      'by type': [2, 2.5, 1],
      'as a feed': [2, 2, 1],
    },
    readProgram: {
      'of the key': [1, 1, 1],
    },
    readHealth: {
      'within five seconds': [1, 0.5, 0],
    },
    readOpenApi: {
      whole: [0, 0, 0],
    },
    readDocumentation: {
      whole: [0, 0, 0],
    },
    exchangeConnectorCode: {
      'of a connection': [1, 0, 1],
    },
    testConnection: {
      'of a connection': [1, 1, 1],
    },
    listSubscriptions: {
      whole: [1, 1, 1],
    },
    subscribe: {
      'to one event': [3, 2, 9],
    },
    readSubscription: {
      'by id': [1, 1, 1],
    },
    unsubscribe: {
      'by id': [2, 1, 9],
    },
  };
