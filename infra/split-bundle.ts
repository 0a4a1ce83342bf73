import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type FunctionCode, functionBuild, functionNames } from './bundle.ts';
import { functionSources, sourceHash } from './source-hash.ts';

const splitFolder = fileURLToPath(new URL('../.build/split', import.meta.url));
const buildsToKeep = 10;

/** A static import of `node:http` in ESM loads undici, in every thread; what it exports besides is there without. */
const httpWithoutUndici: Plugin = {
  name: 'http-without-undici',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'http', namespace: 'built-in' }));
    onLoad({ filter: /.*/, namespace: 'built-in' }, () => {
      const names = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) =>
        get ? [] : [name],
      );
      return {
        contents: `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`,
      };
    });
  },
};

const removeOldBuilds = (): void => {
  const changedAt = (name: string): number => statSync(join(splitFolder, name)).mtimeMs;
  const byAge = readdirSync(splitFolder).sort((one, other) => changedAt(other) - changedAt(one));
  for (const name of byAge.slice(buildsToKeep)) rmSync(join(splitFolder, name), { recursive: true, force: true });
};

/**
 * Bundles every file of `functions/` for the local stack, unless that was done for these sources before: what functions share is
 * in files of its own and nothing is minified, which takes a fifth of the time of `bundleFunctions`. All are in one folder.
 */
export const bundleSplit = async (): Promise<(name: string) => FunctionCode> => {
  const folder = join(splitFolder, sourceHash([...functionSources, 'infra/split-bundle.ts']));
  const codeOf = (name: string): FunctionCode => ({ folder, handler: `${name}/index.handler` });
  if (existsSync(folder)) return codeOf;

  mkdirSync(splitFolder, { recursive: true });
  const unfinished = mkdtempSync(`${splitFolder}-`);
  const { plugins, supported: _ofCommonJs, ...options } = functionBuild(functionNames());
  await build({
    ...options,
    outdir: unfinished,
    write: true,
    minify: false,
    splitting: true,
    format: 'esm',
    // Packages in CommonJS require modules of Node.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [httpWithoutUndici, ...plugins.filter(({ name }) => name !== 'lazy-libraries')],
  });
  writeFileSync(join(unfinished, 'package.json'), '{"type":"module"}\n');
  // Renaming last: a folder with the final name is always complete. Another process may have been faster.
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
  removeOldBuilds();
  return codeOf;
};
