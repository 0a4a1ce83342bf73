import { randomUUID } from 'node:crypto';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCoupon as contract } from '../../shared/contract/coupons.ts';
import { createCoupon } from '../../shared/coupons/create-coupon.ts';
import { once } from '../../shared/http/idempotency.ts';
import { allApiKeys } from '../../shared/programs/repository.ts';
import { deployedName, documents } from '../../shared/table/client.ts';
import { partition } from '../../shared/table/partition.ts';
import { inTurn } from '../support/in-turn.ts';
import { type Answer, makeProgram } from '../support/program.ts';
import { freshRequest, keyOperations, makeWorld, type World } from './every-operation.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const keyIdOf = async (programId: string): Promise<string> => (await allApiKeys(programId))[0]?.id ?? '';

describe('a request that died after its record was written and before its answer was kept', () => {
  const body = { name: 'Spring', percentOff: 20 };

  /** Runs a request as the API does, and dies where `dies` says; answers the id of what it made. */
  const runAndDie = async (
    programId: string,
    { idempotencyKey, startedAt, dies }: { idempotencyKey: string; startedAt: Date; dies: 'at once' | 'with a 5xx' },
  ): Promise<string> => {
    let made = '';
    const keyId = await keyIdOf(programId);
    const asked = {
      ...{ programId, keyId, path: '/api/v1/coupons', idempotencyKey },
      ...{ apiKey: 'not used', content: body, now: startedAt },
    };
    const run = once(asked, async (repetition) => {
      made = (await createCoupon(programId, contract.body.parse(body), startedAt, repetition)).id;
      // Nothing of what would follow is written any more.
      if (dies === 'at once') vi.spyOn(documents, 'send').mockRejectedValue(new Error('killed') as never);
      throw new Error('killed');
    });
    await expect(run).rejects.toThrow('killed');
    vi.restoreAllMocks();
    return made;
  };

  it('makes nothing twice when it is sent again, and answers the record', async () => {
    const api = await makeProgram();
    const startedAt = new Date(Date.now() - 61_000);
    const made = await runAndDie(api.programId, { idempotencyKey: 'k', startedAt, dies: 'at once' });
    const other = await api.post('/coupons', { ...body, name: 'Autumn' }, { 'idempotency-key': 'k' });
    expect(other.status).toBe(422);
    const again = await api.post('/coupons', body, { 'idempotency-key': 'k' });
    expect(again.body).toMatchObject({ id: made, name: 'Spring' });
    const replayed = await api.post('/coupons', body, { 'idempotency-key': 'k' });
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([again.text, 'true']);
    expect((await api.get('/coupons')).body).toEqual([again.body]);
  });

  it('is taken for running until a minute has passed', async () => {
    const api = await makeProgram();
    await runAndDie(api.programId, { idempotencyKey: 'k', startedAt: new Date(), dies: 'at once' });
    expect((await api.post('/coupons', body, { 'idempotency-key': 'k' })).status).toBe(409);
    expect((await api.get('/coupons')).body).toHaveLength(1);
  });

  it('goes on at once where it answered with a 5xx', async () => {
    const api = await makeProgram();
    const made = await runAndDie(api.programId, { idempotencyKey: 'k', startedAt: new Date(), dies: 'with a 5xx' });
    expect((await api.post('/coupons', body, { 'idempotency-key': 'k' })).body.id).toBe(made);
    expect((await api.get('/coupons')).body).toHaveLength(1);
  });

  it('is refused where the run that was taken for dead still writes', async () => {
    const api = await makeProgram();
    const keyId = await keyIdOf(api.programId);
    const asked = {
      ...{ programId: api.programId, keyId, apiKey: api.apiKey },
      ...{ path: '/api/v1/coupons', idempotencyKey: 'k', content: body },
    };
    const late = once({ ...asked, now: new Date(Date.now() - 61_000) }, async (repetition) => {
      expect((await api.post('/coupons', body, { 'idempotency-key': 'k' })).status).toBe(200);
      await createCoupon(api.programId, contract.body.parse(body), new Date(), repetition);
      return {};
    });
    await expect(late).rejects.toThrow('Another run');
    expect((await api.get('/coupons')).body).toHaveLength(1);
  });
});

it('an answer that is kept for its key can be read by nobody who has the table alone', async () => {
  const api = await makeProgram();
  const body = { url: 'https://example.com/hooks', eventTypes: ['*'], description: 'a word to find' };
  const first = await api.post('/webhooks', body, { 'idempotency-key': 'k' });
  expect(first.body.secret).toMatch(/^whsec_/);
  const pk = partition(api.programId, 'IDEMPOTENCY', await keyIdOf(api.programId));
  const { Items: items = [] } = await documents.send(
    new QueryCommand({
      TableName: deployedName('traffic'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    }),
  );
  const kept = items.find(({ body }) => body !== undefined);
  expect(kept).toBeDefined();
  expect(decodeProtectedHeader(kept?.body)).toEqual({ alg: 'dir', enc: 'A256GCM' });
  for (const word of ['whsec_', first.body.secret.slice(6), 'a word to find'])
    expect(JSON.stringify(items)).not.toContain(word);
  expect((await api.post('/webhooks', body, { 'idempotency-key': 'k' })).text).toBe(first.text);
});

describe('a POST that died before its answer was kept', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld({ isCompared: false, isListed: false });
  });

  /** Leaves every answer of the program as it was before it was kept. */
  const forgetAnswers = async (): Promise<void> => {
    const TableName = deployedName('traffic');
    const pk = partition(world.api.programId, 'IDEMPOTENCY', await keyIdOf(world.api.programId));
    const kept = await documents.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        FilterExpression: 'attribute_exists(claim)',
        ExpressionAttributeValues: { ':pk': pk },
      }),
    );
    expect(kept.Items).not.toEqual([]);
    await inTurn(kept.Items ?? [], ({ sk }) =>
      documents.send(
        new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: 'SET #state = :running, lockedUntil = :never REMOVE body, statusCode, headers',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':running': 'RUNNING', ':never': 0 },
        }),
      ),
    );
  };

  const idsIn = ({ body }: Answer): unknown[] =>
    [body, ...(body.results ?? []).map((result: { promotionalCode: unknown }) => result.promotionalCode)].map(
      (record) => record?.id,
    );

  const creations = keyOperations.filter(({ method }) => method === 'POST');
  it.each(creations)('makes nothing twice when it is sent again: $path', async (operation) => {
    const { body } = freshRequest(operation, world);
    const key = { 'idempotency-key': randomUUID() };
    const first = await world.api.post(operation.path, body, key);
    expect(first.status, first.text).toBe(200);
    await forgetAnswers();
    const again = await world.api.post(operation.path, body, key);
    expect([again.status, idsIn(again)], again.text).toEqual([200, idsIn(first)]);
    expect(again.headers.has('idempotent-replayed')).toBe(false);
    expect(Object.keys(again.body)).toEqual(expect.arrayContaining(Object.keys(first.body)));
  });
});
