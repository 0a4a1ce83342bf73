import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectorDocument, mainDocument } from '../../shared/http/openapi/documents.at-build.ts';

/** What npm's generators make of the OpenAPI documents. docs/clients.md */

const root = fileURLToPath(new URL('../../', import.meta.url));
mkdirSync(join(root, '.build'), { recursive: true });
const folder = mkdtempSync(join(root, '.build', 'clients-'));

const openapiTypescript = fileURLToPath(import.meta.resolve('openapi-typescript')).replace(/dist\/.*/, 'bin/cli.js');
const heyApi = fileURLToPath(import.meta.resolve('@hey-api/openapi-ts')).replace(/index\.mjs$/, 'run.mjs');
const compiler = fileURLToPath(import.meta.resolve('typescript-7/package.json')).replace(/package\.json$/, 'bin/tsc');

const run = promisify(execFile);
const node = (...words: string[]) => run(process.execPath, words, { cwd: folder });

const settings = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
  },
};

/** Does not compile if a header, a list, a record or a webhook is not as the document has it. */
const usage = `
import type { components, operations } from './openapi-typescript/main';
import { createPromotionalCode, listSales, readSale } from './hey-api/main';

type Create = operations['createPromotionalCode'];
export const headers: Create['parameters']['header'] = { 'Idempotency-Key': 'order-1' };
type Sales = operations['listSales']['responses'][200]['content']['application/json'];
export const amountOf = (sales: Sales): number | undefined => sales[0]?.totalEarned;
export const errorOf = (error: components['schemas']['RequestError']): string => error.error;
export const codeOf = (event: operations['onPromotionalCodeRedeemed']['requestBody']['content']['application/json']) => event.data.code satisfies string;

export const example = async (): Promise<void> => {
  const made = await createPromotionalCode({
    body: { couponId: '019a0000-0000-7000-8000-0000000000c1', code: 'AMARA20' },
    headers: { 'Idempotency-Key': 'order-1' },
  });
  const code: string | undefined = made.data?.code;
  const sales = await listSales({ query: { limit: 10 } });
  const first: number | undefined = sales.data?.[0]?.totalEarned;
  const sale = await readSale({ path: { id: 'external:order-1042' } });
  console.log(code, first, sale.data?.commissionEarned satisfies number | undefined);
};
`;

beforeAll(() => {
  writeFileSync(join(folder, 'main.json'), mainDocument);
  writeFileSync(join(folder, 'connector.json'), connectorDocument);
  writeFileSync(join(folder, 'usage.ts'), usage);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('openapi-typescript and hey-api make clients that compile under strict, with headers, lists and webhooks', {
  timeout: 300_000,
}, async () => {
  await Promise.all([
    node(openapiTypescript, 'main.json', '-o', 'openapi-typescript/main.ts'),
    node(openapiTypescript, 'connector.json', '-o', 'openapi-typescript/connector.ts'),
    node(heyApi, '-i', 'main.json', '-o', 'hey-api/main', '--silent', '--no-log-file'),
  ]);
  const compiled = await node(compiler, '-p', 'tsconfig.json').catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
});
