import { AffiliateProgramError } from './errors.ts';
import type { ClientSettings, CsvOptions, RequestOptions } from './options.ts';
import { type CsvPage, listOf, type Page } from './pages.ts';
import { responseOf, withInfo } from './response-info.ts';
import { type Route, routes } from './routes.at-build.ts';
import { send } from './send.ts';
import type { Client } from './surface.ts';

interface Connection {
  apiKey: string;
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof globalThis.fetch;
}

type Fields = Readonly<Record<string, unknown>>;

/** Node and Deno have it. Browsers do not, or have a substitute that is empty. */
const environment = (): Record<string, string | undefined> =>
  'process' in globalThis ? (globalThis.process.env ?? {}) : {};

const connectionOf = (settings: ClientSettings): Connection => {
  const { apiKey = environment().AFFILIATE_PROGRAM_KEY, baseUrl = environment().AFFILIATE_PROGRAM_URL } = settings;
  if (!apiKey) throw new TypeError('Give apiKey, or set AFFILIATE_PROGRAM_KEY');
  if (!baseUrl) throw new TypeError('Give baseUrl, or set AFFILIATE_PROGRAM_URL');
  return {
    apiKey,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    timeoutMs: settings.timeoutMs ?? 30_000,
    maxRetries: settings.maxRetries ?? 3,
    fetch: settings.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
};

const queryString = (query: Fields): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

const etagFrom = (ifMatch: string | object): string => {
  if (typeof ifMatch === 'string') return ifMatch;
  const etag = responseOf(ifMatch)?.etag;
  if (!etag) throw new TypeError('ifMatch takes an ETag, or a record as this client returned it');
  return etag;
};

interface Call {
  route: Route;
  path: string;
  query?: Fields;
  body?: Fields;
  options?: RequestOptions | CsvOptions | undefined;
}

const headersOf = ({ apiKey }: Connection, { route, body, options = {} }: Call): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
  ...('accept' in options && { accept: options.accept }),
  ...(body && { 'content-type': 'application/json' }),
  ...(route.method !== 'GET' && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
  ...(options.ifMatch !== undefined && { 'if-match': etagFrom(options.ifMatch) }),
});

/** The content of a response: a record, an array, a page of CSV, or the text of a document. */
const request = async (connection: Connection, call: Call): Promise<unknown> => {
  const { route, path, query = {}, body, options } = call;
  const { response, text } = await send(connection.fetch, {
    method: route.method,
    url: `${connection.baseUrl}${path}${queryString(query)}`,
    headers: headersOf(connection, call),
    body: body && JSON.stringify(body),
    signal: options?.signal,
    timeoutMs: options?.timeoutMs ?? connection.timeoutMs,
    maxRetries: options?.maxRetries ?? connection.maxRetries,
  });
  const type = response.headers.get('content-type') ?? '';
  try {
    if (type.includes('json')) return withInfo(JSON.parse(text), response);
  } catch (cause) {
    throw new AffiliateProgramError('The API returned invalid JSON', { status: 200, code: 'invalid_response', cause });
  }
  if (!type.includes('text/csv')) return text;
  const page: CsvPage = withInfo({ text, next: undefined }, response);
  page.next = responseOf(page)?.next;
  return page;
};

const isFields = (value: unknown): value is Fields => value instanceof Object;

const listCall =
  (connection: Connection, route: Route) =>
  (query: Fields = {}, options?: RequestOptions) =>
    listOf(async (cursor): Promise<Page<unknown>> => {
      const position = cursor === undefined ? {} : { [query.after === undefined ? 'cursor' : 'after']: cursor };
      const data = await request(connection, { route, path: route.path, query: { ...query, ...position }, options });
      if (!Array.isArray(data)) throw new TypeError('This query selects one record: read it with get()');
      const info = responseOf(data);
      const after = info?.headers.get('next-after');
      return { data, next: info?.next, ...(after && { after }) };
    });

const call =
  (connection: Connection, route: Route) =>
  (...given: unknown[]): Promise<unknown> => {
    const rest = [...given];
    const takesId = route.record !== undefined && !(route.method !== 'GET' && isFields(rest[0]));
    const id = takesId ? rest.shift() : undefined;
    if (takesId && (id === undefined || id === null || id === ''))
      return Promise.reject(new TypeError(`${route.resource}.${route.name} needs the id of a record`));
    const first = route.input || (route.record !== undefined && !takesId) ? rest.shift() : undefined;
    const fields = isFields(first) ? first : {};
    const [options] = rest;
    const shared = { route, path: route.path, ...(isFields(options) && { options }) };
    if (route.method !== 'GET') {
      const body = takesId ? { ...fields, [String(route.record)]: id } : fields;
      // All that a deletion takes are ids, and some proxies drop its body.
      return request(connection, { ...shared, ...(route.method === 'DELETE' ? { query: body } : { body }) });
    }
    const path = route.path.replace(/\{\w+\}/, encodeURIComponent(String(id)));
    return request(connection, { ...shared, path, query: fields });
  };

/** A client of one program's API, with a method for every operation. Throws TypeError without a key or an address. */
export const createClient = (settings: ClientSettings = {}): Client => {
  const connection = connectionOf(settings);
  const client: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const make = route.lists ? listCall : call;
    client[route.resource] = { ...client[route.resource], [route.name]: make(connection, route) };
  }
  // The routes and the type are made from the same operations; test/types/client.test-d.ts compares their names.
  return client as Client;
};
