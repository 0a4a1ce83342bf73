import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Api } from '../support/program.ts';

export const makeReferral = async (api: Api, affiliateId: string, overrides: Record<string, unknown> = {}) => {
  const email = `referral-${randomUUID()}@example.com`;
  const response = await api.post('/referrals', { name: 'Priya Sharma', email, affiliateId, ...overrides });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

export const sell = async (api: Api, body: Record<string, unknown>) => {
  const response = await api.post('/sales', { totalEarned: 100, ...body });
  expect(response.status, response.text).toBe(200);
  return response.body;
};
