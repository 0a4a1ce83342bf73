import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { pages } from '../../shared/contract/pages/pages.ts';
import { scanItems, updateItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { requestOf } from './every-page.ts';
import { stateOf } from './state-of.ts';
import { makeWebWorld, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await makeWebWorld('Shop');
});

/** Where the table keeps what became of the forms of this world. */
const keptKeys = async () => {
  const keys: { pk: string; sk: string }[] = [];
  const ofWorld = {
    FilterExpression: 'begins_with(pk, :start)',
    ExpressionAttributeValues: { ':start': partition(world.programId, 'IDEMPOTENCY') },
  };
  for await (const { pk, sk } of scanItems('traffic', ofWorld)) keys.push({ pk: String(pk), sk: String(sk) });
  return keys;
};

const creating = pages.filter(({ creates }) => creates);

/** Without deliveries, which follow in the background from what earlier forms created. */
const sizesOf = async () =>
  Object.entries((await stateOf(world)) as Record<string, unknown>)
    .filter(([name]) => name !== 'deliveries')
    .map(([name, some]) => [name, Array.isArray(some) ? some.length : 0]);

it.each(creating)(
  '$id: a form that is sent twice creates one record, and both responses are the same',
  async (page) => {
    const { address, form } = requestOf(page, world);
    const sent = { ...form, formKey: randomUUID() };
    const responses = await Promise.all([1, 2].map(() => world.browser.submit(address, sent)));
    const after = await sizesOf();
    responses.push(await world.browser.submit(address, sent));
    const [first] = responses;
    expect(first?.status, first?.text).toBeLessThan(400);
    for (const { status, location, text } of responses)
      expect([status, location?.href, text]).toEqual([first?.status, first?.location?.href, first?.text]);
    expect(await sizesOf()).toEqual(after);
  },
);

it('a form of a page that is shown has a key of its own each time', async () => {
  const page = creating.find(({ id }) => id === 'addSale');
  if (!page) throw new Error('addSale creates something');
  const { address } = requestOf(page, world);
  const keys = await Promise.all(
    [1, 2].map(async () => /name="formKey" value="([^"]+)"/.exec((await world.browser.visit(address)).text)?.[1]),
  );
  expect(new Set(keys).size).toBe(2);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

it('a form with other fields is another form, and one that was refused can be sent again', async () => {
  const page = creating.find(({ id }) => id === 'addSale');
  if (!page) throw new Error('addSale creates something');
  const { address, form } = requestOf(page, world);
  const formKey = randomUUID();
  const submit = (more: Record<string, string>) => world.browser.submit(address, { ...form, ...more, formKey });
  const paths = [await submit({ totalEarned: '1' }), await submit({ totalEarned: '2' })].map(
    ({ location }) => location?.pathname,
  );
  expect(new Set(paths).size).toBe(2);
  const statuses = [await submit({ totalEarned: 'x' }), await submit({ totalEarned: 'x' })].map(({ status }) => status);
  expect(statuses).toEqual([400, 400]);
});

it('a form whose first request was cut off is not done again: it may have been done', async () => {
  const page = creating.find(({ id }) => id === 'addCoupon');
  if (!page) throw new Error('addCoupon creates something');
  const { address, form } = requestOf(page, world);
  const sent = { ...form, formKey: randomUUID() };
  expect((await world.browser.submit(address, sent)).status).toBe(303);
  const before = await sizesOf();
  // As if the function had ended before it kept its response.
  const cut = {
    UpdateExpression: 'SET #state = :running, lockedUntil = :past',
    ExpressionAttributeNames: { '#state': 'state' },
  };
  for (const key of await keptKeys())
    await updateItem('traffic', key, { ...cut, ExpressionAttributeValues: { ':running': 'RUNNING', ':past': 0 } });
  for (let time = 0; time < 2; time++) {
    const { status, text } = await world.browser.submit(address, sent);
    expect([status, text.includes('This form was sent before')]).toEqual([409, true]);
  }
  expect(await sizesOf()).toEqual(before);
});
