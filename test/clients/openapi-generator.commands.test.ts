import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectorDocument, mainDocument } from '../../shared/http/openapi/documents.at-build.ts';

/** What OpenAPI Generator makes of the OpenAPI document. It needs Java, and its jar. docs/clients.md */

const version = '7.23.0';
const artifact = 'openapi-generator-cli';
/** Where `mvn dependency:get` puts it. */
const jar = join(homedir(), '.m2/repository/org/openapitools', artifact, version, `${artifact}-${version}.jar`);
const canRun = existsSync(jar) && spawnSync('java', ['-version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;
const noGenerator = `OpenAPI Generator: there is no Java, or no ${jar} (docs/clients.md)`;

const root = fileURLToPath(new URL('../../', import.meta.url));
mkdirSync(join(root, '.build'), { recursive: true });
const folder = mkdtempSync(join(root, '.build', 'openapi-generator-'));
const compiler = fileURLToPath(import.meta.resolve('typescript-7/package.json')).replace(/package\.json$/, 'bin/tsc');

const run = promisify(execFile);
const generate = (generator: string, document = 'main', ...options: string[]) =>
  run(
    'java',
    ['-jar', jar, 'generate', '-i', `${document}.json`, '-g', generator, '-o', join(document, generator), ...options],
    {
      cwd: folder,
      maxBuffer: 2 ** 26,
    },
  );

beforeAll(() => {
  writeFileSync(join(folder, 'main.json'), mainDocument);
  writeFileSync(join(folder, 'connector.json'), connectorDocument);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('typescript-fetch makes clients of both documents that compile under strict', { timeout: 300_000 }, async ({
  skip,
}) => {
  skip(!canRun, noGenerator);
  await generate('typescript-fetch');
  await generate('typescript-fetch', 'connector', '--additional-properties=modelPropertyNaming=original');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main', 'connector'] }));
  const usage = `
import { PromotionalCodesApi, SalesApi } from './index';
export const code = async (): Promise<string> =>
  (await new PromotionalCodesApi().createPromotionalCode({ createPromotionalCodeRequest: { couponId: 'c', code: 'A' } })).code;
export const times = async () => (await new SalesApi().listSales({ createdAfter: new Date(), limit: 10 }))[0]?.paidAt satisfies Date | null | undefined;
`;
  const connected = `
import { ConnectionApi } from './index';
export const token = async (code: string): Promise<string> =>
  (await new ConnectionApi().exchangeConnectorCode({ exchangeConnectorCodeRequest: { code } })).access_token;
`;
  writeFileSync(join(folder, 'main/typescript-fetch/usage.ts'), usage);
  writeFileSync(join(folder, 'connector/typescript-fetch/usage.ts'), connected);
  const compiled = await run(process.execPath, [compiler, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
});

it('python makes a client that compiles', { timeout: 300_000 }, async ({ skip }) => {
  skip(!canRun, noGenerator);
  skip(!hasPython, 'OpenAPI Generator: there is no Python to compile its client with');
  await generate('python');
  const compiled = await run('python3', ['-m', 'compileall', '-q', join(folder, 'main/python')]).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
});
