import { beforeAll, expect, it } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { platformWith } from '../connector/platform.ts';
import { signedIn } from '../support/browser.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

// Who did it follows from how a request was authenticated.

let api: Api;
beforeAll(async () => {
  api = await makeProgram();
});

interface Event {
  type: string;
  actor: { type: string; id: string } | null;
  data: { id: unknown };
}

/** The actor of an event, once it was made. */
const actorOf = async (type: string, id: unknown) => {
  const find = async (): Promise<Event | undefined> =>
    (await api.get(`/events?type=${type}`)).body.find(({ data }: Event) => data.id === id);
  await expect.poll(find, { timeout: 30_000 }).toBeDefined();
  return (await find())?.actor;
};

it('a key is named by its id, a person by the email, a connected app by its connection, a worker by its name', async () => {
  const byKey = { type: 'API_KEY', id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  const affiliate = await makeAffiliate(api);
  expect(await actorOf('affiliate.created', affiliate.id)).toEqual(byKey);
  const { body: sale } = await api.post('/sales', { totalEarned: 10, referralId: affiliate.id });
  expect(await actorOf('sale.created', sale.id)).toEqual(byKey);

  const browser = await signedIn(api.ownerEmail);
  const byPerson = { type: 'MEMBER', id: api.ownerEmail };
  const base = `/programs/${api.programId}`;
  const edited = await browser.submit(`${base}/affiliates/${affiliate.id}/edit`, {
    firstName: 'Edited',
    email: affiliate.email,
  });
  expect(edited.status, edited.text).toBe(303);
  expect(await actorOf('affiliate.updated', affiliate.id)).toEqual(byPerson);
  await browser.submit(`${base}/sales/${sale.id}/delete`);
  expect(await actorOf('sale.deleted', sale.id)).toEqual(byPerson);

  const platform = platformWith(await connectorToken(api.programId, 'platform.example', new Date()));
  const { body: made } = await platform.send('POST', '/affiliates', { email: 'app@example.com', firstName: 'App' });
  const connection = await findConnection(api.programId);
  expect(await actorOf('affiliate.created', made.id)).toEqual({ type: 'CONNECTED_APP', id: connection?.id });

  const { body: owed } = await api.post('/sales', { totalEarned: 20, referralId: made.id });
  const { body: batch } = await api.post('/payout-batches', { name: 'November' });
  expect(await actorOf('payout_batch.created', batch.id)).toEqual(byKey);
  const byWorker = { type: 'SYSTEM', id: 'prepare-payout-batch' };
  expect(await actorOf('payout_batch.ready', batch.id)).toEqual(byWorker);
  expect(await actorOf('sale.updated', owed.id)).toEqual(byWorker);
});

it('whoever deletes a record is named in the events of what goes with it too', async () => {
  const affiliate = await makeAffiliate(api);
  const { body: sale } = await api.post('/sales', { totalEarned: 10, referralId: affiliate.id });
  const browser = await signedIn(api.ownerEmail);
  await browser.submit(`/programs/${api.programId}/affiliates/${affiliate.id}/delete`);
  const byPerson = { type: 'MEMBER', id: api.ownerEmail };
  expect(await actorOf('affiliate.deleted', affiliate.id)).toEqual(byPerson);
  expect(await actorOf('sale.deleted', sale.id)).toEqual(byPerson);
});

it('no body and no form can say who did it', async () => {
  const actor = { type: 'MEMBER', id: 'somebody@example.com' };
  const refused = await api.post('/affiliates', { email: 'x@example.com', firstName: 'X', actor });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('actor')]);
  const named = await makeAffiliate(api, { metadata: { by: 'M:somebody@example.com' } });
  expect((await actorOf('affiliate.created', named.id))?.type).toBe('API_KEY');
});
