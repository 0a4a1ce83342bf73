import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { bounds } from '../../shared/contract/bounds.ts';
import { isLimitedPage, type WebPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { findOrMakeAccount } from '../../shared/domain/programs/accounts.ts';
import { acceptInvitation, inviteMember } from '../../shared/domain/programs/members.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { costOf } from '../support/capacity.ts';
import { storeCoupon } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { makeStoredSale, storeAll } from '../support/sales.ts';
import { storeProgram } from '../support/webhooks.ts';

const forms = 4;
const most = forms * bounds.pagesPerFormOfLimit;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 + 10_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const begin = async () => {
  const program = await storeProgram();
  const browser = await openPages(program.ownerEmail);
  vi.stubEnv('FORM_LIMIT', String(forms));
  return { program, browser };
};
const codes = (count: number) => Array.from({ length: count }, () => `CODE-${randomUUID()}`).join('\n');

it('an account may open so many pages a minute, then a page says when to go on; others are not limited by that', async () => {
  const [{ program, browser }, other] = [await begin(), await begin()];
  const address = `/programs/${program.id}/settings`;
  const visits = await Promise.all(Array.from({ length: most + 5 }, () => browser.visit(address)));
  expect(visits.filter(({ status }) => status === 200)).toHaveLength(most);
  const limited = visits.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(5);
  expect(limited[0]?.text).toContain(`You have requested more than ${most} pages within a minute. Wait`);
  expect(limited[0]?.retryAfter).toMatch(/^[1-9]\d*$/);
  // Whatever page it is, and a page of a program that is not there too.
  for (const path of ['/programs', `/programs/${randomUUID()}/sales`, `${address}/members`])
    expect((await browser.visit(path)).status, path).toBe(429);
  expect((await other.browser.visit('/programs')).status).toBe(200);
  vi.setSystemTime(Date.now() + 65_000);
  expect((await browser.visit(address)).status).toBe(200);
});

it('a page costs one write unit for that, and none beyond the limit', async () => {
  const { program, browser } = await begin();
  const address = `/programs/${program.id}/settings`;
  await browser.visit(address);
  const within = await costOf(async () => {
    for (let count = 1; count < most; count++) expect((await browser.visit(address)).status).toBe(200);
  });
  expect(within.writeUnits).toBe(most - 1);
  const beyond = await costOf(async () => expect((await browser.visit(address)).status).toBe(429));
  expect(beyond.writeUnits).toBe(0);
});

it('a form counts as many records as it writes, and one that writes too many says so and keeps what was entered', async () => {
  const { program, browser } = await begin();
  const coupon = await storeCoupon(program);
  const send = (entered: string) =>
    browser.submit(`/programs/${program.id}/promotional-codes/bulk`, { couponId: coupon.id, codes: entered });
  expect((await send(codes(8))).status).toBe(200);
  expect((await send(codes(8))).status).toBe(200);
  const entered = codes(8);
  const refused = await send(entered);
  expect(refused.status).toBe(429);
  expect(refused.text).toContain(
    `Your forms may write ${most} records within a minute, and this one would write 8 more.`,
  );
  expect(refused.text).toContain(entered.split('\n')[0]);
  expect(refused.retryAfter).toMatch(/^[1-9]\d*$/);
  expect((await send(codes(4))).status).toBe(200);
  expect((await promotionalCodes.page(program.id, { limit: 100 })).items).toHaveLength(20);
});

it('a program on the FREE plan that is full tells its owner about the plan, and other members whom to ask', async () => {
  const program = await storeProgram('FREE');
  const most = bounds.recordsOfFreeProgram;
  const stored = Array.from({ length: most }, () => makeStoredSale(randomUUID()));
  await storeAll(stored.flatMap((sale) => sales.createWrites(program.id, sale)));
  const email = `manager-${randomUUID()}@example.com`;
  await inviteMember(program, { email, role: 'MANAGER', invitedBy: program.ownerEmail }, new Date());
  await findOrMakeAccount(email);
  await acceptInvitation(program.id, email, new Date());
  const form = { name: 'Spring', couponType: 'PERCENTAGE', percentOff: '20' };
  const sendAs = async (person: string) =>
    (await openPages(person)).submit(`/programs/${program.id}/coupons/new`, form);
  const toOwner = await sendAs(program.ownerEmail);
  expect(toOwner.status).toBe(400);
  expect(toOwner.text).toContain(`This program has all the ${most} records that it may have on the FREE plan (`);
  expect(toOwner.text).toContain('ask the people who run this service for the BUSINESS plan');
  expect(toOwner.text).toContain('value="Spring"');
  const toMember = await sendAs(email);
  expect(toMember.status).toBe(400);
  expect(toMember.text).toContain(`This program has all the ${most} records that it may have (`);
  expect(toMember.text).toContain('ask the owner of the program');
  expect(toMember.text).not.toContain('plan');
});

const everyPage: readonly WebPage[] = pages;

it.each(everyPage.filter(({ method }) => method === 'POST'))(
  '$id says how many records it writes, if several',
  (page) => {
    const { shape = {}, def } = page.form ?? {};
    const takesSeveral =
      def?.catchall !== undefined && !(def.catchall instanceof z.ZodNever)
        ? true
        : Object.values(shape).some((field) => Array.isArray(z.safeParse(field as z.ZodType, 'one\ntwo').data));
    // Base URLs, products, event types, product rates, choices of a question and columns of a file are lists in one record.
    const inOneRecord = [
      'changeProgram',
      'changePortalSettings',
      'changeApplicationSettings',
      'addCoupon',
      'editCoupon',
      'addWebhook',
      'changeWebhook',
      'addGroup',
      'editGroup',
      'planUpload',
    ];
    expect(page.writes !== undefined).toBe(takesSeveral && !inOneRecord.includes(page.id));
  },
);

it('every page that needs a session is limited', () => {
  const unlimited = everyPage.filter(
    (page) => page.method === 'GET' && page.auth === 'session' && !isLimitedPage(page),
  );
  expect(unlimited).toEqual([]);
});
