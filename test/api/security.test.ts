import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../shared/contract/operation.ts';
import { createApiKey, deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { samples } from '../operations/samples.ts';
import { apiWith, makeAffiliate, makeCoupon, makeProgram, type ResponseBody, request } from '../support/program.ts';
import { rawRequest } from '../support/raw-request.ts';
import {
  addressOf,
  allKeyOperations,
  everythingOf,
  freshRequest,
  isChange,
  mainIdOf,
  makeWorld,
  send,
  type World,
} from './every-operation.ts';

let mine: World;
let theirs: World;
/** Of the operations that write nothing when they are given what is not there. */
let reader: World;
/** All that the other program has, before anybody asked for it. */
let theirsBefore: string[];
let freeKey: string;
let orphanKey: string;

beforeAll(async () => {
  [mine, theirs, reader] = await Promise.all([
    makeWorld({ isCompared: false, isListed: false }),
    makeWorld(),
    makeWorld({ isCompared: false }),
  ]);
  theirsBefore = await everythingOf(theirs.api);
  freeKey = (await makeProgram({ plan: 'FREE' })).apiKey;
  const deleted = await makeProgram();
  orphanKey = deleted.apiKey;
  await deleteProgram(deleted.programId);
});

const unauthorized = { status: 401, body: { error: 'Unauthorized' } };
const invalidToken = { status: 401, body: { error: 'Invalid auth token' } };
const programNotFound = { status: 404, body: { error: 'Affiliate program not found' } };
const withoutAccess = { status: 403, body: { error: 'User does not have API access' } };
const outcome = ({ status, body }: ResponseBody) => ({ status, body });

/** All operations read the header with the same code: each is tried with every third form, the next one with others. */
const formsEvery = 3;
/** Each path with its first operation and the first that takes a body: for tests of its Lambda as a whole. */
const paths = [...Map.groupBy(allKeyOperations, ({ path }) => path)].flatMap(([path, [first, ...others]]) =>
  first ? [{ path, first, withBody: [first, ...others].find(({ body }) => body) ?? first }] : [],
);

const refusalOf =
  (operation: Operation) =>
  ({ status, body }: typeof unauthorized) => ({ status, body: { ...body, ...operation.errorFields } });

describe.each(allKeyOperations)('$id', (operation) => {
  const refusal = refusalOf(operation);
  const withHeaders = (headers: Record<string, string>) => {
    const { body, ...given } = freshRequest(operation, mine);
    return request(operation.method, addressOf(operation, given), {
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  };

  it('refuses a request without an Authorization header', async () =>
    expect(outcome(await withHeaders({}))).toEqual(refusal(unauthorized)));

  const expectEachRefused = async (forms: readonly string[], expected: typeof unauthorized) => {
    const at = allKeyOperations.indexOf(operation);
    const some = forms.filter((_, formAt) => formAt % formsEvery === at % formsEvery);
    const outcomes = some.map(async (form) => {
      const authorization = form.replaceAll('KEY', mine.api.apiKey);
      return { form, ...outcome(await withHeaders({ authorization })) };
    });
    expect(await Promise.all(outcomes)).toEqual(some.map((form) => ({ form, ...refusal(expected) })));
  };

  it('refuses a header that is not "Bearer", one space and a key', async () => {
    const forms = [
      'Basic KEY',
      'bearer KEY',
      'BEARER KEY',
      'Bearer',
      'BearerKEY',
      'Token KEY',
      'KEY',
      'Bearer:KEY',
      '',
    ];
    await expectEachRefused(forms, unauthorized);
  });

  it('refuses a key that never was, and everything that is nearly a key', async () => {
    const wrong = [
      'Bearer x',
      'Bearer  KEY',
      'Bearer KEY,KEY',
      'Bearer KEY x',
      'Bearer null',
      `Bearer ${randomUUID()}`,
    ];
    await expectEachRefused(wrong, invalidToken);
  });

  it('returns 404 when the program of the key is gone', async () =>
    expect(outcome(await send(orphanKey, operation, freshRequest(operation, mine)))).toEqual(refusal(programNotFound)));

  it('returns 403 on a plan without API access', async () =>
    expect(outcome(await send(freeKey, operation, freshRequest(operation, mine)))).toEqual(refusal(withoutAccess)));
});

describe.each(paths)('the Lambda of $path', ({ first, withBody }) => {
  const refusal = refusalOf(first);

  it('accepts a key by a case-insensitive header name', async () => {
    const { body, ...given } = freshRequest(first, mine);
    const response = await rawRequest(first.method, addressOf(first, given), {
      headers: { AUTHORIZATION: `Bearer ${mine.api.apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(isChange(first.method) ? 404 : 200);
  });

  it('takes no key from the query', async () => {
    const response = await request(first.method, `${addressOf(first)}?apiKey=${mine.api.apiKey}`);
    expect(outcome(response)).toEqual(refusal(unauthorized));
  });

  it('rejects a deleted key at once', async () => {
    const { keyId, apiKey } = await createApiKey(mine.api.programId, 'Short-lived', new Date());
    const before = await send(apiKey, first, freshRequest(first, mine));
    expect([200, 404]).toContain(before.status);
    expect(before.body.error).not.toBe('Affiliate program not found');
    await deleteApiKey(mine.api.programId, keyId, new Date());
    const after = await send(apiKey, first, freshRequest(first, mine));
    expect(outcome(after)).toEqual(refusal(invalidToken));
  });

  if (first.surface !== 'connector')
    it('looks at the key before the method', async () => {
      const ask = (key: string) =>
        request('PROPFIND', addressOf(first), { headers: { authorization: `Bearer ${key}` }, body: '{ not json' });
      expect(outcome(await ask('wrong'))).toEqual(refusal(invalidToken));
      expect(outcome(await ask(freeKey))).toEqual(refusal(withoutAccess));
      expect(outcome(await ask(orphanKey))).toEqual(refusal(programNotFound));
      expect((await ask(mine.api.apiKey)).status).toBe(405);
    });

  it('looks at the key before query and body', async () => {
    const { parameters = {} } = freshRequest(withBody, mine);
    const ask = (key: string) =>
      request(withBody.method, `${addressOf(withBody, { parameters })}?nonsense=1`, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(withBody.method !== 'GET' && { body: '{ not json' }),
      });
    const refused = refusalOf(withBody);
    expect(outcome(await ask('wrong'))).toEqual(refused(invalidToken));
    expect(outcome(await ask(freeKey))).toEqual(refused(withoutAccess));
    expect(outcome(await ask(orphanKey))).toEqual(refused(programNotFound));
    // The connector ignores parameters that it does not know.
    const accepted = withBody.surface === 'connector' && !withBody.body ? [200, 404] : [400];
    expect(accepted).toContain((await ask(mine.api.apiKey)).status);
  });

  if (withBody.body)
    it('refuses a body that is too large no sooner than its key', async () => {
      const large = { headers: { 'content-type': 'application/json' }, body: JSON.stringify('x'.repeat(300_000)) };
      expect(outcome(await request(withBody.method, addressOf(withBody), large))).toEqual(
        refusalOf(withBody)(unauthorized),
      );
    });
});

describe('access that changes', () => {
  it('ends with the plan, comes back with it, and ends with the program, each with the next request', async () => {
    const { get, ownerEmail, programId } = await makeProgram();
    expect((await get('/program')).status).toBe(200);
    await setPlan(ownerEmail, 'FREE');
    expect(outcome(await get('/program'))).toEqual(withoutAccess);
    await setPlan(ownerEmail, 'BUSINESS');
    expect((await get('/program')).status).toBe(200);
    await deleteProgram(programId);
    expect(outcome(await get('/program'))).toEqual(programNotFound);
  });

  it('leaves the other keys of a program alone when one is deleted', async () => {
    const program = await makeProgram();
    const { keyId } = await createApiKey(program.programId, 'Second', new Date());
    const { apiKey } = await createApiKey(program.programId, 'Third', new Date());
    await deleteApiKey(program.programId, keyId, new Date());
    expect((await program.get('/program')).body.id).toBe(program.programId);
    expect((await apiWith(apiKey).get('/program')).body.id).toBe(program.programId);
  });
});

/** Fields that name a record, or hold what a record can be found or guessed by. */
const identifying =
  /^(?!allow)(.*[a-z])?(Id|Ids|Email|Link|Code|Codes)$|^(id|email|emailAddress|code|link|name|search|actor|cursor|after)$/;

const identifyingFieldsOf = ({ parameters, query, body }: Operation): string[] => {
  const fields = [parameters, query, body].flatMap((schema) => Object.keys(schema?.shape ?? {}));
  return [...new Set(fields)].filter((name) => identifying.test(name));
};

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A value of the same form that exists in no program: a UUID for a UUID, an email for an email, a name for a name. */
const nowhere = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(nowhere);
  if (typeof value === 'number') return value - 1_000_000_000;
  if (value instanceof Object)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, nowhere(inner)]));
  const text = String(value);
  const other = text.replaceAll(uuids, () => randomUUID());
  return other === text ? text.replaceAll(/[a-z0-9]/gi, () => randomUUID().charAt(0)) : other;
};

const changing = new Set(['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset']);
const headersOf = ({ headers }: ResponseBody, isCreated = false) =>
  [...headers].filter(([name]) => !changing.has(name) && !(isCreated && name === 'etag')).sort();

/** What a creation returns, without what is new in every record and without the value that was sent. */
const withoutOwnValues = ({ text }: ResponseBody, value: unknown): string =>
  text
    .replaceAll(JSON.stringify(value).slice(1, -1), '<value>')
    .replaceAll(uuids, '<id>')
    .replaceAll(/"id":\d+/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/whsec_[\w+/=]+/g, '<secret>');

/** A creation by the connector is that of the main API, which is tried here: it would need another world. */
const hasForeignTests = (operation: Operation): boolean =>
  operation.method !== 'POST' || mainIdOf(operation) === operation.id;

it.each(allKeyOperations)('$id is tried with every field that names something', (operation) => {
  const fields = Object.keys(samples[mainIdOf(operation)].foreign);
  expect(fields.sort()).toEqual(identifyingFieldsOf(operation).sort());
});

describe.each(allKeyOperations.filter(hasForeignTests))('$id, given what belongs to another program', (operation) => {
  const fields = Object.entries(samples[mainIdOf(operation)].foreign);
  let visitor: World;

  beforeAll(async () => {
    visitor = reader;
    if (operation.method !== 'POST' || fields.length === 0) return;
    // What a creation is sent would be there when another operation looks for it: it gets a program of its own.
    const api = await makeProgram();
    visitor = { ...reader, api, affiliate: await makeAffiliate(api), coupon: await makeCoupon(api) };
  });

  const sendWith = (field: string, value: unknown) => {
    const { parameters, query, body } = freshRequest(operation, visitor);
    const inBody = { body: { ...body, [field]: value } };
    const inPath = { parameters: { [field]: String(value) } };
    const inQuery = { ...(parameters && { parameters }), query: { ...query, [field]: String(value) } };
    const isInPath = operation.parameters && field in operation.parameters.shape;
    const given = operation.body && field in operation.body.shape ? inBody : isInPath ? inPath : inQuery;
    return send(visitor.api.apiKey, operation, given);
  };

  it('gets the response of a record that does not exist, byte for byte', async () => {
    for (const [field, valuesOf] of fields) {
      for (const value of await valuesOf(theirs)) {
        const unknown = nowhere(value);
        expect(unknown, field).not.toEqual(value);
        const [foreign, absent] = [await sendWith(field, value), await sendWith(field, unknown)];
        expect(foreign.status, field).toBe(absent.status);
        const isCreated = operation.method !== 'GET' && foreign.status === 200;
        expect(isCreated ? withoutOwnValues(foreign, value) : foreign.text, field).toBe(
          isCreated ? withoutOwnValues(absent, unknown) : absent.text,
        );
        expect(headersOf(foreign, isCreated), field).toEqual(headersOf(absent, isCreated));
      }
    }
  });

  if (operation.method === 'GET')
    it('does find what is its own by the same fields', async () => {
      for (const [field, valuesOf] of fields) {
        // Nothing of the visitor's is in a batch; the tests of payout batches find their sales by it. Sums name nobody.
        if (field === 'payoutBatchId' || operation.id === 'readStatistics') continue;
        // A cursor is of its list: these are of the main API's lists.
        if (field === 'cursor' && (operation.surface === 'connector' || operation.parameters)) continue;
        for (const value of await valuesOf(visitor)) {
          const response = await sendWith(field, value);
          expect(response.status, field).toBe(200);
          expect(response.text, field).toMatch(uuids);
        }
      }
    });
});

it('no operation has changed anything of the other program', async () =>
  expect(await everythingOf(theirs.api)).toEqual(theirsBefore));
