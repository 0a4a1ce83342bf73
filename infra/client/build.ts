import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { builtModules } from '../built-modules.ts';
import { clientDeclarations } from './declarations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the package is made from. */
const manifest = (): Record<string, unknown> => {
  const { version, license, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: 'affiliate-program',
    version,
    description: 'Client and command line of the affiliate program API',
    license,
    type: 'module',
    main: './dist/index.cjs',
    types: './dist/index.d.cts',
    exports: {
      '.': {
        import: { types: './dist/index.d.ts', default: './dist/index.js' },
        require: { types: './dist/index.d.cts', default: './dist/index.cjs' },
      },
      './browser': {
        import: { types: './dist/browser.d.ts', default: './dist/browser.js' },
        require: { types: './dist/browser.d.cts', default: './dist/browser.cjs' },
      },
    },
    bin: { 'affiliate-program': './dist/cli.js' },
    files: ['dist', 'browser'],
    sideEffects: false,
    engines: { node: '>=20.3' },
    dependencies: { standardwebhooks: dependencies.standardwebhooks },
  };
};

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  plugins: [builtModules],
  logLevel: 'warning',
};

/** For `import`, and as CommonJS for `require`. */
const bundleClient = (dist: string, format: 'esm' | 'cjs') =>
  build({
    ...shared,
    format,
    ...(format === 'cjs' && { outExtension: { '.js': '.cjs' } }),
    entryPoints: { index: 'shared/client/index.ts', browser: 'shared/web/tracking/browser.client.ts' },
    outdir: dist,
    platform: 'neutral',
    target: 'es2022',
    external: ['standardwebhooks'],
  });

/** Makes the command line in one file, with everything that it imports. */
export const bundleCommandLine = (dist: string) =>
  build({
    ...shared,
    entryPoints: { cli: 'shared/client/cli/main.ts' },
    outdir: dist,
    minify: true,
    legalComments: 'none',
    platform: 'node',
    target: 'node20',
    // What is CommonJS in it calls require.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });

/** Makes the package `affiliate-program` in a folder, ready for `npm pack`. */
export const buildClient = async (folder: string): Promise<void> => {
  const dist = join(folder, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await Promise.all([bundleClient(dist, 'esm'), bundleClient(dist, 'cjs'), bundleCommandLine(dist)]);
  for (const [name, text] of Object.entries(clientDeclarations())) {
    writeFileSync(join(dist, name), text);
    writeFileSync(
      join(dist, name.replace(/\.d\.ts$/, '.d.cts')),
      text.replaceAll(/(from ['"]\.\/[\w-]+)\.js(['"])/g, '$1.cjs$2'),
    );
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  // For what does not read `exports` yet.
  const browser = { main: '../dist/browser.cjs', types: '../dist/browser.d.cts' };
  mkdirSync(join(folder, 'browser'));
  writeFileSync(join(folder, 'browser/package.json'), `${JSON.stringify(browser, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'shared/client/README.md'), join(folder, 'README.md'));
};
