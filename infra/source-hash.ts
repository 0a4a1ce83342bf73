import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the code of the functions is made from. */
export const functionSources = [
  'functions/**/*.ts',
  'shared/**/*',
  'events/**/*',
  'docs/*.md',
  'infra/bundle.ts',
  'infra/built-modules.ts',
  'infra/environment-credentials.ts',
  'infra/lazy-libraries.ts',
  'package-lock.json',
];

/**
 * Tells whether what is made from some files, and from a value beside them, has to be made again.
 *
 * @param patterns of paths below the project's folder; those in `exclude` do not count
 */
export const sourceHash = (
  patterns: readonly string[],
  beside: unknown = null,
  exclude: readonly string[] = [],
): string => {
  const hash = createHash('sha256').update(JSON.stringify(beside));
  const files = globSync([...patterns], { cwd: root, exclude: [...exclude] })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
};
