import { randomUUID } from 'node:crypto';
import type { Operation } from '../../shared/contract/operation.ts';
import { operations } from '../../shared/contract/operations.ts';
import {
  type Answer,
  type Api,
  makeAffiliate,
  makeCode,
  makeCoupon,
  makeProgram,
  request,
} from '../support/program.ts';

/** What the suites that run over every operation share: the operations, and a valid request for each. */

export const keyOperations = operations.filter(({ auth }) => auth === 'key');
export const listOperations = operations.filter(({ lists }) => lists);

export interface Given {
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

export interface World {
  api: Api;
  affiliate: { id: string; email: string; name: string; affiliateLinks: { link: string }[] };
  coupon: { id: string; name: string; externalId: string };
  code: { id: string; code: string; externalId: string };
  webhook: { id: string };
}

/** A program with two records of each kind, so that each of its lists has a second page. Returns the newer ones. */
export const makeWorld = async (): Promise<World> => {
  const api = await makeProgram();
  const round = async () => {
    const marker = randomUUID();
    const affiliate = await makeAffiliate(api, { firstName: `First${marker}`, externalId: `affiliate-${marker}` });
    const coupon = await makeCoupon(api, { name: `Coupon ${marker}`, externalId: `coupon-${marker}` });
    const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id, externalId: `code-${marker}` });
    // Of a type that these tests never cause: nothing is sent.
    const webhook = await api.post('/webhooks', { url: `https://example.com/${marker}`, eventTypes: ['link.deleted'] });
    return { affiliate, coupon, code, webhook: webhook.body };
  };
  await round();
  return { api, ...(await round()) };
};

/** A request that each operation accepts, with values of its own each time; a deletion names what is not there. */
const freshRequests: Record<string, (world: World) => Given> = {
  listAffiliates: () => ({}),
  createAffiliate: () => ({
    body: { email: `${randomUUID()}@example.com`, firstName: 'Amara', affiliateLink: randomUUID() },
  }),
  listCoupons: () => ({}),
  createCoupon: () => ({ body: { name: 'Spring', percentOff: 20 } }),
  listPromotionalCodes: () => ({}),
  createPromotionalCode: ({ coupon }) => ({ body: { couponId: coupon.id, code: randomUUID() } }),
  deletePromotionalCode: () => ({ body: { promotionalCodeId: randomUUID() } }),
  listWebhooks: () => ({}),
  createWebhook: () => ({ body: { url: 'https://example.com/webhooks', eventTypes: ['link.deleted'] } }),
  deleteWebhook: () => ({ body: { webhookId: randomUUID() } }),
  readProgram: () => ({}),
};

/** The valid request of an operation. Throws for one that nobody has written yet. */
export const freshRequest = ({ id }: Operation, world: World): Given => {
  const fresh = freshRequests[id];
  if (!fresh) throw new Error(`Write a valid request for ${id} in test/api/every-operation.ts`);
  return fresh(world);
};

/** Path and query of a request to an operation. */
export const addressOf = ({ path }: Operation, { query }: Given = {}): string =>
  query && Object.keys(query).length > 0 ? `${path}?${new URLSearchParams(query)}` : path;

/** Sends a request to an operation with a key. */
export const send = (apiKey: string, operation: Operation, given: Given): Promise<Answer> =>
  request(operation.method, addressOf(operation, given), {
    headers: { authorization: `Bearer ${apiKey}`, ...(given.body && { 'content-type': 'application/json' }) },
    ...(given.body && { body: JSON.stringify(given.body) }),
  });

/** Everything that a program's lists answer: what it is compared by, to see that nothing was written. */
export const everythingOf = async ({ get }: Api): Promise<string[]> => {
  const lists = await Promise.all(listOperations.map(({ path }) => get(`${path}?limit=100`)));
  return lists.map(({ status, headers, text }) => {
    if (status !== 200 || headers.has('link')) throw new Error(`Not all of it in one answer: ${status} ${text}`);
    return text;
  });
};
