import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { connectorVariant } from '../../shared/contract/connector.ts';
import { subscribe } from '../../shared/contract/connector-webhooks.ts';
import type { Operation } from '../../shared/contract/operation.ts';
import { connectorOperations, operations } from '../../shared/contract/operations.ts';
import { connectorUrl } from '../connector/platform.ts';
import { longAgo, subscriptionBody } from '../operations/sample.ts';
import { isKeyOperationId, type KeyOperationId, samples } from '../operations/samples.ts';
import { makeDoneExport } from '../support/done-export.ts';
import {
  type Api,
  makeAffiliate,
  makeCode,
  makeCoupon,
  makeProgram,
  type ResponseBody,
  request,
} from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';
import { approveQuietly } from '../support/review.ts';

/** What the suites that run over every operation share: the operations, and a valid request for each. */

export const keyOperations = operations.filter(({ auth }) => auth === 'key');
/** Those of the connector, too. */
export const allKeyOperations = [...keyOperations, ...connectorOperations.filter(({ auth }) => auth === 'key')];
export const listOperations = operations.filter(({ lists }) => lists);

/** Changes and deletions return errors in the second of the two shapes. */
export const isChange = (method: string): boolean => ['PUT', 'PATCH', 'DELETE'].includes(method);

/** The operation of the main API that a variant on the connector comes from, by id; any other has its own. */
const mainIds: ReadonlyMap<string, string> = new Map(
  operations.flatMap((operation) => {
    const variant = connectorVariant(operation);
    return variant ? [[variant.id, operation.id]] : [];
  }),
);
export const mainIdOf = ({ id }: Operation): KeyOperationId => {
  const mainId = mainIds.get(id) ?? id;
  if (!isKeyOperationId(mainId)) throw new Error(`${mainId} takes no key`);
  return mainId;
};

