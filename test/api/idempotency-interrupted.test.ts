import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCoupon as contract } from '../../shared/contract/coupons.ts';
import { createCoupon } from '../../shared/domain/coupons/create-coupon.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { createPromotionalCodesInBulk } from '../../shared/domain/promotional-codes/create-many.ts';
import { once } from '../../shared/http/idempotency.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { forgetResponses } from '../support/forget-responses.ts';
import { type Api, makeCoupon, makeProgram, type ResponseBody } from '../support/program.ts';
import { freshRequest, keyOperations, makeWorld, type World } from './every-operation.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const keyIdOf = async (programId: string): Promise<string> => (await allApiKeys(programId))[0]?.id ?? '';

describe('a request that died after its record was written and before its response was kept', () => {
  const body = { name: 'Spring', percentOff: 20 };

  /** Runs a request as the API does, and dies where `dies` says; returns the id of what it made. */
  const runAndDie = async (
    programId: string,
    { idempotencyKey, startedAt, dies }: { idempotencyKey: string; startedAt: Date; dies: 'at once' | 'with a 5xx' },
  ): Promise<string> => {
    let made = '';
    const keyId = await keyIdOf(programId);
    const asked = {
      programId,
      keyId,
      endpoint: 'POST /api/v1/coupons',
      idempotencyKey,
      apiKey: 'not used',
      content: [body, {}],
      now: startedAt,
    };
    const run = once(asked, async (idempotency) => {
      made = (await createCoupon(programId, contract.body.parse(body), startedAt, idempotency)).id;
      // Nothing of what would follow is written any more.
      if (dies === 'at once') vi.spyOn(documents, 'send').mockRejectedValue(new Error('killed') as never);
      throw new Error('killed');
    });
    await expect(run).rejects.toThrow('killed');
    vi.restoreAllMocks();
    return made;
  };

  it('makes nothing twice when it is sent again, and returns the record', async () => {
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
    const running = await api.post('/coupons', body, { 'idempotency-key': 'k' });
    expect(running.status).toBe(409);
    expect(running.headers.get('retry-after')).toBe('1');
    expect((await api.get('/coupons')).body).toHaveLength(1);
  });

  it('goes on at once where it responded with a 5xx', async () => {
    const api = await makeProgram();
    const made = await runAndDie(api.programId, { idempotencyKey: 'k', startedAt: new Date(), dies: 'with a 5xx' });
    expect((await api.post('/coupons', body, { 'idempotency-key': 'k' })).body.id).toBe(made);
    expect((await api.get('/coupons')).body).toHaveLength(1);
  });

  it('is refused where the run that was presumed dead still writes', async () => {
    const api = await makeProgram();
    const keyId = await keyIdOf(api.programId);
    const asked = {
      programId: api.programId,
      keyId,
      apiKey: api.apiKey,
      endpoint: 'POST /api/v1/coupons',
      idempotencyKey: 'k',
      content: [body, {}],
    };
    const late = once({ ...asked, now: new Date(Date.now() - 61_000) }, async (idempotency) => {
      expect((await api.post('/coupons', body, { 'idempotency-key': 'k' })).status).toBe(200);
      await createCoupon(api.programId, contract.body.parse(body), new Date(), idempotency);
      return {};
    });
    await expect(late).rejects.toThrow('Another run');
    expect((await api.get('/coupons')).body).toHaveLength(1);
  });
});

