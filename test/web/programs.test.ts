import { beforeAll, describe, expect, it } from 'vitest';
import { apiKeyText, createApiKey, readApiKey } from '../../shared/domain/programs/api-keys.ts';
import { createProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { allApiKeys, getProgram } from '../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../shared/domain/programs/update-program.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { apiWith, makeAffiliate } from '../support/program.ts';

let browser: Browser;
let email: string;
beforeAll(async () => {
  email = freshEmail();
  browser = await signedIn(email);
  await setPlan(email, 'BUSINESS');
});

const newProgram = (fields: Record<string, string> = {}) =>
  browser.submit('/programs/new', { name: 'Shop', currency: 'EUR', commissionRate: '12.5', ...fields });

const keyIn = (html: string): string => /id="apiKey"[^>]*>([^<]+)</.exec(html)?.[1] ?? '';

describe('a new program', () => {
  it('belongs to the account, as it was entered', async () => {
    const { status, location } = await newProgram({ name: '  Shop of ours ', currency: 'jpy' });
    expect(status).toBe(303);
    const { text } = await browser.visit(location ?? '');
    expect(text).toContain('Shop of ours');
    const listed = (await browser.visit('/programs')).text;
    for (const entered of ['Shop of ours', 'JPY', '12.5 %']) expect(listed).toContain(entered);
  });

  it.each([
    [{ name: ' ' }, 'Is required'],
    [{ currency: 'EURO' }, 'Must be an ISO 4217'],
    [{ commissionRate: '101' }, 'Must be at most 100'],
    [{ commissionRate: 'ten' }, 'Must be a number'],
  ])('%o is refused beside its field, and the rest is still there', async (fields, sentence) => {
    const { status, text } = await newProgram({ name: 'Kept "text" <b>', ...fields });
    expect(status).toBe(400);
    expect(text).toContain(sentence);
    expect(text).toContain('aria-invalid="true"');
    if (!('name' in fields)) expect(text).toContain('value="Kept &quot;text&quot; &lt;b>"');
  });

  it('with a field that no form has is refused', async () => {
    const { status, text } = await newProgram({ ownerEmail: 'somebody@example.com' });
    expect(status).toBe(400);
    expect(text).toContain('ownerEmail is not a known field');
  });
});

describe('program settings', () => {
  const entered = {
    name: 'Renamed',
    currency: 'KWD',
    commissionRate: '7.5',
    baseUrls: 'https://a.example/\r\nhttps://b.example/x',
  };

  it('change what the API returns and what new sales earn, with every key', async () => {
    const { programId, apiKey } = await createProgram({ name: 'Shop', ownerEmail: email }, new Date());
    const path = `/programs/${programId}/settings`;
    const { keyId } = await createApiKey(programId, 'Another', new Date());
    const another = await apiKeyText(programId, await readApiKey(programId, keyId));
    const saved = await browser.submit(path, entered);
    expect([saved.status, saved.location?.pathname]).toEqual([303, path]);
    const expected = {
      name: 'Renamed',
      currency: 'KWD',
      commissionRate: 7.5,
      baseUrls: ['https://a.example/', 'https://b.example/x'],
    };
    for (const key of [apiKey, another]) expect((await apiWith(key).get('/program')).body).toMatchObject(expected);
    const affiliate = await makeAffiliate(apiWith(another));
    expect(affiliate.commissionRate).toBe(7.5);
    const shown = (await browser.visit(path)).text;
    expect(shown).toContain('https://a.example/\nhttps://b.example/x');

    expect(shown).not.toContain('/ffe600"');
    await browser.submit(path, { ...entered, accentColor: '#FFE600' });
    const colored = (await browser.visit(path)).text;
    const [, style = ''] = /href="(\/style\/\w+\/ffe600)"/.exec(colored) ?? [];
    const { text: colors, headers } = await browser.visit(style);
    expect(colors).toContain('--button:light-dark(');
    expect(headers.get('cache-control')).toContain('immutable');
    for (const none of ['FFE600', 'ffe60', 'red']) expect((await browser.visit(`/style/x/${none}`)).status).toBe(404);
    const wrong = await browser.submit(path, { ...entered, name: 'Kept', accentColor: 'yellow' });
    expect(wrong.text).toMatch(/value="Kept".*id="accentColor-error">Must be a color such as/s);
    await browser.submit(path, { ...entered, accentColor: '#4f46e5' });
    expect((await browser.visit(path)).text).not.toContain('/ffe600"');

    const own = { totalEarned: 1, referralId: affiliate.id, email: affiliate.email };
    expect((await apiWith(apiKey).post('/sales', own)).body.details[0].code).toBe('self_referral');
    await browser.submit(path, { ...entered, allowSelfReferral: 'on' });
    expect((await browser.visit(path)).text).toMatch(/name="selfReferral"[^>]*><option value="OFF" selected/);
    expect((await apiWith(apiKey).post('/sales', own)).status).toBe(200);

    const sale = await apiWith(apiKey).post('/sales', { totalEarned: 1.234, referralId: affiliate.id });
    expect(sale.body).toMatchObject({ totalEarned: 1.234, commissionEarned: 0.093 });
    const refused = await browser.submit(path, { ...entered, currency: 'USD' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Cannot change any more: this program has sales');
    expect((await browser.submit(path, { ...entered, name: 'Again' })).status).toBe(303);
  });

  it('are the same for every key after changes that race with each other and with a new key', async () => {
    const { programId } = await createProgram({ name: 'Shop', ownerEmail: email }, new Date());
    const edit = { name: 'Shop', currency: 'USD', baseUrls: [], allowSelfReferral: false };
    const rates = [1, 2, 3, 4];
    await Promise.all([
      ...rates.map((commissionRate) => updateProgram(programId, { ...edit, commissionRate }, new Date())),
      ...rates.map(() => createApiKey(programId, 'Another', new Date())),
    ]);
    const { commissionRate } = await getProgram(programId);
    const keys = await allApiKeys(programId);
    const affiliates = await Promise.all(
      keys.map(async (key) => makeAffiliate(apiWith(await apiKeyText(programId, key)))),
    );
    expect(affiliates.map((affiliate) => affiliate.commissionRate)).toEqual(keys.map(() => commissionRate));
  });

  it.each([
    ['ftp://a.example/', 'Contains an invalid URL: ftp://a.example/'],
    ['https://a.example/ nonsense', 'Contains an invalid URL: nonsense'],
    ['https://user:word@a.example/', 'Contains an invalid URL'],
    [Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`).join('\n'), 'May have at most 20 addresses'],
  ])('refuse the base URLs %j beside the field', async (baseUrls, sentence) => {
    const path = `${(await newProgram()).location?.pathname}/settings`;
    const { status, text } = await browser.submit(path, { ...entered, baseUrls });
    expect(status).toBe(400);
    expect(text).toContain(sentence);
  });
});

it('a program is deleted once its name is typed, with its keys, and says before what goes and what stays', async () => {
  const path = (await newProgram({ name: 'Closing shop' })).location?.pathname ?? '';
  const made = await browser.submit(`${path}/settings/advanced/api-keys`, { name: 'Server' });
  const key = keyIn((await browser.visit(made.location ?? '')).text);
  expect((await browser.visit(`${path}/settings`)).text).toContain(`href="${path}/settings/delete"`);
  const { text } = await browser.visit(`${path}/settings/delete`);
  for (const said of ['Closing shop', 'API keys', 'What stays']) expect(text).toContain(said);
  for (const name of ['', 'closing shop', 'Shop']) {
    const refused = await browser.submit(`${path}/settings/delete`, { name });
    expect([refused.status, refused.text.includes('id="name-error"')]).toEqual([400, true]);
  }
  expect((await apiWith(key).get('/program')).status).toBe(200);
  const deleted = await browser.submit(`${path}/settings/delete`, { name: 'Closing shop' });
  expect([deleted.status, deleted.location?.pathname]).toEqual([303, '/programs']);
  const after = await apiWith(key).get('/program');
  expect([after.status, after.body]).toEqual([404, { error: 'Affiliate program not found' }]);
  expect((await browser.visit('/programs')).text).not.toContain('Closing shop');
  for (const again of [await browser.visit(path), await browser.submit(`${path}/settings/delete`, { name: 'Shop' })])
    expect(again.status).toBe(404);
});

describe('API keys', () => {
  const keysOf = async () => `${(await newProgram()).location?.pathname}/settings/advanced/api-keys`;

  it('are created, shown again whole, work, and end at once when deleted', async () => {
    const path = await keysOf();
    const made = await browser.submit(path, { name: 'Server one' });
    expect(made.status).toBe(303);
    const key = keyIn((await browser.visit(made.location ?? '')).text);
    expect((await apiWith(key).get('/program')).status).toBe(200);

    const list = (await browser.visit(path)).text;
    expect(list).toContain('Server one');
    // The first key is older, and nobody has used it.
    expect(list.split('<tbody>')[1]).toMatch(/Server one.*<time.*First key.*Last used">Never/);
    expect(list.split(`by ${email}`)).toHaveLength(3);
    expect(list).toContain(key.slice(-4));
    expect(list).not.toContain(key);
    expect(keyIn((await browser.visit(made.location ?? '')).text)).toBe(key);

    const asked = await browser.visit(`${made.location}/delete`);
    expect(asked.text).toContain('Delete Server one?');
    expect((await apiWith(key).get('/program')).status).toBe(200);
    const deleted = await browser.submit(`${made.location}/delete`);
    expect(deleted.location?.pathname).toBe(path);
    expect((await apiWith(key).get('/program')).status).toBe(401);
    expect((await browser.visit(made.location ?? '')).status).toBe(404);
    expect((await browser.submit(`${made.location}/delete`)).status).toBe(404);
  });

  it('without a name are refused beside the field', async () => {
    const { status, text } = await browser.submit(await keysOf(), { name: '' });
    expect(status).toBe(400);
    expect(text).toContain('Is required');
  });
});
