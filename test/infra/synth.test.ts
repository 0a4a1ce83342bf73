import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureSynthesized } from '../../infra/synth.ts';

interface Resource {
  Metadata?: Record<string, string>;
  Properties: { Handler: string };
}

it('needs no account, no credentials and no region, and has all of its code in it', async () => {
  const { assemblyFolder } = await ensureSynthesized();
  const read = (file: string) => JSON.parse(readFileSync(join(assemblyFolder, file), 'utf8'));
  const { environment } = read('manifest.json').artifacts['affiliate-program-local'];
  expect(environment).toBe('aws://unknown-account/unknown-region');
  const template = read('affiliate-program-local.template.json');
  const files = Object.values<Resource>(template.Resources).flatMap(({ Metadata, Properties }) =>
    Metadata?.['aws:asset:path']
      ? [join(Metadata['aws:asset:path'], Properties.Handler.replace(/\.handler$/, '.js'))]
      : [],
  );
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) expect(existsSync(join(assemblyFolder, file)), file).toBe(true);
});

it('is not repeated for the same sources and settings', async () => {
  const first = await ensureSynthesized();
  expect(await ensureSynthesized()).toEqual({ assemblyFolder: first.assemblyFolder, reused: true });
});
