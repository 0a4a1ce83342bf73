import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const sourceFolder = join(root, 'functions');
const mapFolder = join(root, '.build', 'maps');
const environmentCredentials = fileURLToPath(new URL('environment-credentials.ts', import.meta.url));

/** Where the bundle of each function lies: `<bundleFolder>/<name>/index.js`, the asset of its Lambda. */
export const bundleFolder = join(root, '.build', 'functions');

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

/** Bundles every file of `functions/` into `bundleFolder`. Source maps go to `.build/maps`, outside of the assets. */
export const bundleFunctions = async (): Promise<FunctionBundle[]> => {
  const names = functionNames();
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [`${name}/index`, join(sourceFolder, `${name}.ts`)])),
    outdir: bundleFolder,
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    // A static import of `node:http` loads undici in ESM but not in CommonJS: 25 ms of every cold start.
    format: 'cjs',
    mainFields: ['module', 'main'],
    sourcemap: 'external',
    legalComments: 'none',
    loader: { '.css': 'text' },
    alias: { '@aws-sdk/credential-provider-node': environmentCredentials },
    logLevel: 'warning',
  });

  const folders = existsSync(bundleFolder) ? readdirSync(bundleFolder) : [];
  for (const stale of folders.filter((name) => !names.includes(name))) {
    rmSync(join(bundleFolder, stale), { recursive: true });
  }
  for (const { path, contents } of outputFiles) {
    const target = path.endsWith('.map') ? path.replace(bundleFolder, mapFolder) : path;
    writeIfChanged(target, contents);
  }
  return names.map((name) => {
    const folder = join(bundleFolder, name);
    // This project's own package.json would have Node read the bundle as ESM when it runs from a folder below it.
    writeIfChanged(join(folder, 'package.json'), Buffer.from('{"type":"commonjs"}\n'));
    return { name, folder, sizeBytes: readFileSync(join(folder, 'index.js')).byteLength };
  });
};

if (import.meta.main) {
  for (const { name, sizeBytes } of await bundleFunctions()) {
    console.log(`${name}: ${Math.ceil(sizeBytes / 1024)} KB`);
  }
}
