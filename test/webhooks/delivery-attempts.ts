import { beforeEach, vi } from 'vitest';
import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';

export let logged: string[];

export const setUp = async (webhook: Partial<StoredWebhook> = {}, delivery: Partial<StoredDelivery> = {}) => {
  const program = await storeProgram();
  const endpoint = await storeWebhook(program.id, webhook);
  const made = await storeDelivery(program.id, endpoint, delivery);
  return {
    program,
    endpoint,
    ...made,
    stored: () => deliveries.get(program.id, made.delivery.id),
    storedEndpoint: () => webhooks.get(program.id, endpoint.id),
  };
};

export const five = 5 * 24 * 60 * 60 * 1000;

export const useLog = (): void => {
  beforeEach(() => {
    vi.stubEnv('WEBHOOK_RETRY_SECONDS', '10,1000');
    logged = [];
    const keep = (line: unknown) => void logged.push(String(line));
    vi.spyOn(console, 'log').mockImplementation(keep);
    vi.spyOn(console, 'error').mockImplementation(keep);
  });
};
