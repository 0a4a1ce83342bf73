import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { builtModules } from './built-modules.ts';
import { buildLazyLibraries, lazyFilesOf, lazyLibraries } from './lazy-libraries.ts';
import { functionSources, sourceHash } from './source-hash.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sourceFolder = join(root, 'functions');
const mapFolder = join(root, '.build', 'maps');
const hashFile = join(root, '.build', 'functions.hash');
const environmentCredentials = fileURLToPath(new URL('environment-credentials.ts', import.meta.url));

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
};

/** Where the bundle of each function lies: `<bundleFolder>/<name>/index.js`, the asset of its Lambda. */
export const bundleFolder = join(root, '.build', 'functions');

/** The folder with a function's code, and where its handler is: the file below the folder, and the export. */
export interface FunctionCode {
  readonly folder: string;
  readonly handler: string;
}

export const deployedCode = (name: string): FunctionCode => ({
  folder: join(bundleFolder, name),
  handler: 'index.handler',
});

export interface FunctionBundle {
  readonly name: string;
  readonly folder: string;
  readonly sizeBytes: number;
}

/** The names of the functions: the files of `functions/`, without their ending. */
export const functionNames = (): string[] =>
  readdirSync(sourceFolder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => basename(file, '.ts'))
    .sort();

/** Leaves an equal file alone, so that two processes that build the same sources do not disturb each other. */
const writeIfChanged = (path: string, content: Uint8Array): void => {
  if (existsSync(path) && readFileSync(path).equals(content)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

/** How the functions with these names are bundled, in memory. */
export const functionBuild = (names: readonly string[]) =>
  ({
    ...shared,
    entryPoints: Object.fromEntries(names.map((name) => [`${name}/index`, join(sourceFolder, `${name}.ts`)])),
    outdir: bundleFolder,
    write: false,
    metafile: true,
    // A static import of `node:http` loads undici in ESM but not in CommonJS: 25 ms of every cold start.
    format: 'cjs',
    // A dynamic import of `node:http` would load undici as well.
    supported: { 'dynamic-import': false },
    loader: { '.css': 'text' },
    alias: { '@aws-sdk/credential-provider-node': environmentCredentials },
    plugins: [builtModules, lazyLibraries],
  }) satisfies BuildOptions;

const bundleAt = (name: string): FunctionBundle => {
  const folder = join(bundleFolder, name);
  return { name, folder, sizeBytes: statSync(join(folder, 'index.js')).size };
};

/**
 * Bundles every file of `functions/` into `bundleFolder`, unless that was done for these sources before.
 *
 * @param withMaps always, and with source maps in `.build/maps`, outside of the assets: what a stack trace is read by
 */
export const bundleFunctions = async ({ withMaps = false } = {}): Promise<FunctionBundle[]> => {
  const names = functionNames();
  const hash = sourceHash(functionSources);
  const isThere = existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash;
  if (isThere && !withMaps) return names.map(bundleAt);

  const { outputFiles, metafile } = await build({ ...functionBuild(names), sourcemap: withMaps && 'external' });
  const libraries = await buildLazyLibraries(shared);

  rmSync(hashFile, { force: true });
  const folders = existsSync(bundleFolder) ? readdirSync(bundleFolder) : [];
  for (const stale of folders.filter((name) => !names.includes(name))) {
    rmSync(join(bundleFolder, stale), { recursive: true });
  }
  for (const { path, contents } of outputFiles) {
    const target = path.endsWith('.map') ? path.replace(bundleFolder, mapFolder) : path;
    writeIfChanged(target, contents);
  }
  for (const [path, output] of Object.entries(metafile.outputs)) {
    if (!path.endsWith('.js')) continue;
    const folder = join(root, dirname(path));
    const lazyFiles = lazyFilesOf(output);
    for (const [file, content] of libraries) if (lazyFiles.includes(file)) writeIfChanged(join(folder, file), content);
    const expected = ['index.js', 'package.json', ...lazyFiles];
    for (const file of readdirSync(folder)) if (!expected.includes(file)) rmSync(join(folder, file), { force: true });
  }
  for (const name of names) {
    // This project's own package.json would have Node read the bundle as ESM when it runs from a folder below it.
    writeIfChanged(join(bundleFolder, name, 'package.json'), Buffer.from('{"type":"commonjs"}\n'));
  }
  // Last: with it, all of them are there.
  writeFileSync(hashFile, hash);
  return names.map(bundleAt);
};

if (import.meta.main) {
  for (const { name, sizeBytes } of await bundleFunctions({ withMaps: true })) {
    console.log(`${name}: ${Math.ceil(sizeBytes / 1024)} KB`);
  }
}
