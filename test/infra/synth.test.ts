import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAssembly } from '../../infra/local/template/assembly.ts';
import { ensureSynthesized } from '../../infra/synth.ts';

it('needs no account, no credentials and no region, and has all of its code in it', async () => {
  const { assemblyFolder } = await ensureSynthesized();
  const { artifacts } = JSON.parse(readFileSync(join(assemblyFolder, 'manifest.json'), 'utf8'));
  const { stackNames, template, codeFolder } = readAssembly(assemblyFolder);
  expect(stackNames).toHaveLength(2);
  for (const name of stackNames) expect(artifacts[name].environment).toBe('aws://unknown-account/unknown-region');
  const files = Object.entries(template.Resources).flatMap(([logicalId, { Type, Properties }]) =>
    Type === 'AWS::Lambda::Function'
      ? [join(codeFolder(logicalId), String(Properties?.Handler).replace(/\.handler$/, '.js'))]
      : [],
  );
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) expect(existsSync(file), file).toBe(true);
});

it('is not repeated for the same sources and settings', async () => {
  const first = await ensureSynthesized();
  expect(await ensureSynthesized()).toEqual({ assemblyFolder: first.assemblyFolder, reused: true });
});
