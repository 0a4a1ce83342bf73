import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { groupsOf } from '../../shared/domain/groups/repository.ts';
import { allGroups, defaultGroupId, type Group } from '../../shared/domain/groups/rules.ts';
import { storeAffiliate } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';

const { sentTo } = testQueues();

const begin = async () => {
  const program = await storeProgram();
  const path = `/programs/${program.id}/groups`;
  const groups = async () => allGroups(await groupsOf(program.id), program);
  const newest = async (): Promise<Group> => {
    const [group] = await groups();
    if (!group) throw new Error('There is always a group');
    return group;
  };
  return { program, path, groups, newest, pages: await openPages(program.ownerEmail) };
};

const percentage = { name: 'Partners', commissionType: 'PERCENTAGE', commissionRate: '25', commissionAmount: '' };

it('a group is made from a form, whose empty rows are no rules, and edited by another', async () => {
  const { path, newest, pages } = await begin();
  const rules = {
    'productRules.0.productIds': '',
    'productRules.1.productIds': 'starter\n pro \n',
    'productRules.1.amount': '1,250.50',
    'tiers.0.period': 'ALL_TIME',
    'tiers.3.minimumSales': '10',
    'tiers.3.period': 'MONTH',
    'tiers.3.rate': '30',
  };
  expect((await pages.submit(`${path}/new`, { ...percentage, holdDays: '14', ...rules })).status).toBe(303);
  const made = await newest();
  expect(made).toMatchObject({
    name: 'Partners',
    commissionType: 'PERCENTAGE',
    commissionRate: 25,
    commissionMonths: null,
    holdDays: 14,
    productRules: [{ productIds: ['starter', 'pro'], type: 'FLAT', rate: null, amountMinor: 125_050 }],
    tiers: [{ minimumSales: 10, minimumRevenueMinor: null, period: 'MONTH', type: 'PERCENTAGE', rate: 30 }],
  });
  const { text } = await pages.visit(`${path}/${made.id}/edit`);
  expect(text).toContain('value="1250.50"');
  expect(text).toContain('name="productRules.2.rate"');
  expect(text).not.toContain('name="productRules.3.rate"');

  // The rate is hidden, and ignored.
  const flat = { name: 'Partners', commissionType: 'FLAT', commissionRate: '25', commissionAmount: '5', holdDays: '' };
  const emptied = { 'productRules.0.productIds': '', 'productRules.0.rate': '', 'productRules.0.amount': '' };
  expect((await pages.submit(`${path}/${made.id}/edit`, { ...flat, ...emptied })).status).toBe(303);
  expect(await newest()).toMatchObject({
    commissionType: 'FLAT',
    commissionRate: null,
    commissionAmountMinor: 500,
    holdDays: 0,
    productRules: [],
    tiers: [],
  });
});

it('what is refused in a row is said beside its field, with what was entered', async () => {
  const { path, pages, groups } = await begin();
  const rows = { 'productRules.0.rate': '', 'productRules.4.productIds': 'p', 'tiers.2.rate': '30' };
  const both = {
    'productRules.5.productIds': 'q',
    'productRules.5.rate': '5',
    'productRules.5.amount': '5',
    'tiers.3.minimumRevenue': '5',
    'tiers.3.minimumSales': '5',
    'tiers.3.rate': '5',
  };
  const refused = await pages.submit(`${path}/new`, { ...percentage, ...rows, ...both });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('Please correct the fields below.');
  for (const [field, message] of [
    ['productRules.4.rate', 'Enter a percentage or an amount'],
    ['productRules.5.amount', 'Enter a percentage or an amount, not both'],
    ['tiers.2.minimumRevenue', 'Enter a revenue or a number of sales'],
    ['tiers.3.minimumSales', 'Enter a revenue or a number of sales, not both'],
  ])
    expect(refused.text).toContain(`id="${field}-error">${message}<`);
  expect(refused.text).toMatch(/name="productRules\.4\.productIds"[^>]*>p</);

  // What only the API knows is named by the row of the form as well.
  const twice = { 'productRules.0.productIds': 'p', 'productRules.0.rate': '5' };
  const again = { 'productRules.3.productIds': 'p', 'productRules.3.rate': '6' };
  const { text } = await pages.submit(`${path}/new`, { ...percentage, ...twice, ...again });
  expect(text).toContain('id="productRules.3.productIds-error">Is in another entry: p<');

  const empty = await pages.submit(`${path}/new`, { ...percentage, commissionRate: '' });
  expect(empty.text).toContain('id="commissionRate-error">Is required<');
  expect(await groups()).toHaveLength(1);
});

