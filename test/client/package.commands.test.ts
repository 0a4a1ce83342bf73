import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { operations } from '../../shared/contract/operations.ts';
import { makeProgram } from '../support/program.ts';
import { findChromium, noChromium } from '../web/chromium.ts';
import { compile, installPackage, programOf, tarball } from './package.ts';

/** The package as an integrator has it: packed, installed in an empty project, compiled and run. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let declarations: string;
const dist = (name: string): string => join(folder, 'node_modules/affiliate-program/dist', name);
beforeAll(async () => {
  folder = await installPackage();
  declarations = await readFile(dist('surface.d.ts'), 'utf8');
  await writeFile(join(folder, 'source/guide.ts'), await programOf('docs/client.md'));
  await writeFile(join(folder, 'source/readme.ts'), await programOf('shared/client/README.md'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the programs of the guide and of the README compile, with either resolution of modules, and run', async () => {
  expect(await compile(folder, 'bundler')).toEqual([]);
  expect(await compile(folder, 'nodenext')).toEqual([]);
  const { apiKey } = await makeProgram();
  const env = { ...process.env, AFFILIATE_PROGRAM_KEY: apiKey, AFFILIATE_PROGRAM_URL: inject('baseUrl') };
  const guide = await run(process.execPath, ['compiled/guide.js'], { cwd: folder, env });
  expect(guide.stdout).toContain('9.98\n');
  expect(guide.stdout).toContain('400 bad_request code');
  const readme = await run(process.execPath, ['compiled/readme.js'], { cwd: folder, env });
  expect(readme.stdout.split('\n')).toEqual(expect.arrayContaining(['Test program', 'NOOR20']));
  const command = await run('node_modules/.bin/affiliate-program', ['program', 'get'], { cwd: folder, env });
  expect(JSON.parse(command.stdout)).toMatchObject({ name: 'Test program' });
});

it('a CommonJS program requires it, with types of its own', async () => {
  const program = `import client = require('affiliate-program');
export const names: string[] = Object.keys(client.createClient({ apiKey: 'a', baseUrl: 'https://example.com/api/v1' }));
export const before = (event: client.WebhookEvent): string | null | undefined =>
  event.type === 'coupon.updated' ? event.previousAttributes.name : event.previousAttributes?.createdAt;
console.log(names.includes('sales'), client.verifyWebhook.length);
`;
  await writeFile(join(folder, 'source/required.cts'), program);
  expect(await compile(folder, 'nodenext')).toEqual([]);
  const { stdout } = await run(process.execPath, ['compiled/required.cjs'], { cwd: folder });
  expect(stdout).toMatch(/^true \d/);
  await rm(join(folder, 'source/required.cts'));
});

it('the script for a shop is a module with types, for import and for require, and weighs less than 2 KB compressed', async () => {
  const program = `import { type Affiliate, startAffiliate } from 'affiliate-program/browser';
export const start = (): Affiliate => startAffiliate({ program: 'p', url: 'https://partners.example.com', consent: 'required' });
`;
  await writeFile(join(folder, 'source/shop.ts'), program);
  expect(await compile(folder, 'bundler')).toEqual([]);
  expect(await compile(folder, 'nodenext')).toEqual([]);
  await rm(join(folder, 'source/shop.ts'));
  const { stdout } = await run(process.execPath, ['-p', "typeof require('affiliate-program/browser').startAffiliate"], {
    cwd: folder,
  });
  expect(stdout).toBe('function\n');
  const minified = await transform(await readFile(dist('browser.js'), 'utf8'), { minify: true });
  expect(gzipSync(minified.code).length).toBeLessThan(2048);
});

it('are the types wrong? finds nothing, for import and for require', { timeout: 300_000 }, async ({ skip }) => {
  const attw = ['--yes', '@arethetypeswrong/cli@0.18.5'];
  const there = await run('npx', [...attw, '--version'], { cwd: folder }).catch(() => undefined);
  skip(!there, 'attw: @arethetypeswrong/cli could not be downloaded');
  const checked = await run('npx', [...attw, await tarball(), '--no-color'], { cwd: folder });
  expect(checked.stdout).toContain('No problems found');
});

it('a wrong field or argument does not compile', async () => {
  const wrong =
    "import { createClient } from 'affiliate-program';\ncreateClient().coupons.create({ nam: 'Spring' });\n";
  await writeFile(join(folder, 'source/wrong.ts'), wrong);
  expect(await compile(folder, 'nodenext')).toEqual([expect.stringContaining("'nam' does not exist in type")]);
  await rm(join(folder, 'source/wrong.ts'));
});

it('the package has nothing of zod, one dependency, and a small bundle', async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/affiliate-program/package.json'), 'utf8'));
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'affiliate-program', version: own.version, license: own.license });
  expect(Object.keys(manifest.dependencies)).toEqual(['standardwebhooks']);
  const bundle = await readFile(dist('index.js'), 'utf8');
  const { code } = await transform(bundle, { minify: true });
  expect(bundle).not.toMatch(/zod/i);
  expect(declarations).not.toMatch(/zod|: any\b|\.\.\. \d+ more/i);
  expect((await stat(dist('index.js'))).size).toBeLessThan(24_000);
  expect(code.length).toBeLessThan(14_000);
  expect((await stat(dist('cli.js'))).size).toBeLessThan(160_000);
});

it('the declarations have every operation with its summary', () => {
  expect(operations.filter(({ summary }) => !declarations.includes(`/** ${summary}.`)).map(({ id }) => id)).toEqual([]);
});

it('the client works in a browser, on another origin than the API', async ({ skip }) => {
  const executablePath = findChromium();
  if (!executablePath) return skip(noChromium);
  const { apiKey } = await makeProgram();
  const source = await build({
    stdin: { contents: "export * from 'affiliate-program';", resolveDir: folder },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'affiliateProgram',
    platform: 'browser',
  });
  const shop = createServer((_, response) => response.end('<!doctype html>')).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  const browser = await chromium.launch({ executablePath });
  try {
    const address = shop.address();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${address instanceof Object ? address.port : 0}/`);
    await page.addScriptTag({ content: source.outputFiles[0]?.text ?? '' });
    const settings = JSON.stringify({ apiKey, baseUrl: inject('baseUrl') });
    const outcome = await page.evaluate(`(async () => {
      const { createClient } = affiliateProgram;
      const client = createClient(${settings});
      const coupon = await client.coupons.create({ name: 'Browser', percentOff: 10 });
      await client.coupons.update(coupon.id, { name: 'Chromium' }, { ifMatch: coupon });
      const error = await client.coupons.get('none').catch((error) => error);
      const names = (await client.coupons.list({ limit: 1 }).toArray({ max: 5 })).map(({ name }) => name);
      return { names, code: error.code, hasRequestId: error.requestId !== undefined };
    })()`);
    expect(outcome).toEqual({ names: ['Chromium'], code: 'not_found', hasRequestId: true });
  } finally {
    await browser.close();
    shop.close();
  }
});