export interface Given {
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

export interface World {
  api: Api;
  affiliate: { id: string; email: string; name: string; affiliateLinks: { link: string }[] };
  group: { id: string; name: string };
  coupon: { id: string; name: string; externalId: string };
  code: { id: string; code: string; externalId: string };
  webhook: { id: string };
  subscription: { id: string };
  delivery: { id: string; eventId: string };
  referral: { id: string; email: string; name: string; referredUserExternalId: string };
  sale: { id: number; externalId: string; externalInvoiceId: string };
  link: { id: string; link: string };
  batch: { id: string; name: string };
  exported: { id: string };
  auditEntry: { id: string; recordId: string; actor: { id: string } };
  erasure: { id: string };
}

const responded = ({ status, body, text }: ResponseBody) => {
  if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
  return body;
};

/** Of the test, the batch twice, the redemption, and of every other record once. */
const eventsOfRound = 11;

/** Of every record once, of the batch twice. */
const entriesOfRound = 11;
/** Of the program and its first key. */
const entriesOfProgram = 2;

/** One for all files of a process, which share this module; it ends with the process. */
let receiver: Promise<ScriptedReceiver> | undefined;

/** Waits until the background has done what follows from a round: totals, connections, the batch. */
const settled = async (
  api: Api,
  { affiliate, batch, delivery, erasure }: Pick<World, 'affiliate' | 'batch' | 'delivery' | 'erasure'>,
  rounds: number,
): Promise<void> => {
  const slug = affiliate.affiliateLinks[0]?.link;
  const state = async () => {
    const [owner, link, made, sent, events, entries, erased] = await Promise.all(
      [
        `/affiliates?id=${affiliate.id}`,
        `/links?link=${slug}`,
        `/payout-batches?id=${batch.id}`,
        `/webhook-deliveries?id=${delivery.id}`,
        '/events?limit=100',
        '/audit-log?limit=100',
        `/erasures/${erasure.id}`,
      ].map(async (path) => (await api.get(path)).body),
    );
    return {
      revenue: owner.totalRevenue,
      referred: owner.numberOfReferredUsers,
      codesOnLink: link.promotionalCodes.length,
      batch: made.status,
      delivery: sent.status,
      events: events.length,
      entries: entries.length,
      erasure: erased.status,
    };
  };
  const done = {
    revenue: 10,
    referred: 1,
    codesOnLink: 1,
    batch: 'NO_TRANSACTIONS',
    delivery: 'SUCCEEDED',
    events: rounds * eventsOfRound,
    entries: entriesOfProgram + rounds * entriesOfRound,
    erasure: 'DONE',
  };
  // The stream may have thousands of records of other files to go through first.
  await vi.waitFor(async () => expect(await state()).toEqual(done), { timeout: 45_000, interval: 200 });
};

/**
 * A program with two records of each kind, so that each of its lists has a second page, unless `isListed` is false. Returns
 * the newer ones, unless `isCompared` is false when all that follows from them in the background is done too.
 */
export const makeWorld = async ({ isCompared = true, isListed = true } = {}): Promise<World> => {
  const api = await makeProgram();
  const round = async () => {
    const marker = randomUUID();
    const group = responded(await api.post('/groups', { name: `Group ${marker}`, commissionRate: 25 }));
    const names = { firstName: `First${marker}`, externalId: `affiliate-${marker}` };
    const affiliate = await makeAffiliate(api, { ...names, groupId: group.id });
    const coupon = await makeCoupon(api, { name: `Coupon ${marker}`, externalId: `coupon-${marker}` });
    const code = await makeCode(api, coupon.id, { affiliateId: affiliate.id, externalId: `code-${marker}` });
    // Of a type that these tests never cause: only tests of it are sent.
    receiver ??= startScriptedReceiver();
    const url = (await receiver).url(`/${marker}`);
    const webhook = responded(await api.post('/webhooks', { url, eventTypes: ['link.deleted'] }));
    const delivery = responded(await api.post('/webhooks/test', { webhookId: webhook.id }));
    const batch = responded(await api.post('/payout-batches', { name: `Batch ${marker}`, periodEnd: longAgo }));
    const referral = responded(
      await api.post('/referrals', {
        name: `Referral ${marker}`,
        email: `referral-${marker}@example.com`,
        referredUserExternalId: `user-${marker}`,
        affiliateId: affiliate.affiliateLinks[0].link,
      }),
    );
    const sale = responded(
      await api.post('/sales', {
        totalEarned: 10,
        promoCode: code.code,
        email: referral.email,
        externalId: `order-${marker}`,
        externalInvoiceId: `invoice-${marker}`,
      }),
    );
    await approveQuietly(api.programId, sale.id);
    const exported = await makeDoneExport(api.programId);
    const world = { affiliate, group, coupon, code, webhook, delivery, batch, referral, sale, exported };
    return { ...world, link: affiliate.affiliateLinks[0] };
  };
  const older = isListed ? await round() : undefined;
  const newer = await round();
  const rounds = [newer, ...(older ? [older] : [])];
  // Of nobody.
  const erasure = responded(await api.post('/erasures', { email: `${randomUUID()}@example.com` }));
  if (isCompared) for (const records of rounds) await settled(api, { ...records, erasure }, rounds.length);
  const subscription = responded(await send(api.apiKey, subscribe, { body: subscriptionBody() }));
  const newestOf = async (type: string) => (await api.get(`/audit-log?recordType=${type}&limit=1`)).body[0];
  for (const type of ['AFFILIATE', 'SUBSCRIPTION'])
    await vi.waitFor(async () => expect(await newestOf(type)).toBeDefined(), { timeout: 45_000, interval: 200 });
  return { api, ...newer, subscription, erasure, auditEntry: await newestOf('AFFILIATE') };
};

/** The valid request of an operation. */
export const freshRequest = (operation: Operation, world: World): Given => samples[mainIdOf(operation)].request(world);

/** The address of a request to an operation: below the main API, or whole on the connector. */
export const addressOf = ({ path, surface }: Operation, { parameters, query }: Given = {}): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters?.[name] ?? randomUUID());
  const address = surface === 'connector' ? connectorUrl(filled) : filled;
  return query && Object.keys(query).length > 0 ? `${address}?${new URLSearchParams(query)}` : address;
};

/** Sends a request to an operation with a key. */
export const send = (apiKey: string, operation: Operation, given: Given): Promise<ResponseBody> =>
  request(operation.method, addressOf(operation, given), {
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(given.body && { 'content-type': 'application/json' }),
      ...given.headers,
    },
    ...(given.body && { body: JSON.stringify(given.body) }),
  });

/** Everything that a program's lists return: what it is compared by, to see that nothing was written. */
export const everythingOf = async ({ get }: Api): Promise<string[]> => {
  const lists = await Promise.all(listOperations.map(({ path }) => get(`${path}?limit=100`)));
  return lists.map(({ status, headers, text }) => {
    if (status !== 200 || headers.has('link')) throw new Error(`Not all of it in one response: ${status} ${text}`);
    return text;
  });
};
