import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { deleteCoupon } from '../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import type { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import { updatePayoutBatch } from '../../shared/domain/payouts/update-payout-batch.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import type { Write } from '../../shared/platform/table/transaction.ts';
import { recordCalls } from '../speed/recorded-calls.ts';
import { at, now, storeAffiliate, storeCoupon, storeSale } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { prepareBatch, workOnBatch } from '../support/payout-batches.ts';
import { testQueues } from '../support/queues.ts';
import { storeAll, unnoticed } from '../support/sales.ts';
import { makeStoredCoupon } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';

testQueues();

const begin = async () => {
  const program = await storeProgram();
  const [amara, bola] = [
    await storeAffiliate(program, { firstName: 'Amara', lastName: 'Okafor', paymentMethod: 'COUPON' }),
    await storeAffiliate(program, { firstName: 'Bola', lastName: 'Ojo', paymentMethod: 'PAYPAL' }),
  ];
  for (const { id } of [amara, bola]) await storeSale(program, id, { createdAt: at(-1000) });
  const flat = { couponType: 'FLAT', percentOff: null, amountOffMinor: 500, currency: 'USD' } as const;
  const credit = await storeCoupon(program, { name: 'Store credit', couponCategory: 'PAYOUT', ...flat });
  const pages = await openPages(program.ownerEmail);
  const path = `/programs/${program.id}`;
  return { program, amara, credit, flat, pages, path };
};

const offeredIn = (text: string): string[] =>
  [...(/<select[^>]*id="couponId"[\s\S]*?<\/select>/.exec(text)?.[0] ?? '').matchAll(/<option[^>]*>([^<]*)</g)].map(
    ([, label]) => label ?? '',
  );

it('the form of a payout offers the coupons that can pay, and the page of such a coupon leads to it', async () => {
  const { program, credit, flat, pages, path } = await begin();
  const others = [
    { name: 'For customers', couponCategory: 'CUSTOMER' },
    { name: 'A copy', couponCategory: 'PAYOUT', ...flat, payoutBatchId: 'b' },
    { name: 'Switched off', couponCategory: 'PAYOUT', enabled: false },
    { name: 'In euros', couponCategory: 'PAYOUT', ...flat, currency: 'EUR' },
  ] as const;
  const [customers, copy] = await Promise.all(others.map((coupon) => storeCoupon(program, coupon)));
  const form = `${path}/payout-batches/new`;
  expect(offeredIn((await pages.visit(form)).text)).toEqual(['None', 'Store credit ($5.00 off)']);
  const named = `${form}?couponId=${credit.id}`;
  expect((await pages.visit(`${path}/coupons/${credit.id}`)).text).toContain(`href="${named}"`);
  for (const coupon of [customers, copy])
    expect((await pages.visit(`${path}/coupons/${coupon?.id}`)).text).not.toContain('payout-batches/new');
  const { text } = await pages.visit(named);
  expect(text).toMatch(/<option value="COUPON" selected[^>]*>/);
  expect(text).toMatch(new RegExp(`<option value="${credit.id}" selected[^>]*>`));
  // Forms for codes do not offer copies either.
  expect(offeredIn((await pages.visit(`${path}/promotional-codes/new`)).text).join()).not.toContain('A copy');
});

/** As a version has written copies that knew no entry of their own for them. */
const amongOthers = (programId: string, write: Write): Write => {
  const Item = { ...write.Put?.Item, gsi3pk: partition(programId, 'COUPON', 'CATEGORY', 'PAYOUT') };
  return write.Put ? { ...write, Put: { ...write.Put, Item } } : write;
};

it.each([
  { version: 'this', isOfEarlier: false, maxReadUnits: 20 },
  { version: 'an earlier', isOfEarlier: true, maxReadUnits: 3000 },
])(
  'forms offer coupons that are older than a thousand copies for payouts by $version version',
  async ({ isOfEarlier, maxReadUnits }) => {
    const program = await storeProgram();
    const terms = { couponType: 'FLAT', percentOff: null, amountOffMinor: 1, currency: 'USD' } as const;
    const create = (minute: number, overrides: Partial<StoredCoupon>) => {
      const id = newRecordId(new Date(now.getTime() + minute * 60_000));
      const coupon = makeStoredCoupon({ ...terms, couponCategory: 'PAYOUT', id, ...overrides });
      return coupons.createWrites(program.id, coupon);
    };
    const copies = Array.from({ length: 1060 }, (_, at) => create(2 + at, { name: 'Copy', payoutBatchId: 'b' })).flat();
    await storeAll(
      unnoticed([
        ...create(0, { name: 'Pays' }),
        ...create(1, { name: 'For customers', couponCategory: 'CUSTOMER' }),
        ...(isOfEarlier ? copies.map((write) => amongOthers(program.id, write)) : copies),
        ...create(2000, { name: 'Pays since then' }),
      ]),
    );
    const pages = await openPages(program.ownerEmail);
    const offered = async (form: string) =>
      offeredIn((await pages.visit(`/programs/${program.id}/${form}`)).text).map((label) => label.split(' (')[0]);
    const { readUnits } = await recordCalls(async () => {
      expect(await offered('payout-batches/new')).toEqual(['None', 'Pays since then', 'Pays']);
    });
    expect(readUnits).toBeLessThanOrEqual(maxReadUnits);
    expect(await offered('promotional-codes/new')).toEqual(['Pays since then', 'For customers', 'Pays']);
  },
);

