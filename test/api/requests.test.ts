import { beforeAll, describe, expect, it } from 'vitest';
import { inTurn } from '../support/in-turn.ts';
import { type ResponseBody, request } from '../support/program.ts';
import { rawRequest } from '../support/raw-request.ts';
import {
  addressOf,
  everythingOf,
  freshRequest,
  isChange,
  keyOperations,
  makeWorld,
  send,
  type World,
} from './every-operation.ts';

/** Takes everything that has to be refused: what it has at the end must be what it had at the start. */
let target: World;
/** Takes what its schema lets through, and so may be changed. */
let visitor: World;
let before: string[];

beforeAll(async () => {
  const visiting = makeWorld({ isCompared: false, isListed: false });
  [target, visitor] = [await makeWorld({ isListed: false }), await visiting];
  before = await everythingOf(target.api);
});

const withBody = keyOperations.filter(({ body }) => body);
const nothingWasWritten = async () => expect(await everythingOf(target.api)).toEqual(before);

/** A response says no more than so many things that are wrong. */
const maxDetails = 20;
const damaged: readonly unknown[] = ['a\0b', '\ud800', 'a\udc00', '\ufffd'];
const hostileValues: readonly unknown[] = [
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  5e-324,
  '',
  ' ',
  'text',
  'NaN',
  '1e999',
  '12',
  'true',
  '../..',
  'x'.repeat(5_000),
  'a\nb',
  'PROGRAM#1#COUPON',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+23:59',
  '2026-01-31T12:00:00+01:00',
  [],
  [[]],
  ['x'],
  {},
  { a: { $ne: null } },
  { toString: 'x' },
  null,
  true,
  ...damaged,
];

/** Text like any other to a field that takes text: one of these is enough there. */
const plainText: ReadonlySet<unknown> = new Set(['NaN', '1e999', '12', 'true', '2026-02-30T00:00:00Z']);

const expectError = ({ status, body }: ResponseBody, method: string, expected: number) => {
  expect(status).toBe(expected);
  if (isChange(method)) expect(body).toMatchObject({ error: expected, message: expect.stringMatching(/\w/) });
  else expect(body).toMatchObject({ error: expect.stringMatching(/\w/) });
};

const postRaw = (
  operation: (typeof keyOperations)[number],
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) =>
  rawRequest(operation.method, operation.path, {
    headers: { authorization: `Bearer ${target.api.apiKey}`, ...headers },
    body,
  });

/** Of the ways in which a body can be wrong as a whole, each operation is tried with some, and the next one with others. */
const malformedBodiesEvery = 5;
const wrongTypesEvery = 3;

/**
 * Of the values that a field may hold, each field is tried with every fifth, and the next field with the next ones: they
 * go through the same few schemas everywhere, and each schema gets all of them.
 */
const acceptedValuesEvery = 5;
const isTried = (fieldAt: number, valueAt: number): boolean => (fieldAt + valueAt) % acceptedValuesEvery === 0;

