import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { countableChangesOf, updateTotals } from '../../shared/domain/totals/update-totals.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { dayIn, localTimeIn } from '../../shared/platform/time/days.ts';
import { probablyMissedSince } from '../../shared/web/pages/webhook-confirmations.tsx';
import { changeRecord } from '../support/changes.ts';
import { sell } from '../support/create-sale.ts';
import { now, storeAffiliate, storeCode, storeCoupon } from '../support/domain.ts';
import { inTurn } from '../support/in-turn.ts';
import { openPages } from '../support/pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram, storeWebhook } from '../support/webhooks.ts';

const { sentTo } = testQueues();

const begin = async (timeZone = 'UTC') => {
  const program = await storeProgram();
  const { name, currency, commissionRate, baseUrls, allowSelfReferral } = program;
  await updateProgram(program.id, { name, currency, commissionRate, baseUrls, allowSelfReferral, timeZone }, now);
  return { program, path: `/programs/${program.id}`, pages: await openPages(program.ownerEmail) };
};

it('an amount is taken as people write it, and one with two meanings is asked about beside its field', async () => {
  const { program, path, pages } = await begin();
  const { id: affiliateId } = await storeAffiliate(program);
  const { status } = await pages.submit(`${path}/sales/new`, { totalEarned: '1,250.00', referralId: affiliateId });
  expect(status).toBe(303);
  expect((await sales.page(program.id, { limit: 2 })).items.map(({ totalEarnedMinor }) => totalEarnedMinor)).toEqual([
    125_000,
  ]);
  const asked = await pages.submit(`${path}/sales/new`, { totalEarned: '12,5', referralId: affiliateId });
  expect(asked.status).toBe(400);
  expect(asked.text).toContain('id="totalEarned-error">Is unclear: write 12.5 or 125, without a comma<');
  expect(asked.text).toContain('value="12,5"');
});

it('an expiry is the end of a day in the time zone of the program, and not in the past', async () => {
  const { program, path, pages } = await begin('Asia/Tokyo');
  const coupon = await storeCoupon(program, { redeemBy: '2020-01-01T08:00:00.000Z' });
  const fields = { couponId: coupon.id, code: 'SPRING', expiresAt: '2099-12-31' };
  expect((await pages.submit(`${path}/promotional-codes/new`, fields)).status).toBe(303);
  const code = await promotionalCodes.find(program.id, 'CODE', 'SPRING');
  expect(code?.expiresAt).toBe('2099-12-31T14:59:59.999Z');
  expect((await pages.visit(`${path}/promotional-codes/${code?.id}/edit`)).text).toContain('value="2099-12-31"');

  for (const [form, more, name] of [
    ['promotional-codes/new', { couponId: coupon.id, code: 'PAST' }, 'expiresAt'],
    ['promotional-codes/bulk', { couponId: coupon.id, codes: 'PAST' }, 'expiresAt'],
    [`promotional-codes/${(await storeCode(program, coupon)).id}/edit`, { code: 'PAST' }, 'expiresAt'],
    ['coupons/new', { name: 'Past', couponType: 'PERCENTAGE', percentOff: '10', duration: 'once' }, 'redeemBy'],
    [`coupons/${coupon.id}/edit`, { name: 'Past', percentOff: '10', duration: 'once' }, 'redeemBy'],
  ] as const) {
    const refused = await pages.submit(`${path}/${form}`, { ...more, [name]: '2020-01-02' });
    expect([form, refused.status]).toEqual([form, 400]);
    expect(refused.text, form).toContain(`id="${name}-error">Is in the past; choose today or a later day<`);
  }
  expect(await promotionalCodes.find(program.id, 'CODE', 'PAST')).toBeUndefined();

  // One that has passed stays what it is when something else is edited.
  const kept = { name: 'Renamed', percentOff: '10', duration: 'once', redeemBy: '2020-01-01', valid: 'on' };
  expect((await pages.submit(`${path}/coupons/${coupon.id}/edit`, kept)).status).toBe(303);
  expect(await coupons.get(program.id, coupon.id)).toMatchObject({
    name: 'Renamed',
    redeemBy: '2020-01-01T08:00:00.000Z',
  });
});

