import { beforeAll, describe, expect, it, vi } from 'vitest';
import { allNeedsOfPage, type WebPage } from '../../shared/contract/page.ts';
import { setPlan } from '../../shared/domain/programs/programs.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { storedSaleId } from '../../shared/domain/sales/sale-id.ts';
import { deleteItem, getItem, putItem } from '../../shared/platform/table/items.ts';
import { request } from '../support/program.ts';
import { actions, requestOf, shownPages } from './every-page.ts';
import { stateOf } from './state-of.ts';
import { makeWebWorld, type WebWorld } from './web-world.ts';

// An account that has everything, and is on the FREE plan since: it may look around and clear up.

let world: WebWorld;
beforeAll(async () => {
  world = await makeWebWorld('Shop');
  await setPlan(world.email, 'FREE');
});

const refusedActions = [
  'addWebhook',
  'changeWebhook',
  'switchWebhookOn',
  'rotateWebhookSecret',
  'sendWebhookTest',
  'sendMissedEvents',
  'resendDelivery',
  'connectProgram',
];

describe.each(actions.filter(({ id }) => refusedActions.includes(id)))('$id', (page) => {
  it('is refused on the FREE plan with a page that says why, and changes nothing', async () => {
    const before = await stateOf(world);
    const { address, form } = requestOf(page, world);
    const { status, text } = await world.browser.submit(address, form);
    expect(status).toBe(403);
    expect(text).toContain('<h1>Not included in your plan</h1>');
    expect(text).toContain('FREE plan');
    expect(await stateOf(world)).toEqual(before);
  });
});

it('what else an account on the FREE plan may do on pages is listed here', () => {
  const allowed = actions.filter(({ id }) => !refusedActions.includes(id)).map(({ id }) => id);
  expect(allowed.sort()).toEqual([
    'addAffiliate',
    'addApiKey',
    'addCodesInBulk',
    'addCoupon',
    'addExport',
    'addGroup',
    'addImage',
    'addImport',
    'addLink',
    'addPayoutBatch',
    'addPortalCode',
    'addPortalLink',
    'addProgram',
    'addPromotionalCode',
    'addReferral',
    'addSale',
    'addText',
    'changeApplicationSettings',
    'changeMail',
    'changeMailSender',
    'changeMember',
    'changePayoutDetails',
    'changePortalProfile',
    'changePortalSettings',
    'changeProgram',
    'confirmPayoutDetails',
    'decideApplication',
    'decideSales',
    'disconnectApps',
    'downloadPerson',
    'editAffiliate',
    'editAsset',
    'editCoupon',
    'editGroup',
    'editLink',
    'editPromotionalCode',
    'editReferral',
    'editSale',
    'enterPortal',
    'erasePerson',
    'findPerson',
    'inviteMember',
    'leavePortal',
    'leaveProgram',
    'markAsPaid',
    'moveGroup',
    'planUpload',
    'previewPayoutBatch',
    'previewSale',
    'refund',
    'removeAffiliate',
    'removeApiKey',
    'removeAsset',
    'removeCoupon',
    'removeGroup',
    'removeLink',
    'removeMember',
    'removePayoutBatch',
    'removeProgram',
    'removePromotionalCode',
    'removeReferral',
    'removeSale',
    'removeWebhook',
    'replaceApiKey',
    'requestSignInLink',
    'respondToInvitation',
    'runPlannedImport',
    'sendApplication',
    'sendInvitationAgain',
    'sendTestMail',
    'setAffiliateStatus',
    'setCodesActive',
    'signOut',
    'signOutEverywhere',
    'stopImport',
  ]);
});

