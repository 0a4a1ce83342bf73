import { beforeAll, describe, expect, it } from 'vitest';
import { setPlan } from '../../shared/programs/programs.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { apiWith } from '../support/program.ts';

let browser: Browser;
let email: string;
beforeAll(async () => {
  email = freshEmail();
  browser = await signedIn(email);
  await setPlan(email, 'BUSINESS');
});

const newProgram = (fields: Record<string, string> = {}) =>
  browser.submit('/programs/new', { name: 'Shop', currency: 'EUR', commissionRate: '12.5', ...fields });

const keyIn = (html: string): string => /id="apiKey"[^>]* value="([^"]+)"/.exec(html)?.[1] ?? '';

describe('a new program', () => {
  it('belongs to the account, as it was entered', async () => {
    const { status, location } = await newProgram({ name: '  Shop of ours ', currency: 'jpy' });
    expect(status).toBe(303);
    const { text } = await browser.visit(location ?? '');
    expect(text).toContain('Shop of ours');
    expect(text).toContain('JPY');
    expect(text).toContain('12.5 %');
    expect((await browser.visit('/programs')).text).toContain('Shop of ours');
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
