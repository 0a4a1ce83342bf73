import { beforeAll, describe, expect, it, vi } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { makeProgram, type ResponseBody, request } from '../support/program.ts';
import { type Cause, errorCauses } from './error-causes.ts';
import { type DocumentedOperation, examplesIn, type OpenApi, operationsOf, SchemaCheck } from './openapi-document.ts';
import { connector, main, preparations, type Surface } from './stories.ts';

/**
 * The examples of a document tell one story, and this plays it: every request is sent as documented, in an order in which each
 * finds what it names. An id in an example stands for the id that the record has here.
 */

const documents = new Map<Surface, OpenApi>();
const documentOf = (surface: Surface): OpenApi => {
  const document = documents.get(surface);
  if (!document) throw new Error(`The document of ${surface.name} was not read`);
  return document;
};

interface Played {
  key: string;
  ids: Ids;
}

/** Ids, as they are in examples, and the ids that they stand for in a program. */
type Ids = Map<unknown, unknown>;

const translated = (value: unknown, ids: Ids): unknown => {
  if (Array.isArray(value)) return value.map((item) => translated(item, ids));
  if (!(value instanceof Object)) return ids.get(value) ?? value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translated(inner, ids)]));
};

const isId = (key: string): boolean => key === 'id' || key.endsWith('Id') || key.endsWith('_token');

/** Learns from a response which record an id of its example stands for. */
const learn = (ids: Ids, example: unknown, actual: unknown): void => {
  if (!(example instanceof Object) || !(actual instanceof Object)) return;
  const values = new Map<string, unknown>(Object.entries(actual));
  for (const [key, value] of Object.entries(example))
    if (value instanceof Object) learn(ids, value, values.get(key));
    else if (isId(key) && value !== null) ids.set(value, values.get(key));
};

const requestOf = ({ path, parameters, bodies }: DocumentedOperation, ids: Ids) => {
  const given = parameters.filter(({ example }) => example !== undefined);
  const textOf = (example: unknown) => String(translated(example, ids));
  const filled = given
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(textOf(example))), path);
  const query = given.flatMap(({ in: place, name = '', example }) =>
    place === 'query' ? [[name, textOf(example)]] : [],
  );
  const body = bodies['application/json'];
  return {
    address: query.length > 0 ? `${filled}?${new URLSearchParams(query)}` : filled,
    body: body && translated(body.example, ids),
  };
};

