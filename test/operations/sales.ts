import type { salePreviewOperations } from '../../shared/contract/sale-preview.ts';
import type { saleOperations } from '../../shared/contract/sales.ts';
import { byId, idempotent, newCode, newSale, saleByCode, unused } from './measured-records.ts';
import { clickOf, cursorOf, type SamplesOf } from './sample.ts';

export const saleSamples = {
  listSales: {
    request: () => ({}),
    foreign: {
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
    measured: {
      unfiltered: { request: () => ({ query: { limit: '1' } }), cost: [1, 1, 1] },
      'by affiliate': {
        request: ({ affiliate }) => ({ query: { affiliateId: affiliate.id, limit: '1' } }),
        cost: [2, 1.5, 1],
      },
    },
  },
  readSale: {
    request: ({ sale }) => ({ parameters: { id: String(sale.id) } }),
    foreign: { id: ({ sale }) => [sale.id, `external:${sale.externalId}`, `invoice:${sale.externalInvoiceId}`] },
    measured: {
      'by id': { request: ({ sale }) => byId(sale), cost: [1, 1, 1] },
      'by external id': { request: ({ sale }) => byId({ id: `external:${sale.externalId}` }), cost: [2, 2, 1] },
    },
  },
  createSale: {
    request: ({ affiliate }) => ({ body: { totalEarned: 10, referralId: affiliate.id } }),
    foreign: {
      name: ({ referral }) => [referral.name],
      email: ({ referral }) => [referral.email],
      referralId: ({ referral, affiliate, link }) => [referral.id, affiliate.id, link.link],
      promoCode: ({ code }) => [code.code],
      clickId: async (world) => [await clickOf(world)],
      externalId: ({ sale }) => [sale.externalId],
      externalInvoiceId: ({ sale }) => [sale.externalInvoiceId],
      customerId: ({ affiliate }) => [affiliate.id],
    },
    measured: {
      'by code': { request: (world) => ({ body: saleByCode(world) }), cost: [3, 6, 17] },
      'by code, capped': {
        request: async (world) => ({
          body: saleByCode({ ...world, code: await newCode(world, { maxRedemptions: 50 }) }),
        }),
        cost: [3, 6, 19],
      },
      'by code of a known customer': {
        request: (world) => ({ body: { ...saleByCode(world), email: world.referral.email } }),
        cost: [3, 7, 22],
      },
      'by referral': {
        request: ({ referral }) => ({ body: { totalEarned: 10, referralId: referral.id } }),
        cost: [3, 3, 19],
      },
      'by affiliate': {
        request: ({ affiliate }) => ({ body: { totalEarned: 10, referralId: affiliate.id } }),
        cost: [3, 3, 8],
      },
      'by code, with an external id': {
        request: (world) => ({ body: { ...saleByCode(world), externalId: unused() } }),
        cost: [3, 7, 19],
      },
      'by code, with an Idempotency-Key': {
        request: (world) => idempotent({ body: saleByCode(world) }),
        cost: [4, 6, 22],
      },
    },
  },
  previewSale: {
    request: ({ affiliate }) => ({ body: { affiliateId: affiliate.id, totalEarned: 10 } }),
    foreign: {
      affiliateId: ({ affiliate }) => [affiliate.id],
      email: ({ referral }) => [referral.email],
      customerId: ({ affiliate }) => [affiliate.id],
    },
    measured: {
      'by affiliate': {
        request: ({ affiliate }) => ({ body: { affiliateId: affiliate.id, totalEarned: 10 } }),
        cost: [1, 2, 1],
      },
    },
  },
  updateSale: {
    request: () => ({ body: { saleId: 1, name: 'Priya' } }),
    foreign: {
      saleId: ({ sale }) => [sale.id],
      name: ({ referral }) => [referral.name],
      email: ({ referral }) => [referral.email],
      externalId: ({ sale }) => [sale.externalId],
      externalInvoiceId: ({ sale }) => [sale.externalInvoiceId],
    },
    measured: {
      name: { request: ({ sale }) => ({ body: { saleId: sale.id, externalInvoiceId: unused() } }), cost: [2, 1, 7] },
    },
  },
  refundSale: {
    request: () => ({ body: { saleId: 1 } }),
    foreign: { saleId: ({ sale }) => [sale.id] },
    measured: {
      'in full': { request: async (world) => ({ body: { saleId: (await newSale(world)).id } }), cost: [2, 1, 8] },
    },
  },
  deleteSale: {
    request: () => ({ body: { saleId: 1 } }),
    foreign: { saleId: ({ sale }) => [sale.id] },
    measured: {
      'by id': { request: async (world) => ({ body: { saleId: (await newSale(world)).id } }), cost: [2, 1, 10] },
    },
  },
} satisfies SamplesOf<typeof saleOperations | typeof salePreviewOperations>;
