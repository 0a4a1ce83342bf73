import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeAll, expect, it } from 'vitest';
import { bundleFolder, bundleFunctions, type FunctionBundle, functionNames } from '../../infra/bundle.ts';
import { functionNameOf } from '../../shared/contract/operation.ts';
import { connectorOnly, operations } from '../../shared/contract/operations.ts';
import { bundleBudgets, usualBudget } from '../speed/bundle-budgets.ts';

let bundles: FunctionBundle[];
beforeAll(async () => {
  bundles = await bundleFunctions();
});

it('an asset contains the code, the libraries that it imports dynamically and a package.json, and nothing else', () => {
  expect(readdirSync(bundleFolder).sort()).toEqual(bundles.map(({ name }) => name));
  for (const { folder } of bundles) {
    const code = readFileSync(join(folder, 'index.js'), 'utf8');
    const lazy = ['any-ascii.cjs', 'email-providers-all-json.cjs', 'jose.cjs', 'qrcode.cjs', 'tldts.cjs'];
    const libraries = lazy.filter((file) => code.includes(`require("./${file}")`));
    expect(readdirSync(folder).sort()).toEqual([...libraries, 'index.js', 'package.json'].sort());
  }
});

it('only the functions that generate slugs contain the transliteration library', () => {
  const having = bundles.filter(({ folder }) => readdirSync(folder).includes('any-ascii.cjs'));
  expect(having.map(({ name }) => name)).toEqual([
    'affiliates',
    'handle-portal-request',
    'run-import',
    'web-programs',
    'web-records',
  ]);
});

it('only the functions that record, edit and import sales contain the lists of domains, which they load for one rule', () => {
  const having = bundles.filter(({ folder }) => readdirSync(folder).includes('tldts.cjs'));
  expect(having.map(({ name }) => name)).toEqual(['run-import', 'sales', 'web-records']);
});

it('the lists of domains can be read from the assets', () => {
  const load = createRequire(import.meta.url);
  const inAsset = (file: string) => load(join(bundleFolder, 'sales', file));
  expect(inAsset('email-providers-all-json.cjs')).toContain('gmail.com');
  expect(inAsset('tldts.cjs').getDomain('mail.acme.co.uk')).toBe('acme.co.uk');
});

it.each(functionNames())('%s stays within its budget of kilobytes and built-in modules', (name) => {
  const code = readFileSync(join(bundleFolder, name, 'index.js'), 'utf8');
  const modules = new Set([...code.matchAll(/require\("((?:node:)?[a-z_/]+)"\)/g)].map(([, module]) => module));
  const [kilobytes, builtInModules] = bundleBudgets[name] ?? usualBudget;
  // Every operation and message that is added makes most bundles a little larger.
  expect(Buffer.byteLength(code) / 1024).toBeLessThanOrEqual(kilobytes * 1.02);
  expect(modules.size, [...modules].sort().join()).toBeLessThanOrEqual(builtInModules);
});

it('the bundle of redirects is smaller than that of every function of the API, and has neither zod nor a client of the SDK', () => {
  const own = connectorOnly.map(({ path }) => `connector-${functionNameOf(path)}`);
  const api = new Set([...operations.map(({ path }) => functionNameOf(path)), ...own]);
  const sizeOf = (name: string) => bundles.find((bundle) => bundle.name === name)?.sizeBytes ?? 0;
  expect(api.size).toBeGreaterThan(15);
  for (const name of api) expect(sizeOf(name), name).toBeGreaterThan(sizeOf('redirect'));
  const code = readFileSync(join(bundleFolder, 'redirect', 'index.js'), 'utf8');
  for (const text of ['ZodError', 'GetSecretValueCommand', 'SQSClient', 'DynamoDBClient'])
    expect(code).not.toContain(text);
});

it('no bundle contains the credential providers that Lambda does not use', () => {
  for (const { name, folder } of bundles) {
    expect(readFileSync(join(folder, 'index.js'), 'utf8'), name).not.toContain('sso_start_url');
  }
});

it('no bundle imports a module of Node dynamically, which would load undici with `node:http`', () => {
  for (const { name, folder } of bundles) {
    expect(readFileSync(join(folder, 'index.js'), 'utf8'), name).not.toContain('import("node:');
  }
});

it('the SDK in a bundle signs requests with credentials from the environment', async () => {
  const authorizations: (string | undefined)[] = [];
  const database = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"none"}');
  }).listen(0, '127.0.0.1');
  await once(database, 'listening');
  const address = database.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');

  const event = {
    version: '2.0',
    routeKey: 'ANY /api/v1/program',
    rawPath: '/api/v1/program',
    rawQueryString: '',
    headers: { authorization: 'Bearer 2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11' },
    requestContext: { http: { method: 'GET', path: '/api/v1/program' }, requestId: 'one' },
    isBase64Encoded: false,
  };
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { handler } = require(workerData.file);
    handler(workerData.event, {}).then((response) => parentPort.postMessage(response));`;
  const lambda = new Worker(source, {
    eval: true,
    workerData: { file: join(bundleFolder, 'program', 'index.js'), event },
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'FROMENVIRONMENT',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${address.port}`,
      RECORDS_TABLE: 'records',
      TRAFFIC_TABLE: 'traffic',
      RATE_LIMIT_READS: '600',
      RATE_LIMIT_WRITES: '300',
    },
  });
  await once(lambda, 'message');
  await lambda.terminate();
  database.close();
  database.closeAllConnections();
  expect(authorizations[0]).toContain('Credential=FROMENVIRONMENT/');
});
