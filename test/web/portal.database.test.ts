import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { maxTextCharacters } from '../../shared/contract/assets.ts';
import { portalPages } from '../../shared/contract/pages/portal.ts';
import { enterLink } from '../../shared/domain/affiliates/link-entry.ts';
import { createLinkWrites, links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { createText } from '../../shared/domain/assets/manage-assets.ts';
import type { StoredCoupon } from '../../shared/domain/coupons/rules.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { costOf } from '../support/capacity.ts';
import { at, storeAffiliate, storeCode, storeCoupon, storeSale } from '../support/domain.ts';
import { stubPageEnvironment } from '../support/pages.ts';
import { prepareBatch } from '../support/payout-batches.ts';
import { portalBrowser, startedPortalCookie } from '../support/portal-pages.ts';
import { testQueues } from '../support/queues.ts';
import { roundTripsOf } from '../support/round-trips.ts';
import { makeStoredLink } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';
import { isForSignedOut } from './every-page.ts';

testQueues();

let program: StoredProgram;
beforeEach(async () => {
  stubPageEnvironment();
  program = await storeProgram();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const browserOf = async ({ id }: StoredAffiliate) => portalBrowser(program, await startedPortalCookie(program.id, id));

const addLink = async (affiliate: StoredAffiliate) => {
  const createdAt = new Date().toISOString();
  const link = makeStoredLink({
    id: newRecordId(new Date()),
    createdAt,
    updatedAt: createdAt,
    link: `link-${randomUUID()}`,
    affiliateId: affiliate.id,
  });
  await writeTogether(createLinkWrites(program.id, link, affiliate));
  await enterLink(program.id, link, new Date());
  return link;
};

/** An affiliate with some of everything, under a name that no other has. */
const makeAffiliate = async (name: string, count = 1) => {
  const affiliate = await storeAffiliate(program, {
    firstName: name,
    email: `${name.toLowerCase()}-${randomUUID()}@example.com`,
    externalId: `external-${name}`,
    metadata: { note: `note about ${name}` },
  });
  const each = <Made>(make: (number: number) => Promise<Made>) =>
    Promise.all(Array.from({ length: count }, (_, number) => make(number)));
  const made: Awaited<ReturnType<typeof addLink>>[] = [];
  for (let number = 0; number < count; number++) made.push(await addLink(affiliate));
  const codes = await each(async () => {
    const coupon = await storeCoupon(program, { name: `offer ${randomUUID()}`, allowAffiliateCodes: true });
    return storeCode(program, coupon, { affiliateId: affiliate.id, code: `${name}-${randomUUID()}` });
  });
  const customers = await each(async () => {
    const email = `customer-${randomUUID()}@buyers.example`;
    const more = {
      email,
      name: `Priya ${randomUUID()}`,
      customerId: `customer-${name}`,
      metadata: { note: `secret of ${name}` },
    };
    await storeSale(program, affiliate.id, { ...more, createdAt: at(-60_000) });
    return more;
  });
  return { affiliate, links: made, codes, customers };
};

const shown = portalPages.filter((page) => page.method === 'GET' && page.auth === 'affiliate');

/** The addresses of all pages of the portal, below its path, with ids of records. */
const pathsOf = (ids: Record<string, string>): string[] =>
  shown.map(({ path }) =>
    path.replace('/portal/{handle}', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ''),
  );

describe('an affiliate', () => {
  it('sees all that is theirs, and nothing of another one of the same program, on any page', async () => {
    const [mine, theirs] = [await makeAffiliate('Amara'), await makeAffiliate('Bruno')];
    const batch = await prepareBatch(program);
    const browser = await browserOf(mine.affiliate);
    const ids = { linkId: mine.links[0]?.id ?? '', payoutBatchId: batch.id };
    const texts = await Promise.all(pathsOf(ids).map(async (path) => ({ path, ...(await browser.visit(path)) })));
    expect(texts.map(({ path, status }) => [path, status])).toEqual(texts.map(({ path }) => [path, 200]));
    const all = texts.map(({ text }) => text).join('\n');
    for (const own of [
      mine.affiliate.email,
      mine.links[0]?.link,
      mine.codes[0]?.code,
      `/payouts/${batch.id}`,
      '$10.00',
    ])
      expect(all).toContain(own);
    const foreign = [
      theirs.affiliate.email,
      'Bruno',
      theirs.affiliate.id,
      theirs.links[0]?.link,
      theirs.codes[0]?.code,
    ];
    const customers = [...mine.customers, ...theirs.customers].flatMap(({ email, name, customerId }) => [
      email,
      name,
      customerId,
    ]);
    // Notes, and what only the program knows.
    const internal = ['secret of', 'note about', 'external-', program.ownerEmail, '$200.00', '$20.00'];
    for (const hidden of [...foreign, ...customers, ...internal]) expect(all).not.toContain(hidden);
    expect(all).toContain('c…@b….example');
  });

  it('gets 404 for the link and the payout of another one, as for one that is not there', async () => {
    const [mine, theirs] = [await makeAffiliate('Amara'), await makeAffiliate('Bruno')];
    const batch = await prepareBatch(program, { affiliateIds: [theirs.affiliate.id] });
    const browser = await browserOf(mine.affiliate);
    const refused = async (ids: Record<string, string>) =>
      Promise.all(
        pathsOf(ids)
          .filter((path) => Object.values(ids).some((id) => path.includes(id)))
          .map(async (path) => (await browser.visit(path)).status),
      );
    expect(await refused({ linkId: theirs.links[0]?.id ?? '', payoutBatchId: batch.id })).toEqual([404, 404]);
    expect(await refused({ linkId: randomUUID(), payoutBatchId: randomUUID() })).toEqual([404, 404]);
  });

  it('changes nothing of another one by naming them in a form', async () => {
    const [mine, theirs] = [await makeAffiliate('Amara'), await makeAffiliate('Bruno')];
    const browser = await browserOf(mine.affiliate);
    const before = await affiliates.get(program.id, theirs.affiliate.id);
    const named = { affiliateId: theirs.affiliate.id, emailAddress: theirs.affiliate.email };
    for (const [path, form] of [
      ['/profile', { firstName: 'Changed' }],
      ['/payout-details', { payoutEmail: 'mine@example.com' }],
      ['/links/new', { link: `link-${randomUUID()}` }],
    ] as const) {
      for (const [name, value] of Object.entries(named)) {
        const { status, text } = await browser.submit(path, { ...form, [name]: value });
        expect([path, status]).toEqual([path, 400]);
        expect(text).toContain('is not a known field');
      }
    }
    expect(await affiliates.get(program.id, theirs.affiliate.id)).toEqual(before);
  });

  it('reads the next part of a list with a cursor that is of no use to another one', async () => {
    const [mine, theirs] = [await makeAffiliate('Amara', 25), await makeAffiliate('Bruno')];
    const browser = await browserOf(mine.affiliate);
    const { text } = await browser.visit('/sales');
    const next = /href="[^"]*\/sales(\?cursor=[^"]+)"/.exec(text)?.[1] ?? '';
    expect((await browser.visit(`/sales${next}`)).text.match(/<tr>/g)).toHaveLength(1 + 5);
    expect((await (await browserOf(theirs.affiliate)).visit(`/sales${next}`)).status).toBe(400);
  });
});

describe('what an affiliate does', () => {
  it('creates a link of theirs, whose address the list shows', async () => {
    const { affiliate } = await makeAffiliate('Amara');
    const browser = await browserOf(affiliate);
    const link = `link-${randomUUID()}`;
    expect((await browser.submit('/links/new', { link })).location).toContain('/links?done=link-created');
    expect((await links.find(program.id, 'SLUG', link))?.affiliateId).toBe(affiliate.id);
    const { text } = await browser.visit('/links');
    expect(text).toContain(`/r/${program.handle}/${link}`);
    const refused = await browser.submit('/links/new', { link });
    expect([refused.status, refused.text.includes('Is already in use')]).toEqual([400, true]);
  });

  it('creates a code of a coupon that allows it, by the rules of codes', async () => {
    const affiliate = await storeAffiliate(program);
    const browser = await browserOf(affiliate);
    expect((await browser.visit('/codes')).text).not.toContain('New code');
    const [open, closed, reward] = await Promise.all([
      storeCoupon(program, { allowAffiliateCodes: true }),
      storeCoupon(program),
      storeCoupon(program, { allowAffiliateCodes: true, couponCategory: 'PAYOUT' }),
    ]);
    const code = `AMARA-${randomUUID()}`;
    const send = (couponId: string, text: string) => browser.submit('/codes/new', { couponId, code: text });
    expect((await send(open.id, code)).location).toContain('/codes?done=code-created');
    expect(await promotionalCodes.find(program.id, 'CODE', code)).toMatchObject({
      affiliateId: affiliate.id,
      couponId: open.id,
      isAffiliateGenerated: true,
      isAutoGenerated: false,
      active: true,
    });
    expect((await browser.visit('/codes')).text).toContain(code);
    for (const [couponId, text, problem] of [
      [open.id, code, 'Already exists in this program'],
      [open.id, 'with a space', 'white space'],
      [open.id, 'x'.repeat(101), 'at most 100'],
      [closed.id, randomUUID(), 'no offer'],
      [reward.id, randomUUID(), 'no offer'],
      [randomUUID(), randomUUID(), 'no offer'],
    ] as const) {
      const { status, text: shownAgain } = await send(couponId, text);
      expect([status, problem, shownAgain.includes(problem)]).toEqual([400, problem, true]);
    }
  });

  it('is offered a code where one can be made, also behind coupons that have ended, and only there', async () => {
    const browser = await browserOf(await storeAffiliate(program));
    const offered = async () => {
      const [list, form] = [await browser.visit('/codes'), await browser.visit('/codes/new')];
      return [list.text.includes('New code'), /<option value="[^"]+"/.test(form.text)];
    };
    const ended = [{ enabled: false }, { redeemBy: at(-1000) }, { maxRedemptions: 1, timesRedeemed: 1 }];
    let made = 0;
    // Ids of one millisecond have no order.
    const offer = (how: Partial<StoredCoupon>) =>
      storeCoupon(program, { id: newRecordId(new Date(at(made++))), allowAffiliateCodes: true, ...how });
    for (const how of ended) await offer(how);
    expect(await offered()).toEqual([false, false]);
    await offer({});
    expect(await offered()).toEqual([true, true]);
    for (let count = 0; count < 15; count++) await offer({ enabled: false });
    expect(await offered()).toEqual([true, true]);
  });

  it('is refused, with the reason, while they do not take part', async () => {
    const coupon = await storeCoupon(program, { allowAffiliateCodes: true });
    const browser = await browserOf(await storeAffiliate(program, { status: 'INACTIVE' }));
    for (const [path, form] of [
      ['/links/new', { link: `link-${randomUUID()}` }],
      ['/codes/new', { couponId: coupon.id, code: randomUUID() }],
    ] as const) {
      const { status, text } = await browser.submit(path, form);
      expect(status).toBe(409);
      expect(text).toContain('Your participation is not active yet');
    }
    expect((await browser.visit('/links')).text).toContain('Your participation is not active');
  });

  it('changes the name, and an empty field removes what may be absent', async () => {
    const { id } = await storeAffiliate(program, { lastName: 'Okafor' });
    const browser = await browserOf({ id } as StoredAffiliate);
    await browser.submit('/profile', { firstName: 'Amara', lastName: '' });
    expect(await affiliates.get(program.id, id)).toMatchObject({ firstName: 'Amara', lastName: '' });
    const refused = await browser.submit('/profile', { firstName: '', lastName: 'Okafor' });
    expect(refused.status).toBe(400);
    expect((await affiliates.get(program.id, id))?.lastName).toBe('');
  });
});

it('pages are in the color of the program and the language of the browser', async () => {
  const { affiliate } = await makeAffiliate('Amara');
  const { name, currency, commissionRate, baseUrls, allowSelfReferral } = program;
  const edit = { name, currency, commissionRate, baseUrls, allowSelfReferral, accentColor: '#ffe600' };
  await updateProgram(program.id, edit, new Date());
  const { text } = await (await browserOf(affiliate)).visit('/sales', { 'accept-language': 'de-DE,de;q=0.9' });
  expect(text).toMatch(/href="\/style\/[0-9a-f]+\/ffe600"/);
  expect(text).toContain('10,00\u00a0$');
  expect(text).toContain('· Acme</title>');
});

it.each(shown.filter((page) => !isForSignedOut(page)))(
  '$id costs at most 3 round trips and 20 read units, however much the affiliate has',
  async ({ path }) => {
    const { affiliate, links: own } = await makeAffiliate('Amara', 25);
    const batches = [await prepareBatch(program)];
    for (let count = 0; count < 12; count++) {
      await storeSale(program, affiliate.id, { createdAt: at(-50_000) });
      batches.push(await prepareBatch(program));
    }
    // The longest texts that assets may have.
    const text = '🌷'.repeat(maxTextCharacters);
    for (let count = 0; count < 15; count++) await createText(program.id, { title: 'Spring', text }, new Date());
    const browser = await browserOf(affiliate);
    const ids: Record<string, string> = { linkId: own[0]?.id ?? '', payoutBatchId: batches[0]?.id ?? '' };
    const address = path.replace('/portal/{handle}', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    await browser.visit(address);
    const cost = await costOf(async () => expect((await browser.visit(address)).status).toBe(200));
    const { trips } = await roundTripsOf(() => browser.visit(address));
    expect(trips.length).toBeGreaterThan(0);
    expect(trips.length, JSON.stringify(trips)).toBeLessThanOrEqual(3);
    expect(cost.readUnits).toBeGreaterThan(1);
    expect(cost.readUnits).toBeLessThanOrEqual(20);
    // The count of pages.
    expect(cost.writeUnits).toBe(1);
  },
);