describe('the records that a program on the FREE plan may have', () => {
  const creating = actions.filter((page: WebPage) => allNeedsOfPage(page).includes('records:count'));
  const full = 'has all the 500 records that it may have on the FREE plan';
  const key = () => ({ pk: `RECORD_ROOM#${world.programId}`, sk: 'RECORD_ROOM' });
  const send = async (page: WebPage) => {
    const { address, form } = requestOf(page, world);
    // A refund of a sale that is in a payout batch makes a record.
    const sale = await sales.get(world.programId, storedSaleId(Number(world.ids.saleNumber)));
    const version = page.id === 'refund' ? { version: String(sale?.version) } : {};
    return world.browser.submit(address, { ...form, ...version });
  };

  beforeAll(async () => {
    await vi.waitFor(
      async () =>
        expect(
          (await sales.get(world.programId, storedSaleId(Number(world.ids.saleNumber))))?.payoutBatchId,
        ).toBeTruthy(),
      20_000,
    );
  });

  it.each(creating)('$id says that there are too many, and creates nothing', async (page) => {
    await putItem('traffic', { ...key(), room: 0, lastClaim: 'any', recountAfter: Date.now() + 3_600_000 });
    const before = await stateOf(world);
    const { status, text } = await send(page);
    // Affiliates do not learn the program's plan.
    expect(text).toContain(page.auth === 'affiliate' ? 'The program has no room for more' : full);
    // The form for many codes says it line by line.
    expect(status).toBe(page.id === 'addCodesInBulk' ? 200 : 400);
    expect(await stateOf(world)).toEqual(before);
  });

  it.each(creating)('$id creates within them, and counts what is there', async (page) => {
    await deleteItem('traffic', key());
    const { status, text } = await send(page);
    expect([200, 303]).toContain(status);
    expect(text).not.toContain(full);
    expect(await getItem('traffic', key())).toMatchObject({ room: expect.any(Number), recountAfter: 0 });
  });
});

it('the application form of a program closes while there is no room for an affiliate, and opens again', async () => {
  const key = { pk: `RECORD_ROOM#${world.programId}`, sk: 'RECORD_ROOM' };
  const page = shownPages.find(({ id }) => id === 'showApplicationForm');
  if (!page) throw new Error('There is no such page');
  const shown = async () => (await world.browser.visit(requestOf(page, world).address)).text;
  await putItem('traffic', { ...key, room: 0, lastClaim: 'any', recountAfter: Date.now() + 3_600_000 });
  expect(await shown()).toContain('no more applications for now');
  await putItem('traffic', { ...key, room: 0, lastClaim: 'any', recountAfter: 0 });
  expect(await shown()).toContain('Send application');
});

it('pages of webhooks, keys and connected apps say what the FREE plan lacks, and offer nothing that is refused', async () => {
  const about = ['showPrograms', 'showWebhooks', 'showWebhook', 'showDelivery', 'showApiKeys', 'showConnectedApps'];
  for (const page of shownPages.filter(({ id }) => [...about, 'chooseProgram'].includes(id))) {
    const { status, text } = await world.browser.visit(requestOf(page, world).address);
    expect([page.id, status]).toEqual([page.id, 200]);
    expect(text).toContain('FREE plan');
    const offered = [...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action ?? '');
    expect(offered.filter((action) => /new$|change$|switch-on$|test$|resend$|rotate-secret$/.test(action))).toEqual([]);
    expect(text).not.toContain('webhooks/new"');
  }
});

it('the keys and the connector token of an account on the FREE plan are refused with 403', async () => {
  const connection = await findConnection(world.programId);
  expect(connection).toBeDefined();
  const key = await world.browser.visit(`/programs/${world.programId}/settings/advanced/api-keys/${world.ids.keyId}`);
  const apiKey = /id="apiKey"[^>]*>([^<]+)</.exec(key.text)?.[1] ?? '';
  const headers = { authorization: `Bearer ${apiKey}` };
  for (const [method, path] of [
    ['GET', '/program'],
    ['POST', '/webhooks'],
    ['POST', '/webhooks/test'],
  ] as const) {
    const { status, body } = await request(method, path, { headers });
    expect([status, body]).toEqual([403, { error: 'User does not have API access' }]);
  }
});