it.each([
  { couponType: 'FLAT', shown: 'Being created' },
  { couponType: 'PERCENTAGE', shown: 'None: the coupon was deleted' },
] as const)(
  'the page of a paid batch whose $couponType coupon was deleted says: $shown',
  async ({ couponType, shown }) => {
    const { program, credit, pages, path } = await begin();
    const percentage = await storeCoupon(program, { couponCategory: 'PAYOUT' });
    const coupon = couponType === 'FLAT' ? credit : percentage;
    const batch = await prepareBatch(program, { paymentMethod: 'COUPON', couponId: coupon.id });
    await updatePayoutBatch(program.id, { payoutBatchId: batch.id, status: 'PAID' }, undefined, now);
    expect((await pages.visit(`${path}/payout-batches/${batch.id}`)).text).toContain('Being created');
    await deleteCoupon(program.id, coupon.id, undefined, now);
    const { text } = await pages.visit(`${path}/payout-batches/${batch.id}`);
    expect(text).toContain(shown);
    await workOnBatch(program, batch.id, 'pay');
    const after = (await pages.visit(`${path}/payout-batches/${batch.id}`)).text;
    expect(after.includes(shown)).toBe(couponType === 'PERCENTAGE');
  },
);

it('refuses a payout in coupons without one, and says so at its field', async () => {
  const { program, credit, pages, path } = await begin();
  const off = await storeCoupon(program, { name: 'Off', couponCategory: 'PAYOUT', enabled: false });
  for (const action of ['preview', 'new'])
    for (const [fields, message] of [
      [{ paymentMethod: 'COUPON' }, 'Choose the coupon whose codes pay'],
      [{ paymentMethod: 'WISE', couponId: credit.id }, 'Choose the payment method Coupon, or no coupon'],
      [{ paymentMethod: 'COUPON', couponId: off.id }, 'is disabled, has expired'],
    ] as const) {
      const { status, text } = await pages.submit(`${path}/payout-batches/${action}`, fields);
      expect([action, status]).toEqual([action, 400]);
      expect(/id="couponId-error">([^<]*)/.exec(text)?.[1]?.toLowerCase(), message).toContain(message.toLowerCase());
    }
  expect((await payoutBatches.page(program.id, { limit: 1 })).items).toEqual([]);
});

it('previews, creates and pays a batch in coupons, without a tick, and shows the code everywhere', async () => {
  const { program, amara, credit, pages, path } = await begin();
  const chosen = { name: 'Credit', paymentMethod: 'COUPON', couponId: credit.id };
  const preview = await pages.submit(`${path}/payout-batches/preview`, chosen);
  expect(preview.text).toContain('Each affiliate gets a code worth the amount, from the coupon Store credit.');
  expect(preview.text).toContain('Amara Okafor');
  expect(preview.text).not.toContain('Bola Ojo');
  expect(preview.text).toContain(`name="couponId" value="${credit.id}"`);
  const { location = '' } = await pages.submit(`${path}/payout-batches/new`, chosen);
  const batchPath = String(location).split('?')[0] ?? '';
  const batchId = batchPath.split('/').at(-1) ?? '';
  await workOnBatch(program, batchId, 'prepare');
  expect((await pages.visit(batchPath)).text).toContain('When it is paid');
  const asked = (await pages.visit(`${batchPath}/paid`)).text;
  expect(asked).toContain('This creates 1 code, one for each affiliate, in payment of');
  expect(asked).not.toContain('name="leftOut"');
  expect((await pages.submit(`${batchPath}/paid`, {})).status).toBe(303);
  expect((await pages.visit(batchPath)).text).toContain('Being created');
  await workOnBatch(program, batchId, 'pay');
  const [code] = (await promotionalCodes.page(program.id, { limit: 1 })).items;
  const link = `href="${path}/promotional-codes/${code?.id}"`;
  const shown = (await pages.visit(batchPath)).text;
  expect(shown).toContain(link);
  expect(shown).toContain(`href="${path}/coupons/${credit.id}"`);
  expect(shown).not.toContain('PayPal file');
  expect((await pages.visit(`${path}/affiliates/${amara.id}`)).text).toContain(link);
  const statement = await pages.visit(`${path}/affiliates/${amara.id}/statement?batch=${batchId}`);
  expect(statement.text).toContain(`<code>${code?.code}</code>`);
  // A download comes compressed, as API Gateway takes it.
  const file = gunzipSync(Buffer.from((await pages.visit(`${batchPath}/payouts.csv`)).text, 'base64')).toString();
  expect(file).toContain(`"${code?.code}"`);
});
