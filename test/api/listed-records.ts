import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, vi } from 'vitest';
import { auditEntries } from '../../shared/domain/audit/audit-log.ts';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { makeStoredAuditEntry } from '../support/audit-entries.ts';
import { makeDoneExport } from '../support/done-export.ts';
import { eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

/** Of the program and of its first key. */
const entriesOfProgram = 2;

export interface Listed {
  id: string;
  createdAt: string;
  updatedAt: string;
}

let receiver: ScriptedReceiver;

export const useReceiver = (): void => {
  beforeAll(async () => {
    receiver = await startScriptedReceiver();
  });
  afterAll(() => receiver.stop());
};

/** A delivery that has been made, of a test to an endpoint of the program. */
const makeDelivery = async (api: Api) => {
  const url = receiver.url('/');
  const present = (await api.get('/webhooks')).body.find((webhook: { url: string }) => webhook.url === url);
  const { id: webhookId } = present ?? (await api.post('/webhooks', { url, eventTypes: ['link.deleted'] })).body;
  const { id } = (await api.post('/webhooks/test', { webhookId })).body;
  return eventually(`delivery ${id} succeeded`, async () => {
    const { body } = await api.get(`/webhook-deliveries?id=${id}`);
    return body.status === 'SUCCEEDED' && body;
  });
};

/** One for all records of a program that need one. */
const parents = new Map<string, Promise<{ id: string }>>();
const parentOf = (api: Api, makeParent: (api: Api) => Promise<{ id: string }>): Promise<{ id: string }> => {
  const key = `${makeParent.name} of ${api.programId}`;
  const parent = parents.get(key) ?? makeParent(api);
  parents.set(key, parent);
  return parent;
};

/** For every list: how a record comes into it, a filter that keeps all of them, and how many a new program has. */
export const listed: Record<string, { make: (api: Api) => Promise<Listed>; filter?: string; present?: number }> = {
  listAffiliates: { make: (api) => makeAffiliate(api), filter: 'status=ACTIVE' },
  listGroups: {
    make: async (api) => (await api.post('/groups', { name: 'Partners', commissionRate: 25 })).body,
    present: 1,
  },
  listCoupons: { make: (api) => makeCoupon(api), filter: 'couponType=PERCENTAGE' },
  listPromotionalCodes: {
    make: async (api) => makeCode(api, (await parentOf(api, makeCoupon)).id),
    filter: 'active=true',
  },
  listReferrals: {
    make: async (api) => {
      const email = `${randomUUID()}@example.com`;
      const { id: affiliateId } = await parentOf(api, makeAffiliate);
      return (await api.post('/referrals', { name: 'Priya', email, affiliateId })).body;
    },
    filter: 'status=ACTIVE',
  },
  listSales: {
    make: async (api) => {
      const { id: referralId } = await parentOf(api, makeAffiliate);
      return (await api.post('/sales', { totalEarned: 1, referralId })).body;
    },
    filter: 'status=ACTIVE',
  },
  listLinks: {
    make: async (api) => (await api.get(`/links?id=${(await makeAffiliate(api)).affiliateLinks[0].id}`)).body,
  },
  listPayoutBatches: {
    make: async (api) => {
      const { body } = await api.post('/payout-batches', { periodEnd: '2020-01-01T00:00:00Z' });
      await vi.waitUntil(
        async () => (await api.get(`/payout-batches?id=${body.id}`)).body.status === 'NO_TRANSACTIONS',
        { timeout: 30_000 },
      );
      return (await api.get('/payout-batches?limit=1')).body[0];
    },
    filter: 'status=NO_TRANSACTIONS',
  },
  listExports: {
    // Without a file: each link to one has another signature.
    make: async (api) => (await api.get(`/exports/${(await makeDoneExport(api.programId, new Date(), 0)).id}`)).body,
  },
  listWebhooks: {
    make: async (api) => {
      const url = `https://example.com/${randomUUID()}`;
      return (await api.post('/webhooks', { url, eventTypes: ['link.deleted'] })).body;
    },
  },
  listWebhookDeliveries: { make: (api) => makeDelivery(api), filter: 'status=SUCCEEDED' },
  listAuditLog: {
    make: async (api) => {
      // Those that follow from the program itself come first.
      await vi.waitUntil(async () => (await api.get('/audit-log')).body.length >= entriesOfProgram, {
        timeout: 30_000,
      });
      const entry = makeStoredAuditEntry();
      await writeAlone(auditEntries.createWrites(api.programId, entry));
      return entry;
    },
    present: entriesOfProgram,
  },
  listEvents: {
    make: async (api) => {
      const { eventId } = await makeDelivery(api);
      return (await api.get(`/events?id=${eventId}`)).body;
    },
    filter: 'type=webhook.test',
  },
};
