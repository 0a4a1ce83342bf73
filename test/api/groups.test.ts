import { expect, it, vi } from 'vitest';
import { setFirstSale } from '../../shared/domain/attribution/customers.ts';
import { freshEmail } from '../support/browser.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';

it('affiliates earn as their group says, and are moved when it is deleted, each with its event', async () => {
  const api = await makeProgram();
  const [byDefault] = (await api.get('/groups')).body;
  expect(byDefault).toMatchObject({ isDefault: true, name: 'Default', commissionRate: 20 });
  const { body: group } = await api.post('/groups', { name: 'Partners', commissionRate: 30 });
  const { body: flat } = await api.post('/groups', { name: 'Friends', commissionAmount: 5 });
  const affiliate = await makeAffiliate(api, { groupId: group.id });
  expect(affiliate).toMatchObject({ groupId: group.id, commissionRate: 30 });
  const changed = await api.put('/groups', { groupId: byDefault.id, holdDays: 30 });
  expect(changed.body).toMatchObject({ id: byDefault.id, holdDays: 30 });
  expect((await api.delete('/groups', { groupId: group.id })).status).toBe(409);

  expect((await api.delete(`/groups?groupId=${group.id}&moveTo=${flat.id}`)).body).toEqual({
    message: 'Group deleted',
    deletedGroup: { id: group.id, name: 'Partners' },
  });
  expect((await api.get(`/affiliates/${affiliate.id}`)).body).toMatchObject({ groupId: flat.id, commissionRate: 0 });
  const eventsOf = async (type: string) => (await api.get(`/events?type=${type}`)).body;
  await vi.waitFor(async () => expect(await eventsOf('affiliate.updated')).toHaveLength(1), 30_000);
  expect(await eventsOf('affiliate.updated')).toMatchObject([
    { data: { id: affiliate.id, groupId: flat.id }, previousAttributes: { groupId: group.id } },
  ]);
  expect(await eventsOf('group.updated')).toMatchObject([
    { data: { id: byDefault.id, holdDays: 30 }, previousAttributes: { holdDays: 0 } },
  ]);
  expect(await eventsOf('group.deleted')).toMatchObject([{ data: { id: group.id, commissionRate: 30 } }]);
  expect(await eventsOf('group.created')).toHaveLength(2);

  expect((await api.post('/groups/move', { groupId: flat.id, moveTo: byDefault.id })).body).toEqual({
    message: 'The affiliates are being moved',
    groupId: flat.id,
    moveTo: byDefault.id,
  });
  const members = async () => (await api.get(`/affiliates?groupId=${byDefault.id}`)).body;
  await vi.waitFor(async () => expect(await members()).toHaveLength(1), 30_000);
});

it('a tier counts the sales of the month, for a sale to come and for one whose own rate is taken away', async () => {
  const api = await makeProgram();
  const tiers = [{ minimumSales: 1, period: 'MONTH', rate: 40 }];
  const { body: group } = await api.post('/groups', {
    name: 'Partners',
    commissionRate: 10,
    commissionMonths: 12,
    tiers,
  });
  const { id: affiliateId } = await makeAffiliate(api);
  const { body: moved } = await api.put('/affiliates', { affiliateId, groupId: group.id });
  expect(moved).toMatchObject({ groupId: group.id, commissionRate: 10 });
  const email = freshEmail();
  const sale = { referralId: affiliateId, totalEarned: 100, email, commissionRate: 5 };
  const { body: sold } = await api.post('/sales', sale);
  const preview = async () => (await api.post('/sales/preview', { affiliateId, totalEarned: 50, email })).body;
  const byTier = { source: 'TIER', rate: 40, groupId: group.id };
  await expect.poll(preview, { timeout: 30_000 }).toMatchObject({ commissionEarned: 20, commissionRule: byTier });
  const { body: changed } = await api.put('/sales', { saleId: sold.id, commissionRate: null });
  expect(changed).toMatchObject({ commissionEarned: 40, commissionRule: byTier });
  await setFirstSale(api.programId, email, '2020-01-01T12:00:00.000Z');
  expect(await preview()).toMatchObject({ commissionEarned: 0 });
});
