import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { ensureSynthesized } from '../../infra/synth.ts';
import { productionSettings } from './deployed-function.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('needs no account, no credentials and no region', () => {
  execFileSync(process.execPath, [join(root, 'infra', 'app.ts')], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, CDK_OUTDIR: join(folder, 'cdk.out') },
  });
  const template = JSON.parse(readFileSync(join(folder, 'cdk.out', 'affiliate-program-dev.template.json'), 'utf8'));
  const paths = Object.values<{ Metadata?: Record<string, string> }>(template.Resources).flatMap(
    ({ Metadata }) => Metadata?.['aws:asset:path'] ?? [],
  );
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(existsSync(join(folder, 'cdk.out', path, 'index.js')), path).toBe(true);
}, 60_000);

it('is not repeated for the same sources and settings', async () => {
  const first = await ensureSynthesized();
  const second = await ensureSynthesized();
  expect(second).toEqual({ assemblyFolder: first.assemblyFolder, reused: true });
  const other = await ensureSynthesized(productionSettings);
  expect(other.assemblyFolder).not.toBe(first.assemblyFolder);
}, 60_000);
