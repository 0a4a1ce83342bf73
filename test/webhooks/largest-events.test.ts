import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { maxEventBytes } from '../../events/family.ts';
import { maxLinks } from '../../shared/domain/affiliates/rules.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { enterLinks } from '../support/links.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';

// The largest record of each kind, changed in everything at once: whatever fits in a request makes an event that fits.

vi.setConfig({ testTimeout: 120_000 });

let receiver: ScriptedReceiver;

beforeAll(async () => {
  receiver = await startScriptedReceiver();
});
afterAll(() => receiver.stop());

const maxMetadataBytes = 16_384;

/** Text of so many UTF-16 units that begins with the mark. */
const filled = (length: number, character: string, mark = ''): string =>
  mark + character.repeat(Math.floor((length - mark.length) / character.length));

/** The largest metadata that is accepted. */
const largestMetadata = (character: string, mark: string): Record<string, string> => {
  const metadata: Record<string, string> = {};
  for (let at = 10; at < 60; at++) {
    const key = filled(40, character, `${at}`);
    let left = 500;
    do metadata[key] = filled(left, character, mark);
    while (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes && --left > 2);
    if (left < 500) break;
  }
  return metadata;
};

/** The longest texts that are accepted, of one character; the mark makes another edit of them. */
const largestFields = (character: string, mark: string) => {
  const text = (length: number) => filled(length, character, mark);
  const ids = Array.from({ length: 100 }, (_, at) => filled(100, character, `${mark}${at}`));
  const metadata = largestMetadata(character, mark);
  return {
    coupon: { name: text(200), productIds: ids, collectionIds: ids, metadata },
    affiliate: { firstName: text(100), lastName: text(100), externalId: text(255), metadata },
    code: { code: text(100), externalId: text(255), limitToCustomers: true, customerId: text(255), metadata },
    referral: { name: text(200), plan: text(200), referredUserExternalId: text(255), metadata },
    sale: { name: text(200), externalId: text(255), externalInvoiceId: text(255), metadata },
    product: { productId: text(255), name: text(255), quantity: 1_000_000, price: 0.01 },
    payoutBatch: { name: text(200) },
    notes: text(5000),
    program: {
      name: text(200),
      currency: 'USD',
      commissionRate: 20,
      baseUrls: Array.from({ length: 20 }, (_, at) => `https://example.com/${filled(220, '漢', `${mark}${at}`)}`),
      allowSelfReferral: false,
    },
  };
};

const ok = async (asked: ReturnType<Api['post']>) => {
  const response = await asked;
  if (response.status !== 200) throw new Error(`Expected 200, got ${response.status}: ${response.text}`);
  return response.body;
};

/** Makes the largest of each kind. */
const makeLargest = async (api: Api, fields: ReturnType<typeof largestFields>) => {
  await updateProgram(api.programId, fields.program, new Date());
  const { id: couponId } = await ok(api.post('/coupons', { percentOff: 20, ...fields.coupon }));
  const affiliate = await makeAffiliate(api, fields.affiliate);
  const affiliateId = affiliate.id;
  const slugs = Array.from({ length: maxLinks - 2 }, (_, at) => filled(100, 'x', `link-${at}-`));
  await enterLinks(api.programId, affiliateId, slugs);
  await ok(api.post('/links', { link: filled(100, 'x', 'link-'), affiliateId }));
  const code = await ok(api.post('/promotional-codes', { couponId, affiliateId, ...fields.code }));
  const email = `${randomUUID()}@example.com`;
  const referral = await ok(api.post('/referrals', { email, affiliateId, ...fields.referral }));
  const { product } = fields;
  const sale = await ok(api.post('/sales', { totalEarned: 10, referralId: referral.id, product, ...fields.sale }));
  const batch = await ok(api.post('/payout-batches', { ...fields.payoutBatch, periodEnd: '2020-01-01T00:00:00Z' }));
  return { couponId, affiliate, codeId: code.id, referralId: referral.id, saleId: sale.id, payoutBatchId: batch.id };
};

/** Changes all that can be changed of them. */
const changeLargest = async (
  api: Api,
  made: Awaited<ReturnType<typeof makeLargest>>,
  fields: ReturnType<typeof largestFields>,
) => {
  const { couponId, affiliate, codeId, referralId, saleId, payoutBatchId } = made;
  await updateProgram(api.programId, fields.program, new Date());
  await ok(api.put('/coupons', { couponId, ...fields.coupon }));
  await ok(api.put('/affiliates', { affiliateId: affiliate.id, ...fields.affiliate }));
  await ok(api.put('/promotional-codes', { promotionalCodeId: codeId, ...fields.code }));
  await ok(api.put('/referrals', { referralId, ...fields.referral, notes: fields.notes }));
  await ok(api.put('/sales', { saleId, ...fields.sale, totalEarned: 20 }));
  await ok(api.put('/payout-batches', { payoutBatchId, ...fields.payoutBatch }));
  await ok(api.put('/links', { link: affiliate.affiliateLinks[0].link, newLink: filled(100, 'y', 'new-') }));
};

it.concurrent.each([
  ['escapes', '"'],
  ['three bytes', '漢'],
])('the largest records of %s and their changes make events that arrive, none of more than 256 KB', async (_, text) => {
  const api = await makeProgram();
  const path = `/${randomUUID()}`;
  const kinds = ['affiliate', 'referral', 'link', 'coupon', 'promotional_code', 'sale', 'payout_batch'];
  const eventTypes = kinds.flatMap((kind) => [`${kind}.created`, `${kind}.updated`]).sort();
  await ok(api.post('/webhooks', { url: receiver.url(path), eventTypes }));
  const made = await makeLargest(api, largestFields(text, '1-'));
  await changeLargest(api, made, largestFields(text, '2-'));

  await vi.waitFor(
    () => {
      expect([...new Set(receiver.at(path).map(({ event }) => event.type))].sort()).toEqual(eventTypes);
      expect(receiver.at(path).filter(({ event }) => event.type === 'link.created')).toHaveLength(2);
    },
    { timeout: 30_000, interval: 200 },
  );
  const largestOf = (type: string) =>
    Math.max(...receiver.at(path).map(({ event, body }) => (event.type === type ? Buffer.byteLength(body) : 0)));
  for (const type of eventTypes) expect(largestOf(type)).toBeLessThanOrEqual(maxEventBytes);
  // They are as large as they can be, or this would show nothing.
  expect(largestOf('coupon.updated')).toBeGreaterThan(65_000);
  expect(largestOf('promotional_code.updated')).toBeGreaterThan(65_000);
  expect(largestOf('affiliate.updated')).toBeGreaterThan(50_000);
});