it('the default group has no commission of its own on its form, and cannot be deleted', async () => {
  const { program, path, pages, newest } = await begin();
  const groupPath = `${path}/${defaultGroupId(program.id)}`;
  const { text } = await pages.visit(`${groupPath}/edit`);
  expect(text).not.toContain('name="commissionRate"');
  expect((await pages.submit(`${groupPath}/edit`, { name: 'Everyone', holdDays: '30' })).status).toBe(303);
  expect(await newest()).toMatchObject({ name: 'Everyone', holdDays: 30, isDefault: true });
  expect((await pages.visit(groupPath)).text).not.toContain(`${groupPath}/delete`);
  expect((await pages.submit(`${groupPath}/delete`, {})).status).toBe(409);
});

it('affiliates are put into a group, shown and filtered by it, moved, and move when it is deleted', async () => {
  const { program, path, pages, newest } = await begin();
  await pages.submit(`${path}/new`, percentage);
  const group = await newest();
  const { id, firstName, email } = await storeAffiliate(program);
  const { firstName: other } = await storeAffiliate(program, { firstName: 'Somebody' });
  const affiliatePath = `/programs/${program.id}/affiliates`;
  await pages.submit(`${affiliatePath}/${id}/edit`, { firstName, email, groupId: group.id });
  expect((await affiliates.get(program.id, id))?.groupId).toBe(group.id);
  expect((await pages.visit(`${affiliatePath}/${id}`)).text).toContain('Partners');
  const filtered = (await pages.visit(`${affiliatePath}?groupId=${group.id}`)).text;
  expect(filtered).toContain(email);
  expect(filtered).not.toContain(other);
  expect((await pages.visit(`${path}/${group.id}`)).text).toContain(email);

  const confirmation = (await pages.visit(`${path}/${group.id}/delete`)).text;
  expect(confirmation).toContain(`<option value="${defaultGroupId(program.id)}" selected`);
  const inUse = await pages.submit(`${path}/${group.id}/delete`, { moveTo: '' });
  expect([inUse.status, inUse.text.includes('The group has affiliates')]).toEqual([409, true]);
  const moveTo = defaultGroupId(program.id);
  expect((await pages.submit(`${path}/${group.id}/move`, { moveTo })).status).toBe(303);
  expect(sentTo('deletions')).toMatchObject([{ body: { programId: program.id, kind: 'MOVE', id: group.id, moveTo } }]);
  expect((await pages.submit(`${path}/${group.id}/delete`, { moveTo })).status).toBe(303);
  expect((await newest()).isDefault).toBe(true);
});

it('the file has every group', async () => {
  const { program, path, pages } = await begin();
  await pages.submit(`${path}/new`, { ...percentage, 'tiers.0.minimumRevenue': '100', 'tiers.0.rate': '30' });
  const { text } = await pages.visit(`${path}.csv`);
  const lines = gunzipSync(Buffer.from(text, 'base64')).toString().trim().split(/\r?\n/);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('"Partners","false","PERCENTAGE","25"');
  expect(lines[1]).toContain('"From $100.00 of revenue on: 30 %"');
  expect(lines[2]).toContain(defaultGroupId(program.id));
});
