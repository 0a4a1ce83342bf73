import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundleFolder, bundleFunctions } from '../../../infra/bundle.ts';
import { functionEnvironment } from '../../speed/in-process.ts';

// Each start is a process of its own, in turn with those it is compared to, so that a machine whose speed drifts does not
// favour one. The table is a server in this process which responds at once.

export interface StartFigures {
  name: string;
  bytes: number;
  /** Lower quartiles, in milliseconds. */
  importMilliseconds: number;
  firstRequestMilliseconds: number;
  /** Import and first request, as a share of those of Hono. */
  ofHono: number;
  /** Built-in modules of Node that the import loads. */
  modules: number;
  /** Processor time of a warm request. */
  warmMicroseconds?: number;
}

const peers = ['empty', 'bare', 'hono', 'express', 'fastify'] as const;
const packages = [
  'hono@4.13.19',
  'express@5.3.0',
  'serverless-http@4.0.0',
  'fastify@5.12.8',
  '@fastify/aws-lambda@6.4.1',
];
const root = new URL('../../..', import.meta.url).pathname;
const peerFolder = new URL('../peers/', import.meta.url).pathname;
const installFolder = join(root, '.build', 'peers');
const starts = 15;
const warmRequests = 1500;
const run = promisify(execFile);

const installPeers = async (): Promise<void> => {
  mkdirSync(installFolder, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--prefix', installFolder];
  if (!existsSync(join(installFolder, 'node_modules', 'fastify')))
    await run('npm', ['install', ...options, ...packages]);
};

/** As a project bundles by default: one file, minified, with the SDK as it comes. */
const buildPeers = async (): Promise<void> => {
  await build({
    absWorkingDir: root,
    entryPoints: peers.map((name) => join(peerFolder, `${name}.mjs`)),
    outdir: join(installFolder, 'bundles'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    nodePaths: [join(installFolder, 'node_modules'), join(root, 'node_modules')],
    logLevel: 'error',
  });
};

const token = {
  pk: { S: 'TOKEN' },
  programId: { S: '019a0000-0000-7000-8000-000000000001' },
  keyId: { S: '019a0000-0000-7000-8000-000000000002' },
  plan: { S: 'BUSINESS' },
  programDeleted: { BOOL: false },
  currency: { S: 'USD' },
  commissionRate: { N: '10' },
  counts: { M: {} },
};
const moment = { S: '2026-01-31T12:00:00.000Z' };
const program = {
  id: token.programId,
  createdAt: moment,
  updatedAt: moment,
  version: { N: '1' },
  name: { S: 'Shop' },
  currency: { S: 'USD' },
  commissionRate: { N: '10' },
  baseUrls: { L: [] },
  ownerEmail: { S: 'owner@example.com' },
};

/** Responds to every update with a token, and to every read with a program. */
const startTable = async () => {
  const respond = async (request: IncomingMessage): Promise<string> => {
    await text(request);
    const isUpdate = String(request.headers['x-amz-target']).endsWith('UpdateItem');
    return JSON.stringify(isUpdate ? { Attributes: token } : { Item: program });
  };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    void respond(request).then((body) => response.end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return { endpoint: `http://127.0.0.1:${address.port}`, stop: () => server.close() };
};

const eventOf = (path: string) =>
  JSON.stringify({
    version: '2.0',
    routeKey: `GET ${path}`,
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: 'Bearer 2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11', host: 'example.com' },
    pathParameters: { id: '1' },
    requestContext: {
      http: { method: 'GET', path, sourceIp: '203.0.113.1' },
      requestId: 'one',
      domainName: 'example.com',
    },
    isBase64Encoded: false,
  });

interface Subject {
  name: string;
  file: string;
  event: string;
}

interface Start {
  imported: number;
  responded: number;
  modules: number;
  warmMicroseconds?: number;
}

const start = async ({ file, event }: Subject, environment: Record<string, string>, warm = 0): Promise<Start> => {
  const script = join(peerFolder, 'first-request.cjs');
  const { stderr } = await run(process.execPath, [script, file, event, String(warm)], {
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stderr.slice(stderr.lastIndexOf('\n')));
};

const lowerQuartile = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? 0;

const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));

/** Import and first request of `GET /program` beside the same one-read handler by other means, and of `/openapi.json`. */
export const measureStarts = async (): Promise<StartFigures[]> => {
  await installPeers();
  await buildPeers();
  const bundles = await bundleFunctions();
  const table = await startTable();
  const environment = {
    ...functionEnvironment(),
    RATE_LIMIT_READS: '1000000',
    RATE_LIMIT_WRITES: '1000000',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    RECORDS_TABLE: 'records',
    TRAFFIC_TABLE: 'traffic',
  };
  const own = ['program', 'openapi-json'].map((name) => ({
    name,
    file: join(bundleFolder, name, 'index.js'),
    event: eventOf(`/api/v1/${name === 'program' ? name : 'openapi.json'}`),
  }));
  const others = peers.map((name) => ({
    name,
    file: join(installFolder, 'bundles', `${name}.cjs`),
    event: eventOf('/api/v1/items/1'),
  }));
  const subjects: Subject[] = [...own, ...others];
  const measured = new Map<string, Start[]>(subjects.map(({ name }) => [name, []]));
  for (let at = 0; at < starts; at++)
    for (const subject of subjects) measured.get(subject.name)?.push(await start(subject, environment));
  const warm = new Map<string, number | undefined>();
  for (const subject of subjects)
    warm.set(subject.name, (await start(subject, environment, warmRequests)).warmMicroseconds);
  table.stop();
  const total = (name: string) => lowerQuartile((measured.get(name) ?? []).map(({ responded }) => responded));
  return subjects.map(({ name, file }) => ({
    name,
    bytes: bundles.find((bundle) => bundle.name === name)?.sizeBytes ?? statSync(file).size,
    importMilliseconds: rounded(lowerQuartile((measured.get(name) ?? []).map(({ imported }) => imported))),
    firstRequestMilliseconds: rounded(total(name)),
    ofHono: rounded(total(name) / total('hono'), 2),
    modules: measured.get(name)?.[0]?.modules ?? 0,
    warmMicroseconds: Math.round(warm.get(name) ?? 0),
  }));
};
