import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import * as z from 'zod';

// The local AWS could be taken to another project: it knows templates and bundles, and nothing of this product.

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'infra', 'local');
const files = globSync('**/*', { cwd: folder, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const code = files.filter((file) => /\.(ts|mjs)$/.test(file));

const manifest = z
  .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
/** `@types/aws-lambda` is what an import of types from `aws-lambda` reads. */
const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap((name) => [
  name,
  name.replace(/^@types\//, ''),
]);

/** What a file names in imports, in `import(…)`, and in the addresses of its workers. */
const specifiersOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom |\bimport\(?|new URL\()\s*['"]([^'"]+)['"]/g)].map(([, specifier = '']) => specifier);

const isAllowed = (file: string, specifier: string): boolean => {
  if (specifier.startsWith('node:')) return true;
  if (specifier.startsWith('.')) return !relative(folder, join(dirname(file), specifier)).startsWith('..');
  return packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
};

it('imports nothing from outside of infra/local but packages', () => {
  const imports = code.flatMap((file) =>
    specifiersOf(readFileSync(file, 'utf8')).map((specifier) => ({ file, specifier })),
  );
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ file, specifier }) => !isAllowed(file, specifier))).toEqual([]);
});

it('would notice an import from outside, however it is written', () => {
  const inside = join(folder, 'gateway', 'gateway.ts');
  const text = `import type { A } from '../../../shared/contract/bounds.ts';
    export { b } from '../../synth.ts';
    const c = await import('../../bundle.ts');
    new Worker(new URL('../../start/demo-program-worker.ts', import.meta.url));
    import 'left-pad';`;
  expect(specifiersOf(text).map((specifier) => isAllowed(inside, specifier))).toEqual(Array(5).fill(false));
});

it.each(['affiliate', 'coupon', 'sale', 'payout', 'referral'])(
  'does not name what this product is about: %s',
  (word) => {
    expect(files.length).toBeGreaterThan(50);
    const naming = files.filter((file) =>
      `${relative(folder, file)}\n${readFileSync(file, 'utf8')}`.toLowerCase().includes(word),
    );
    expect(naming).toEqual([]);
  },
);
