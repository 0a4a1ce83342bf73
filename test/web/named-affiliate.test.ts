import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WebPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { type Browser, signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

/** On the stack, where each function has its own permissions: words instead of an email, and filters by an index. */

let api: Api;
let browser: Browser;
let email: string;
/** A word of one affiliate's name alone. */
let word: string;
beforeAll(async () => {
  api = await makeProgram();
  browser = await signedIn(api.ownerEmail);
  word = `w${randomUUID().slice(0, 8)}`;
  ({ email } = await makeAffiliate(api, { lastName: word }));
  await api.post('/sales', { referralId: (await api.get(`/affiliates?email=${email}`)).body.id, totalEarned: 40 });
});

const addressOf = ({ path }: WebPage): string => path.replace('{programId}', api.programId);

const lists = pages.filter(
  ({ query, needs, method }: WebPage) =>
    method === 'GET' && query && 'affiliateEmail' in query.shape && needs.includes('AFFILIATE:list'),
);

describe.each(lists)('$id', (page) => {
  it('leads from a word of a name to the list of that affiliate', async () => {
    const { status, location } = await browser.visit(`${addressOf(page)}?affiliateEmail=${word}`);
    expect(status).toBe(303);
    expect(location?.searchParams.get('affiliateEmail')).toBe(email);
    expect((await browser.visit(location ?? '/')).status).toBe(200);
  });
});

it('lists and downloads the sales that are not paid out', async () => {
  for (const path of ['sales', 'sales.csv']) {
    const { status, text } = await browser.visit(`/programs/${api.programId}/${path}?payout=unpaid`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain(word);
  }
});

it('previews and makes a payout batch of an affiliate that is named by a word', async () => {
  const form = { name: 'Batch', affiliateEmail: word };
  const preview = await browser.submit(`/programs/${api.programId}/payout-batches/preview`, form);
  expect(preview.status).toBe(200);
  expect(preview.text).toContain(email);
  const made = await browser.submit(`/programs/${api.programId}/payout-batches/new`, {
    ...form,
    affiliateEmail: email,
  });
  expect(made.status).toBe(303);
});
