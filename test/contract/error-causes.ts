import { randomUUID } from 'node:crypto';

/** What the story of a document has made. */
interface Given {
  /** Of a program whose plan has no API access. */
  freeKey: string;
  /** Ids, as they are in examples, and the ids that they stand for. */
  ids: ReadonlyMap<unknown, unknown>;
}

export interface Cause {
  method?: string;
  path: string;
  /** A key that is none is not sent. */
  key?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, but for text. */
  body?: unknown;
}

const change = { method: 'PUT', path: '/affiliates' };
const creation = { method: 'POST', path: '/affiliates' };
const creationBody = () => ({ email: `${randomUUID()}@example.com`, firstName: 'Amara' });
const nobody = { affiliateId: randomUUID(), firstName: 'Amara' };
const sale = { promoCode: 'AMARA20', email: 'customer@example.com', externalId: 'order-1042' };
const tooLarge = 'x'.repeat(262_145);

/** For each documented error, a request that causes it. What `first` sends is sent before. */
export const errorCauses: Record<string, (given: Given) => Cause & { first?: Cause }> = {
  RequestError400: () => ({ path: '/affiliates?limit=0' }),
  ChangeError400: () => ({ ...change, body: {} }),
  RequestError401: () => ({ path: '/affiliates', key: '' }),
  RequestError403: ({ freeKey }) => ({ path: '/affiliates', key: freeKey }),
  RequestError404: () => ({ ...creation, path: '/sales', body: { totalEarned: 10, referralId: randomUUID() } }),
  ChangeError404: () => ({ ...change, body: nobody }),
  RequestError409: () => ({ ...creation, path: '/sales', body: { ...sale, totalEarned: 10 } }),
  ChangeError409: ({ ids }) => ({
    method: 'DELETE',
    path: '/payout-batches',
    body: { payoutBatchId: ids.get('019a0000-0000-7000-8000-0000000000f1') },
  }),
  RequestError412: ({ ids }) => ({
    method: 'PUT',
    path: '/sales',
    headers: { 'if-match': '"999"' },
    body: { saleId: ids.get(371820736512), name: 'Priya' },
  }),
  ChangeError412: (given) => errorCauses.RequestError412?.(given) ?? { path: '' },
  RequestError413: () => ({ ...creation, body: tooLarge }),
  ChangeError413: () => ({ ...change, body: tooLarge }),
  RequestError415: () => ({ ...creation, headers: { 'content-type': 'text/plain' }, body: 'x' }),
  ChangeError415: () => ({ ...change, headers: { 'content-type': 'text/plain' }, body: 'x' }),
  RequestError422: () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = { ...creation, headers, body: creationBody() };
    return { ...creation, headers, body: creationBody(), first };
  },
  ChangeError422: () => {
    const headers = { 'idempotency-key': randomUUID() };
    return { ...change, headers, body: { ...nobody, lastName: 'Okafor' }, first: { ...change, headers, body: nobody } };
  },
};
