import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { bundleFolder, bundleFunctions } from '../../infra/bundle.ts';
import { functionNameOf } from '../../shared/contract/operation.ts';
import { connectorOnly, operations } from '../../shared/contract/operations.ts';
import { functionEnvironment } from '../speed/in-process.ts';

// Is a redirect loaded before any function of the API, and there before one that uses a table is even loaded? Each start is a process of its own, in turn with the
// others; processor time, which other work on the machine changes least. The services are a server here that responds at once.

const starts = Number(process.argv[2] ?? 15);
const run = promisify(execFile);
const programId = '019a0000-0000-7000-8000-000000000001';
const link = { id: { S: programId }, link: { S: 'amara' }, affiliateId: { S: 'a' }, affiliateStatus: { S: 'ACTIVE' } };
const program = { id: { S: programId }, baseUrls: { L: [{ S: 'https://shop.example/' }] } };

interface BatchRead {
  RequestItems: Record<string, { Keys: { pk: { S: string } }[] }>;
}

const itemsOf = ({ RequestItems }: BatchRead) => ({
  Responses: {
    records: RequestItems.records?.Keys.map((key) => ({
      ...(key.pk.S.endsWith('#SLUG') ? link : program),
      programId: { S: programId },
      ...key,
    })),
  },
});

const responses: Record<string, (input: BatchRead) => object> = {
  BatchGetItem: itemsOf,
  GetItem: () => ({ Item: { salt: { S: 'salt' } } }),
  GetSecretValue: () => ({ SecretString: 'secret', VersionId: programId, CreatedDate: 1 }),
  SendMessage: () => ({ MessageId: '1' }),
};

const server = createServer(async (request, response) => {
  const action = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
  response.end(JSON.stringify(responses[action]?.(JSON.parse(await text(request))) ?? {}));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('The server has no port');
const endpoint = `http://127.0.0.1:${address.port}`;
const environment = {
  ...functionEnvironment(),
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: endpoint,
  RECORDS_TABLE: 'records',
  TRAFFIC_TABLE: 'traffic',
  CLICK_IDS_SECRET_ARN: 'arn',
};

const path = '/r/shop/amara';
const redirect = JSON.stringify({
  rawPath: path,
  rawQueryString: '',
  headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36' },
  pathParameters: { handle: 'shop', link: 'amara' },
  requestContext: { http: { method: 'GET', path, sourceIp: '203.0.113.1' }, requestId: 'one' },
});

const script = `const before = process.cpuUsage();
const spent = () => { const { user, system } = process.cpuUsage(before); return (user + system) / 1000; };
const { handler } = require(process.argv[1]);
const imported = spent();
const print = (response) => {
  process.stderr.write('\\n' + JSON.stringify({ imported, status: response?.statusCode, responded: spent() }));
  process.exit();
};
if (process.argv[2]) handler(JSON.parse(process.argv[2]), {}).then(print); else print();`;

const start = async (name: string): Promise<{ imported: number; responded: number; status?: number }> => {
  const given = ['-e', script, join(bundleFolder, name, 'index.js'), ...(name === 'redirect' ? [redirect] : [])];
  const { stderr } = await run(process.execPath, given, { env: environment });
  return JSON.parse(stderr.slice(stderr.lastIndexOf('\n')));
};

const median = (values: readonly number[]): number =>
  Number((values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0).toFixed(1));

await bundleFunctions();
const own = connectorOnly.map(({ path }) => `connector-${functionNameOf(path)}`);
const api = [...new Set([...operations.map(({ path }) => functionNameOf(path)), ...own])];
const measured = new Map(['redirect', ...api].map((name) => [name, [] as Awaited<ReturnType<typeof start>>[]]));
for (let at = 0; at < starts; at++) for (const [name, list] of measured) list.push(await start(name));
server.close();

const ofRedirect = measured.get('redirect') ?? [];
if (ofRedirect.some(({ status }) => status !== 302)) throw new Error('A redirect did not redirect');
const imports = api.map((name) => ({ name, ms: median((measured.get(name) ?? []).map(({ imported }) => imported)) }));
const ordered = imports.toSorted((one, other) => one.ms - other.ms);
const documents = new Set(
  operations
    .filter(({ needs }) => needs.every((need) => need === 'api-url:use'))
    .map(({ path }) => functionNameOf(path)),
);
const reading = ordered.filter(({ name }) => !documents.has(name));
const loaded = median(ofRedirect.map(({ imported }) => imported));
const responded = median(ofRedirect.map((one) => one.responded));
console.table([
  { what: 'redirect, loaded', 'processor ms': loaded },
  { what: 'redirect, loaded and first click followed', 'processor ms': responded },
  { what: `${ordered[0]?.name}, loaded: the least of ${api.length} API functions`, 'processor ms': ordered[0]?.ms },
  { what: `${reading[0]?.name}, loaded: the least of those that use a table`, 'processor ms': reading[0]?.ms },
  { what: `${ordered.at(-1)?.name}, loaded: the most`, 'processor ms': ordered.at(-1)?.ms },
]);
if (loaded >= (ordered[0]?.ms ?? 0) || responded >= (reading[0]?.ms ?? 0)) process.exitCode = 1;
