import { expect, it } from 'vitest';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { namedAffiliate } from '../../shared/web/forms/affiliate-choice.tsx';
import { costOf } from '../support/capacity.ts';
import { newProgram, storeAffiliate, storeCoupon, storeLink, storeSale } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';

testQueues();

const begin = async () => {
  const program = await storeProgram();
  const store = (firstName: string, lastName: string, email: string) =>
    storeAffiliate(program, {
      firstName,
      lastName,
      email,
      searchWords: [firstName, lastName].map((one) => one.toLowerCase()),
    });
  const amara = await store('Amara', 'Okafor', 'amara@example.com');
  const amaru = await store('Amaru', 'Silva', 'silva@example.com');
  return { program, amara, amaru, path: `/programs/${program.id}`, pages: await openPages(program.ownerEmail) };
};

it('every form that names an affiliate takes words, asks where several match, and takes the choice', async () => {
  const { program, amara, amaru, path, pages } = await begin();
  const coupon = await storeCoupon(program);
  await storeSale(program, amaru.id);
  const forms = [
    { at: 'promotional-codes/new', fields: { couponId: coupon.id, code: 'SPRING' } },
    { at: 'sales/new', fields: { totalEarned: '10' } },
    { at: 'referrals/new', fields: { name: 'Jonas', email: 'jonas@example.net' } },
    { at: 'payout-batches/new', fields: { name: 'One' } },
  ];
  for (const { at, fields } of forms) {
    const send = (more: Record<string, string>) => pages.submit(`${path}/${at}`, { ...fields, ...more });
    expect((await send({ affiliateEmail: 'nobody' })).text, at).toContain('No affiliate matches.');
    expect((await send({ affiliateEmail: 'nobody@example.com' })).text, at).toContain('Affiliate not found');
    const asked = await send({ affiliateEmail: 'amar' });
    expect([at, asked.status]).toEqual([at, 400]);
    expect(asked.text).toContain('Several affiliates match.');
    expect(asked.text.match(/<input type="radio"[^>]*name="chosenAffiliate"/g), at).toHaveLength(2);
    expect((await send({ affiliateEmail: 'amar', chosenAffiliate: amaru.email })).status, at).toBe(303);
  }
  expect(await promotionalCodes.find(program.id, 'CODE', 'SPRING')).toMatchObject({ affiliateId: amaru.id });
  const [newest] = (await sales.page(program.id, { limit: 1 })).items;
  expect(newest).toMatchObject({ affiliateId: amaru.id });
  expect(await referrals.find(program.id, 'EMAIL', 'jonas@example.net')).toMatchObject({ affiliateId: amaru.id });
  const [batch] = (await payoutBatches.page(program.id, { limit: 1 })).items;
  expect(batch?.affiliateIds).toEqual([amaru.id]);

  // Words that only one has need no choice.
  await pages.submit(`${path}/sales/new`, { totalEarned: '10', affiliateEmail: 'OKAF' });
  expect((await sales.page(program.id, { limit: 1 })).items[0]).toMatchObject({ affiliateId: amara.id });
});

it('the preview of a payout keeps the affiliate that was named', async () => {
  const { program, amara, amaru, path, pages } = await begin();
  for (const { id } of [amara, amaru]) await storeSale(program, id);
  const { text } = await pages.submit(`${path}/payout-batches/preview`, { affiliateEmail: 'okafor' });
  expect(text).toContain('Amara Okafor');
  expect(text).not.toContain('Amaru Silva');
  expect(text).toMatch(/name="affiliateEmail" value="amara@example.com"/);
});

it.each(['sales', 'links', 'referrals', 'promotional-codes'])('the filter of %s takes words, too', async (list) => {
  const { path, pages } = await begin();
  const address = `${path}/${list}`;
  const found = await pages.visit(`${address}?affiliateEmail=okafor&sort=oldest`);
  expect(found.location).toBe(`${address}?affiliateEmail=amara%40example.com&sort=oldest`);
  const asked = await pages.visit(`${address}?affiliateEmail=amar&sort=oldest`);
  expect(asked.text).toContain('Which affiliate?');
  expect(asked.text).toContain(`${address}?affiliateEmail=silva%40example.com&amp;sort=oldest`);
  const none = (await pages.visit(`${address}?affiliateEmail=%3Cb%3E`)).text;
  expect(none).toContain('begins with “&lt;b>”');
  expect(none).toContain('<h1>No affiliate matches</h1>');
  expect(none).not.toContain('Which affiliate?');
});

it('the list of links with an affiliate has theirs alone, in any order and with a search', async () => {
  const { program, amara, amaru, path, pages } = await begin();
  await storeLink(program, { link: 'spring-one', affiliateId: amara.id });
  await storeLink(program, { link: 'spring-two', affiliateId: amaru.id });
  for (const more of ['', '&sort=link', '&search=spring']) {
    const { text } = await pages.visit(`${path}/links?affiliateEmail=amara%40example.com${more}`);
    expect([more, text.includes('spring-one'), text.includes('spring-two')]).toEqual([more, true, false]);
  }
});

it('the page of an affiliate leads to forms that name them already', async () => {
  const { program, amara, path, pages } = await begin();
  await storeCoupon(program);
  const { text } = await pages.visit(`${path}/affiliates/${amara.id}`);
  for (const form of ['promotional-codes/new', 'sales/new']) {
    const address = `${path}/${form}?affiliateEmail=amara%40example.com`;
    expect(text).toContain(address);
    expect((await pages.visit(address)).text).toMatch(
      /name="affiliateEmail"[^>]*value="amara@example.com"|value="amara@example.com"[^>]*name="affiliateEmail"/,
    );
  }
  // Nothing is owed.
  expect(text).not.toContain('payout-batches/new');
});

it('suggestions are the affiliates that match so far, and nothing else of them', async () => {
  const { path, pages } = await begin();
  const { text } = await pages.visit(`${path}/affiliates/suggestions?words=amara`);
  expect(JSON.parse(text)).toEqual([{ name: 'Amara Okafor', email: 'amara@example.com' }]);
});

it('finding an affiliate by a word reads little, however many match', async () => {
  const program = newProgram();
  for (let made = 0; made < 40; made++) await storeAffiliate(program, { firstName: 'Amara', searchWords: ['amara'] });
  const { readUnits } = await costOf(() =>
    namedAffiliate(program.id, { affiliateEmail: 'amara' }).catch(() => undefined),
  );
  expect(readUnits).toBeGreaterThan(1);
  expect(readUnits).toBeLessThanOrEqual(10);
});
