import { beforeAll } from 'vitest';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';

export let api: Api;
export let coupon: { id: string; [field: string]: unknown };
export let affiliate: { id: string; email: string };

export const post = (body: Record<string, unknown>) => api.post('/promotional-codes', body);

export const useCoupon = (): void => {
  beforeAll(async () => {
    api = await makeProgram({ currency: 'EUR' });
    coupon = await makeCoupon(api);
    affiliate = await makeAffiliate(api);
  });
};