it('times and amounts are shown in the time zone of the program and the language of the browser', async () => {
  const { program, path } = await begin('Asia/Tokyo');
  const createdAt = '2026-11-22T15:00:00.000Z';
  const { id } = await storeAffiliate(program, {
    id: newRecordId(new Date(createdAt)),
    createdAt,
  });
  const address = `${path}/affiliates/${id}`;
  expect((await (await openPages(program.ownerEmail)).visit(address)).text).toContain('>Nov 23, 2026<');
  const german = await openPages(program.ownerEmail, { 'accept-language': 'de-DE,de;q=0.9' });
  const { text } = await german.visit(address);
  expect(text).toContain('>23.11.2026<');
  expect(text).toContain('0,00\u00a0$');
  expect((await german.visit(`${path}/affiliates?from=2026-11-23&to=2026-11-23`)).text).toContain(id);
  expect((await german.visit(`${path}/affiliates?from=2026-11-22&to=2026-11-22`)).text).not.toContain(id);
});

it('the time zone is chosen in the settings, and one that does not exist is refused', async () => {
  const { path, pages } = await begin();
  const entered = { name: 'Shop', currency: 'USD', commissionRate: '10', timeZone: 'Europe/Berlin' };
  expect((await pages.submit(`${path}/settings`, entered)).status).toBe(303);
  expect((await pages.visit(`${path}/settings`)).text).toMatch(
    /<option selected value="Europe\/Berlin"|value="Europe\/Berlin" selected/,
  );
  for (const timeZone of ['Europe/Atlantis', '+01:00', 'x'.repeat(200)])
    expect((await pages.submit(`${path}/settings`, { ...entered, timeZone })).text).toContain('id="timeZone-error"');
});

/** The text of a downloaded file. */
const fileOf = (body: string): string => gunzipSync(Buffer.from(body, 'base64')).toString();

it('a day of a filter is a day of the time zone in the file of a list too', async () => {
  const { program, path, pages } = await begin('Asia/Kolkata');
  const moments = ['2026-02-28T18:29:59.999Z', '2026-02-28T18:30:00.000Z', '2026-03-01T18:29:59.999Z'];
  const ids = await inTurn(moments, async (createdAt) => {
    const { id } = await storeAffiliate(program, { id: newRecordId(new Date(createdAt)), createdAt });
    return id;
  });
  const lines = fileOf((await pages.visit(`${path}/affiliates.csv?from=2026-03-01&to=2026-03-01`)).text);
  expect(ids.map((id) => lines.includes(id))).toEqual([false, true, true]);
});

it('the overview has the days of the time zone, and the affiliates that are new in them', async () => {
  const { program, path, pages } = await begin('Asia/Kolkata');
  for (const createdAt of ['2026-02-28T18:29:59.999Z', '2026-02-28T18:30:00.000Z'])
    await storeAffiliate(program, { id: newRecordId(new Date(createdAt)), createdAt });
  const [affiliate] = (await affiliates.page(program.id, { limit: 1 })).items;
  const sale = await sell(
    { ...program, timeZone: 'Asia/Kolkata' },
    { referralId: affiliate?.id },
    new Date('2026-02-28T18:30:00.000Z'),
  );
  await updateTotals(await countableChangesOf([changeRecord(program, 'SALE', { after: sale })]), now);
  const { text } = await pages.visit(`${path}?from=2026-03-01&to=2026-03-01`);
  expect(text).toContain('(Asia/Kolkata)');
  expect(text).toContain('Mar 1, 2026: $100.00');
  expect(text).toContain('1 new in this period');
  const before = (await pages.visit(`${path}?from=2026-02-28&to=2026-02-28`)).text;
  expect(before).toContain('1 new in this period');
  expect(before).toContain('No sales in this period');
  expect(before).toContain('Choose another period.');
});

it('a time is entered in the time zone of the program', async () => {
  const { program, path, pages } = await begin('Asia/Kolkata');
  const webhook = await storeWebhook(program.id);
  const missed = `${path}/webhooks/${webhook.id}/missed`;
  const proposed = () => localTimeIn('Asia/Kolkata', probablyMissedSince(webhook, new Date()));
  const before = proposed();
  const shown = (await pages.visit(missed)).text;
  expect([before, proposed()]).toContain(
    /type="datetime-local"[^>]* value="([^"]*)"|value="([^"]*)"[^>]* type="datetime-local"/
      .exec(shown)
      ?.slice(1)
      .find(Boolean),
  );
  expect(shown).toContain('time zone (Asia/Kolkata)');
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000);
  expect((await pages.submit(missed, { since: `${dayIn('Asia/Kolkata', yesterday)}T12:15` })).status).toBe(303);
  const sent = sentTo('redeliveries').map(({ body }) => body.since);
  expect(sent).toEqual([`${dayIn('Asia/Kolkata', yesterday)}T06:45:00.000Z`]);
  expect((await pages.submit(missed, { since: yesterday.toISOString() })).status).toBe(400);
});