describe.each(withBody)('the body of $method $path', (operation) => {
  const shape = Object.entries(operation.body?.shape ?? {});
  const fits = (schema: (typeof shape)[number][1], value: unknown) =>
    schema.safeParse(value).success && !damaged.includes(value);
  // Some of them at each operation, and all of them at some of each method: they are read by the same code everywhere.
  const isOneOf = (at: number, every: number) => at % every === withBody.indexOf(operation) % every;
  const withFields = (fields: Record<string, unknown>) => ({ ...freshRequest(operation, target).body, ...fields });

  it('is refused with a sentence that names every field which cannot hold its value', async () => {
    // A quarter of them here, and the next quarter at the next operation.
    const some = hostileValues.filter((_, at) => isOneOf(at, 4));
    await inTurn(some, async (value) => {
      const refused = shape.filter(([, schema]) => !fits(schema, value)).map(([field]) => field);
      if (refused.length === 0) return;
      const fields = Object.fromEntries(refused.map((field) => [field, value]));
      const response = await send(target.api.apiKey, operation, { body: withFields(fields) });
      const about = `${refused}: ${JSON.stringify(value)} returned ${response.text}`;
      expect(response.status, about).toBe(400);
      expectError(response, operation.method, 400);
      const named = response.body.details.map(({ path }: { path: string }) => path.split('.')[0]);
      // Text that is no text is refused before anything else is looked at, by the first field that has it.
      expect(refused, about).toEqual(expect.arrayContaining(named));
      const isWhole = !damaged.includes(value) && named.length < maxDetails;
      if (isWhole) expect(new Set(named), about).toEqual(new Set(refused));
      const sentence = isChange(operation.method) ? response.body.message : response.body.error;
      expect(sentence, about).toBe(response.body.details[0].message);
    });
  });

  it('never makes a failure of ours, whatever a field holds that may hold it', async () => {
    const cases = shape.flatMap(([field, schema], fieldAt) =>
      hostileValues
        .filter((value) => fits(schema, value) && !plainText.has(value))
        .filter((_, valueAt) => isTried(fieldAt, valueAt))
        .map((value) => ({ field, value })),
    );
    await inTurn(cases, async ({ field, value }) => {
      const body = { ...freshRequest(operation, visitor).body, [field]: value };
      const response = await send(visitor.api.apiKey, operation, { body });
      expect(response.status, `${field}: ${JSON.stringify(value)} returned ${response.text}`).toBeLessThan(500);
    });
  });

  it('names an unknown field, at the top and inside', async () => {
    const { body } = freshRequest(operation, target);
    const response = await send(target.api.apiKey, operation, { body: { ...body, couponID: 'x' } });
    expectError(response, operation.method, 400);
    expect(response.body.details).toEqual([{ path: 'couponID', message: 'couponID is not a known field' }]);
  });

  const deepInside = (opening: string, closing: string) => opening.repeat(10_000) + closing.repeat(10_000);
  const extra = (json: string) => JSON.stringify(freshRequest(operation, target).body).replace(/}$/, `,${json}}`);
  const bad: Record<string, () => string | Buffer> = {
    'nothing at all': () => '',
    'white space': () => '  \n',
    'half of it': () => '{"name":',
    'a comma too many': () => '{"name":"a",}',
    'single quotes': () => "{'name':'a'}",
    NaN: () => '{"name":NaN}',
    null: () => 'null',
    'an array': () => '[]',
    'an array of itself': () => `[${extra('"x":1')}]`,
    text: () => '"text"',
    'a number': () => '12',
    true: () => 'true',
    'a byte order mark': () => `\ufeff${JSON.stringify(freshRequest(operation, target).body)}`,
    'arrays 10,000 levels deep': () => deepInside('[', ']'),
    'objects 10,000 levels deep': () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    'metadata 10,000 levels deep': () => extra(`"metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
    'a list 10,000 levels deep': () => extra(`"productIds":${deepInside('[', ']')}`),
    __proto__: () => extra('"__proto__":{"active":false}'),
    'constructor.prototype': () => extra('"constructor":{"prototype":{"active":false}}'),
    '__proto__ in metadata': () => extra('"metadata":{"__proto__":{"a":"b"}}'),
    '__proto__ as text in metadata': () => extra('"metadata":{"__proto__":"b"}'),
    'constructor.prototype in metadata': () => extra('"metadata":{"constructor":{"prototype":{"a":"b"}}}'),
    '__proto__ in codeStructure': () => extra('"codeStructure":{"__proto__":{"firstName":true}}'),
    'a number beyond every double': () => extra('"maxRedemptions":1e400'),
    'a NUL in the text of the JSON': () => extra('"name":"a\0b"'),
    'bytes that are not UTF-8': () => Buffer.from(extra('"name":"a?b"').replace('?', '\xff'), 'latin1'),
    'an overlong encoding': () => Buffer.concat([Buffer.from('{"name":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
    'a surrogate in bytes': () =>
      Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
    'UTF-16': () => Buffer.from(extra('"a":1'), 'utf16le'),
  };

  it('is refused when it is malformed in any way', async () => {
    const some = Object.entries(bad).filter((_, at) => isOneOf(at, malformedBodiesEvery));
    expect(some).not.toEqual([]);
    await inTurn(some, async ([name, body]) => {
      const response = await postRaw(operation, body());
      expect(response.status, `${name} returned ${response.text}`).toBe(400);
      expectError(response, operation.method, 400);
    });
  });

  it('is refused above 256 KB', async () => {
    const ofBytes = (bytes: number) => {
      const body = extra('"metadata":{"a":"?"}');
      return body.replace('?', 'x'.repeat(bytes - body.length + 1));
    };
    const isText = isOneOf(0, 2);
    const bytes = isOneOf(0, 3) ? 1024 * 1024 : 256 * 1024 + 1;
    const large = isText ? ofBytes(bytes) : Buffer.from('{"a":"\xff"}'.padEnd(bytes), 'latin1');
    expectError(await postRaw(operation, large), operation.method, 413);
    expectError(await postRaw(operation, ofBytes(256 * 1024)), operation.method, 400);
  });

  it('is refused when it does not say that it is JSON', async () => {
    const { body } = freshRequest(operation, target);
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
      'x',
    ];
    for (const type of types.filter((_, at) => isOneOf(at, wrongTypesEvery)))
      expectError(await postRaw(operation, JSON.stringify(body), { 'content-type': type }), operation.method, 415);
    expectError(await postRaw(operation, JSON.stringify(body), {}), operation.method, 415);
    const form = Buffer.from('name=Spring&percentOff=20');
    const formType = { 'content-type': 'application/x-www-form-urlencoded' };
    expectError(await postRaw(operation, form, formType), operation.method, 415);
  });

  it('is accepted with a charset, and with the type case-insensitively', async () => {
    const type = isOneOf(0, 2) ? 'application/json; charset=utf-8' : 'Application/JSON';
    const { body } = freshRequest(operation, visitor);
    const response = await rawRequest(operation.method, operation.path, {
      headers: { authorization: `Bearer ${visitor.api.apiKey}`, 'content-type': type },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(isChange(operation.method) ? 404 : 200);
  });
});

describe.each(keyOperations)('the query of $method $path', (operation) => {
  const sendQuery = (rawQuery: string) => {
    const { body, parameters } = freshRequest(operation, target);
    return request(operation.method, `${addressOf(operation, parameters ? { parameters } : {})}?${rawQuery}`, {
      headers: { authorization: `Bearer ${target.api.apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  };

  it('is refused for unknown parameters, which it names', async () => {
    const { query = {} } = freshRequest(operation, target);
    const known = new URLSearchParams(query as Record<string, string>).toString();
    const names = ['statsu', '__proto__', 'constructor', 'hasOwnProperty', 'toString', '__proto__[limit]', 'limit[]'];
    const response = await sendQuery([...names.map((name) => `${name}=1`), known].join('&'));
    expectError(response, operation.method, 400);
    const expected = names.map((path) => ({ path, message: `${path} is not a known query parameter` }));
    expect(response.body.details).toEqual(expect.arrayContaining(expected));
    expect(response.body.details).toHaveLength(names.length);
  });

  const needed = (...given: string[]): string[] => {
    const query = Object.entries(freshRequest(operation, target).query ?? {});
    return query.filter(([name]) => !given.includes(name)).map((one) => one.join('='));
  };

  it('never fails, whatever any parameter holds', async () => {
    const values = hostileValues
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .map((value) => encodeURIComponent(String(value).toWellFormed()));
    const encodings = ['%', '%00', '%ff', '%ED%A0%80', '+', 'a%0d%0aX-Bad:1'];
    const parameters = Object.entries(operation.query.shape);
    const decoded = (encoded: string) => new URLSearchParams(`value=${encoded}`).get('value');
    const some = [...[...values, ...encodings].entries()].filter(
      ([at]) => at % 2 === keyOperations.indexOf(operation) % 2,
    );
    await inTurn(some, async ([valueAt, value]) => {
      const [accepted, refused] = [true, false].map((isAccepted) =>
        parameters
          .filter(([, schema]) => schema.safeParse(decoded(value)).success === isAccepted)
          .map(([name]) => name),
      ) as [string[], string[]];
      for (const name of accepted.filter((_, at) => isTried(at, valueAt))) {
        const response = await sendQuery([`${name}=${value}`, ...needed(name)].join('&'));
        expect([200, 400, 404], `${name}=${value} returned ${response.text}`).toContain(response.status);
        if (response.status === 400) expect(response.body.details[0].path).toBe(name);
        expect(response.headers.has('x-bad')).toBe(false);
      }
      if (refused.length === 0) return;
      // All of them at once, unless that is more than a request line holds.
      const sent = value.length > 1_000 ? refused.slice(0, 1) : refused;
      const response = await sendQuery([...sent.map((name) => `${name}=${value}`), ...needed(...sent)].join('&'));
      expect(response.status, `${refused}=${value} returned ${response.text}`).toBe(400);
      const named = response.body.details.map(({ path }: { path: string }) => path);
      expect(refused, response.text).toEqual(expect.arrayContaining(named));
      expect(response.headers.has('x-bad')).toBe(false);
    });
  });

  it('is refused when a parameter is given twice, even with one value', async () => {
    const names = Object.keys(operation.query.shape).filter((_, at) => at % 3 === keyOperations.indexOf(operation) % 3);
    for (const name of [...names, 'unknown']) {
      const response = await sendQuery(`${name}=1&${name}=1`);
      expectError(response, operation.method, 400);
      expect(response.body.details).toEqual([{ path: name, message: `${name} is given twice` }]);
    }
  });
});

it('no body and no query that was refused has changed anything', nothingWasWritten);