const play = (document: OpenApi, operation: DocumentedOperation, key: string, ids: Ids): Promise<ResponseBody> => {
  const { address, body } = requestOf(operation, ids);
  return request(operation.method, `${document.servers[0]?.url}${address}`, {
    headers: {
      ...(!operation.needsNoKey && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
};

const isEmptyList = ({ status, body }: ResponseBody): boolean =>
  status === 200 && Array.isArray(body) && body.length === 0;

/** Sends an example, a list until what it shows has happened in the background. */
const playOnceThere: typeof play = (...example) =>
  vi.waitFor(
    async () => {
      const response = await play(...example);
      if (isEmptyList(response)) throw new Error(`${example[1].id} returns nothing`);
      return response;
    },
    { timeout: 45_000, interval: 200 },
  );

const byId = (of: Surface): Map<string, DocumentedOperation> =>
  new Map(operationsOf(documentOf(of)).map((operation) => [operation.id, operation]));

const outcomes = new Map<string, ResponseBody>();

const playStory = async (surface: Surface): Promise<Played> => {
  const { programId, apiKey } = await makeProgram();
  const token = await connectorToken(programId, 'platform.example', new Date());
  const ids: Ids = new Map([['2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11', token]]);
  const key = surface === main ? apiKey : token;
  for (const id of surface.story) {
    const of = byId(surface).has(id) ? surface : main;
    const operation = byId(of).get(id);
    if (!operation) throw new Error(`${id} is not documented`);
    await preparations.get(id)?.({ programId, ids });
    const response = await playOnceThere(documentOf(of), operation, key, ids);
    outcomes.set(id, outcomes.get(id) ?? response);
    learn(ids, operation.responses[200]?.content?.['application/json']?.example, response.body);
  }
  return { key, ids };
};

const played = new Map<Surface, Played>();
let freeKey: string;

const caused = (surface: Surface, { method = 'GET', path, key, headers, body }: Cause): Promise<ResponseBody> => {
  const token = key ?? played.get(surface)?.key;
  return request(method, `${documentOf(surface).servers[0]?.url}${path}`, {
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
};

/** A record is selected by its old link, and a test event is one whatever it looks like. */
const notShown: readonly string[] = ['updateLink.link', 'testWebhook.eventType'];

/** Their message depends on the request, or on the surface. */
const ownMessage = /(400|404|409|415)$/;

beforeAll(async () => {
  for (const surface of [main, connector]) documents.set(surface, (await request('GET', surface.documentUrl)).body);
  const stories = [main, connector].map(async (surface) => played.set(surface, await playStory(surface)));
  const free = makeProgram({ plan: 'FREE' });
  await Promise.all(stories);
  freeKey = (await free).apiKey;
}, 300_000);

describe.each([main, connector])('$name', (surface) => {
  it('has every operation in the story', () => {
    const ids = surface.declared.map(({ id }) => id);
    expect(
      ids.filter((id) => !surface.story.includes(id)),
      'say playedAfter in the sample in test/operations',
    ).toEqual([]);
  });

  it('has no example that its own schema refuses', () => {
    const document = documentOf(surface);
    const check = new SchemaCheck(document);
    const examples = examplesIn(document);
    expect(examples.length).toBeGreaterThan(75);
    const problems = examples.flatMap(({ at, example }) =>
      check.problemsOf(example, at).map((problem) => `${at.join(' ')}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });
});

describe.each([main, connector].flatMap((surface) => surface.declared.map(({ id }) => ({ id, surface }))))(
  'the example of $id',
  ({ id, surface }) => {
    it('is accepted, and the response is as documented', () => {
      const operation = byId(surface).get(id);
      const outcome = outcomes.get(id);
      if (!operation || !outcome) throw new Error(`${id} was not played`);
      expect(outcome.status, outcome.text).toBe(200);
      const check = new SchemaCheck(documentOf(surface));
      const { response, at } = check.responseOf(operation, 200);
      const [type = ''] = Object.keys(response?.content ?? {});
      expect(outcome.headers.get('content-type')).toContain(type);
      const value = type === 'application/json' ? outcome.body : outcome.text;
      expect(check.problemsOf(value, [...at, 'content', type])).toEqual([]);
      const missing = Object.keys(response?.headers ?? {}).filter(
        (name) => !['Link', 'Next-After', 'Idempotent-Replayed'].includes(name) && !outcome.headers.has(name),
      );
      expect(missing).toEqual([]);
    });

    it('shows in its response what its request asks for', () => {
      const { bodies = {}, responses = {} } = byId(surface).get(id) ?? {};
      const asked = Object.entries(Object(bodies['application/json']?.example));
      const shown = new Map<string, unknown>(
        Object.entries(Object(responses[200]?.content?.['application/json']?.example)),
      );
      for (const [name, value] of asked)
        if (shown.has(name) && !notShown.includes(`${id}.${name}`)) expect(shown.get(name), name).toEqual(value);
    });
  },
);

describe.each([main, connector])('the errors of $name', (surface) => {
  it('are what requests get', async () => {
    const given = played.get(surface);
    if (!given) throw new Error('The story was not played');
    const check = new SchemaCheck(documentOf(surface));
    const components = documentOf(surface).components.responses;
    const names = Object.keys(components).filter((name) => !surface.unproduced.includes(name));
    await Promise.all(
      names.map(async (name) => {
        const cause = errorCauses[name];
        if (!cause) throw new Error(`Nothing here causes ${name}`);
        const { first, ...last } = cause({ ...given, freeKey });
        if (first) await caused(surface, first);
        const { status, body, text } = await caused(surface, last);
        expect(`${name}: ${status}`, text).toBe(`${name}: ${name.slice(-3)}`);
        const at = ['components', 'responses', name, 'content', 'application/json'];
        expect(check.problemsOf(body, at), name).toEqual([]);
        const { example } = components[name]?.content?.['application/json'] ?? {};
        if (!ownMessage.test(name)) expect(body, name).toEqual(example);
      }),
    );
  });
});
