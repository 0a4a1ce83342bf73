import { expect } from 'vitest';
import type { StoredSale } from '../../shared/domain/sales/rules.ts';
import { eventually } from '../support/events.ts';
import type { Api } from '../support/program.ts';
import { makeStoredSale, storeQuietSales } from '../support/sales.ts';

export const sell = async (api: Api, affiliateId: string, totalEarned: number) => {
  const response = await api.post('/sales', { referralId: affiliateId, totalEarned, commissionRate: 10 });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

export const saleOf = async (api: Api, id: number) => (await api.get(`/sales?id=${id}`)).body;
export const batchOf = async (api: Api, id: string) => (await api.get(`/payout-batches?id=${id}`)).body;

/** Stores sales of 10.00 of commission each, of which only payout batches take notice. */
export const owe = async (api: Api, affiliateId: string, count = 1): Promise<StoredSale[]> => {
  const stored = Array.from({ length: count }, () => makeStoredSale(affiliateId));
  await storeQuietSales(api.programId, stored);
  return stored;
};

/** The batch once the background has prepared it. */
export const prepared = async (api: Api, id: string, timeout = 15_000) => {
  await expect.poll(async () => (await batchOf(api, id)).status, { timeout, interval: 100 }).not.toBe('PREPARING');
  return batchOf(api, id);
};

export const makeBatch = async (api: Api, body: Record<string, unknown> = {}) => {
  const response = await api.post('/payout-batches', body);
  expect(response.status, response.text).toBe(200);
  return prepared(api, response.body.id);
};

export const pay = async (api: Api, payoutBatchId: string) => {
  const response = await api.put('/payout-batches', { payoutBatchId, status: 'PAID' });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

export const stamped = (api: Api, saleId: number) =>
  expect.poll(async () => (await saleOf(api, saleId)).paidAt, { timeout: 30_000 }).not.toBeNull();

/** The payout of a batch of one, once its code is there. */
export const paidByCode = (api: Api, batchId: string) =>
  eventually('the code of the payout', async () => {
    const [one] = (await batchOf(api, batchId)).payouts;
    return one.promotionalCode !== null && one;
  });
