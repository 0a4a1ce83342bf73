import { beforeAll, describe, expect, it } from 'vitest';
import { defaultGroupId } from '../../shared/domain/groups/rules.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

/** What a team does with groups, on the stack, where each function has its own permissions. */

let api: Api;
let browser: Browser;
let base: string;
beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}`;
});

const shown = async (path: string) => (await browser.visit(`${base}${path}`)).text;
const submit = (path: string, fields: Record<string, string>) => browser.submit(`${base}${path}`, fields);
/** The last part of the address that a form has led to: the id of what it has made. */
const ledTo = async (path: string, fields: Record<string, string>): Promise<string> => {
  const { status, location, text } = await submit(path, fields);
  if (status !== 303) throw new Error(`${path}: ${status} ${text.replaceAll(/<[^>]+>/g, ' ')}`);
  return location?.pathname.split('/').at(-1) ?? '';
};
const groupOf = async (affiliateId: string): Promise<string> =>
  (await api.get(`/affiliates/${affiliateId}`)).body.groupId;

const percentage = (name: string) => ({ name, commissionType: 'PERCENTAGE', commissionRate: '25', holdDays: '' });

describe('by forms', () => {
  it('affiliates are put into groups, found by them, and moved together, also from a group that is deleted', async () => {
    const byDefault = defaultGroupId(api.programId);
    const partners = await ledTo('/groups/new', percentage('Partners'));
    const friends = await ledTo('/groups/new', percentage('Friends'));
    const [ada, bola] = [freshEmail(), freshEmail()];
    const adaId = await ledTo('/affiliates/new', { firstName: 'Ada', email: ada, groupId: partners });
    const bolaId = await ledTo('/affiliates/new', { firstName: 'Bola', email: bola });
    for (const list of [`/groups/${byDefault}`, `/affiliates?groupId=${byDefault}`]) {
      const text = await shown(list);
      expect([text.includes(ada), text.includes(bola)], list).toEqual([false, true]);
    }
    await ledTo(`/affiliates/${bolaId}/edit`, { firstName: 'Bola', email: bola, groupId: friends });
    for (const list of [
      `/groups/${partners}`,
      ...['', '.csv'].map((form) => `/affiliates${form}?groupId=${partners}`),
    ]) {
      const text = await shown(list);
      expect([text.includes(ada), text.includes(bola)], list).toEqual([true, false]);
    }

    await ledTo(`/groups/${friends}/move`, { moveTo: partners });
    await expect.poll(() => groupOf(bolaId), { timeout: 30_000 }).toBe(partners);
    const refused = await submit(`/groups/${partners}/delete`, { moveTo: '' });
    expect([refused.status, refused.text.includes('The group has affiliates')]).toEqual([409, true]);
    await ledTo(`/groups/${partners}/delete`, { moveTo: friends });
    expect([await groupOf(adaId), await groupOf(bolaId)]).toEqual([friends, friends]);
  });

  it('the default group is changed for the first time and again, and another one', async () => {
    const other = await ledTo('/groups/new', percentage('Other'));
    const byDefault = defaultGroupId(api.programId);
    for (const name of ['Everyone', 'Everybody']) await ledTo(`/groups/${byDefault}/edit`, { name, holdDays: '' });
    await ledTo(`/groups/${other}/edit`, { ...percentage('Renamed'), commissionRate: '30' });
    const { body: groups } = await api.get('/groups');
    expect(groups).toContainEqual(expect.objectContaining({ id: byDefault, name: 'Everybody', isDefault: true }));
    expect(groups).toContainEqual(expect.objectContaining({ id: other, name: 'Renamed', commissionRate: 30 }));
  });
});

it('a tier and a hold of a group show in what a sale would earn, in its edit, and on the overview', async () => {
  const { body: group } = await api.post('/groups', {
    name: 'Sellers',
    commissionRate: 10,
    commissionMonths: 12,
    holdDays: 30,
    tiers: [{ minimumSales: 1, period: 'MONTH', rate: 40 }],
  });
  const seller = await makeAffiliate(api, { firstName: 'Zoë', lastName: 'Łukasz', groupId: group.id });
  const [{ link }] = seller.affiliateLinks;
  const email = freshEmail();
  const { body: sale } = await api.post('/sales', { totalEarned: 100, referralId: link, email, commissionRate: 5 });
  const preview = async () =>
    (await submit('/sales/preview', { affiliateEmail: 'lukasz', totalEarned: '50', email })).text;
  await expect.poll(preview, { timeout: 30_000 }).toContain('A tier that the affiliate reached');
  expect(await preview()).toContain('$20.00');
  await ledTo(`/sales/${sale.id}/edit`, { totalEarned: '100', email, commissionRate: '' });
  expect((await api.get(`/sales/${sale.id}`)).body).toMatchObject({ commissionEarned: 40, commissionRate: 40 });
  await expect.poll(() => shown(''), { timeout: 30_000 }).toContain('$40.00 on hold until');
  const overview = await shown('');
  expect(overview.slice(overview.indexOf('aria-label="Top links"'))).toContain(link);
});