describe('a bulk of codes of which one failed for a reason of ours', () => {
  const path = '/promotional-codes/bulk';
  type Result = { promotionalCode?: { id: string; code: string } };
  const textOf = ({ promotionalCode }: Result) => promotionalCode?.code;
  const idOf = ({ promotionalCode }: Result) => promotionalCode?.id;

  /** Sends a bulk as the API takes it, but the table refuses the code FAILS; returns its results and the log. */
  const runWithFailure = async (api: Api, body: { promotionalCodes: { code: string }[] }, idempotencyKey: string) => {
    const asked = {
      programId: api.programId,
      keyId: await keyIdOf(api.programId),
      apiKey: api.apiKey,
      endpoint: `POST /api/v1${path}`,
      idempotencyKey,
      content: [body, {}],
      now: new Date(),
    };
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const send = documents.send.bind(documents);
    vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof send>[0]) => {
      const isRefused = command.constructor.name === 'TransactWriteCommand' && /"FAILS"/.test(JSON.stringify(command));
      return isRefused ? Promise.reject(new TypeError('the table is away')) : send(command);
    }) as typeof documents.send);
    const program = { id: api.programId, currency: 'USD' };
    const { body: responded } = await once(asked, async (idempotency) => {
      const results = await createPromotionalCodesInBulk(program, body.promotionalCodes, asked.now, idempotency);
      return { statusCode: 200, body: JSON.stringify({ results }) };
    });
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    vi.restoreAllMocks();
    return { results: JSON.parse(responded ?? '').results, lines };
  };

  it('makes what failed when it is sent again, and the others not twice', async () => {
    const api = await makeProgram();
    const couponId = (await makeCoupon(api)).id;
    const body = { promotionalCodes: ['ONE', 'FAILS', 'ONE', 'TWO'].map((code) => ({ couponId, code })) };
    const { results } = await runWithFailure(api, body, 'k');
    expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 500, 400, 200]);

    const again = await api.post(path, body, { 'idempotency-key': 'k' });
    expect(again.headers.has('idempotent-replayed')).toBe(false);
    expect(again.body.results.map(textOf)).toEqual(['ONE', 'FAILS', undefined, 'TWO']);
    for (const at of [0, 3]) expect(idOf(again.body.results[at])).toBe(idOf(results[at]));
    const replayed = await api.post(path, body, { 'idempotency-key': 'k' });
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([again.text, 'true']);
    expect((await api.get('/promotional-codes')).body).toHaveLength(3);
    const other = await api.post(path, { promotionalCodes: [{ couponId }] }, { 'idempotency-key': 'k' });
    expect(other.status).toBe(422);
  });

  it('does not make again what was deleted since', async () => {
    const api = await makeProgram();
    const couponId = (await makeCoupon(api)).id;
    const body = { promotionalCodes: ['ONE', 'FAILS'].map((code) => ({ couponId, code })) };
    const { results } = await runWithFailure(api, body, 'k');
    await api.delete('/promotional-codes', { promotionalCodeId: results[0].promotionalCode.id });
    const again = await api.post(path, body, { 'idempotency-key': 'k' });
    expect(again.body.results.map(({ status }: { status: number }) => status)).toEqual([404, 200]);
  });

  it('tells the log what the reason was, and where', async () => {
    const api = await makeProgram();
    const couponId = (await makeCoupon(api)).id;
    const body = { promotionalCodes: [{ couponId, code: 'FAILS' }] };
    const { results, lines } = await runWithFailure(api, body, 'k');
    expect(results[0].error).toBe('The promotional code could not be created. Please try again.');
    expect(lines).toEqual([
      {
        level: 'ERROR',
        message: 'code of a bulk not created',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        errorName: 'TypeError',
        errorMessage: 'the table is away',
        stack: expect.stringMatching(/^TypeError: the table is away\n +at .*idempotency-interrupted/),
      },
    ]);
  });
});

it('a response that is kept for its key can be read by nobody who has the table alone', async () => {
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

describe('a POST that died before its response was kept', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld({ isCompared: false, isListed: false });
  });

  const idsIn = ({ body }: ResponseBody): unknown[] =>
    [body, ...(body.results ?? []).map((result: { promotionalCode: unknown }) => result.promotionalCode)].map(
      (record) => record?.id,
    );

  const creations = keyOperations.filter(({ method }) => method === 'POST');
  it.each(creations)('makes nothing twice when it is sent again: $path', async (operation) => {
    const { body } = freshRequest(operation, world);
    const key = { 'idempotency-key': randomUUID() };
    const first = await world.api.post(operation.path, body, key);
    expect(first.status, first.text).toBe(200);
    await forgetResponses(world.api.programId);
    const again = await world.api.post(operation.path, body, key);
    expect([again.status, idsIn(again)], again.text).toEqual([200, idsIn(first)]);
    expect(again.headers.has('idempotent-replayed')).toBe(false);
    expect(Object.keys(again.body)).toEqual(expect.arrayContaining(Object.keys(first.body)));
  });
});
