import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureSynthesized } from '../../infra/synth.ts';

it('needs no account, no credentials and no region, and has all of its code in it', async () => {
  const { assemblyFolder } = await ensureSynthesized();
  const read = (file: string) => JSON.parse(readFileSync(join(assemblyFolder, file), 'utf8'));
  const { environment } = read('manifest.json').artifacts['affiliate-program-local'];
  expect(environment).toBe('aws://unknown-account/unknown-region');
  const template = read('affiliate-program-local.template.json');
  const paths = Object.values<{ Metadata?: Record<string, string> }>(template.Resources).flatMap(
    ({ Metadata }) => Metadata?.['aws:asset:path'] ?? [],
  );
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(existsSync(join(assemblyFolder, path, 'index.js')), path).toBe(true);
});

it('is not repeated for the same sources and settings', async () => {
  const first = await ensureSynthesized();
  expect(await ensureSynthesized()).toEqual({ assemblyFolder: first.assemblyFolder, reused: true });
});
