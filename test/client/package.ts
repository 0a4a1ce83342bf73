import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The blocks of TypeScript of a page, as one program. */
export const programOf = async (page: string): Promise<string> => {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block).join('\n');
};

export const tarball = async (): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return join(root, `.build/client/affiliate-program-${version}.tgz`);
};

/** Makes the package and installs it in an empty project, whose folder is returned. Nothing is downloaded. */
export const installPackage = async (): Promise<string> => {
  await run('npm', ['run', '-s', 'client:pack'], { cwd: root });
  const folder = await mkdtemp(join(tmpdir(), 'affiliate-program-client-'));
  const installed = (name: string) => `file:${join(root, 'node_modules', name)}`;
  const manifest = {
    name: 'integrator',
    private: true,
    type: 'module',
    dependencies: { 'affiliate-program': `file:${await tarball()}`, standardwebhooks: installed('standardwebhooks') },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  await mkdir(join(folder, 'source'));
  return folder;
};

/** Compiles everything in `source` into `compiled`, strictly and with every declaration checked; returns what is wrong. */
export const compile = async (folder: string, resolution: 'bundler' | 'nodenext'): Promise<string[]> => {
  const options = {
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    rootDir: 'source',
    outDir: 'compiled',
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['source'] }));
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '--pretty', 'false'], { cwd: folder }).catch(
    (error: { stdout: string }) => {
      if (error.stdout.includes('error TS')) return error;
      throw error;
    },
  );
  return stdout.split('\n').filter((line) => line.includes('error TS'));
};
