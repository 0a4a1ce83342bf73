import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The blocks of TypeScript of a page, as one program. */
export const programOf = async (page: string): Promise<string> => {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block).join('\n');
};

/** Makes the package and installs it in an empty project, whose folder is returned. Nothing is downloaded. */
export const installPackage = async (): Promise<string> => {
  await run('npm', ['run', '-s', 'client:pack'], { cwd: root });
  const folder = await mkdtemp(join(tmpdir(), 'affiliate-program-client-'));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const tarball = join(root, `.build/client/affiliate-program-${version}.tgz`);
  const installed = (name: string) => `file:${join(root, 'node_modules', name)}`;
  const manifest = {
    name: 'integrator',
    private: true,
    type: 'module',
    dependencies: { 'affiliate-program': `file:${tarball}`, standardwebhooks: installed('standardwebhooks') },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  await mkdir(join(folder, 'source'));
  return folder;
};

const libraries = new Map<string, ts.SourceFile | undefined>();

/** A host that reads TypeScript's own libraries once for all compilations. */
const hostOf = (options: ts.CompilerOptions): ts.CompilerHost => {
  const host = ts.createCompilerHost(options);
  const getSourceFile: ts.CompilerHost['getSourceFile'] = (name, ...rest) => {
    if (!/\/typescript\/lib\/lib\./.test(name)) return host.getSourceFile(name, ...rest);
    if (!libraries.has(name)) libraries.set(name, host.getSourceFile(name, ...rest));
    return libraries.get(name);
  };
  return { ...host, getSourceFile };
};

/** Compiles everything in `source` into `compiled`, strictly and with every declaration checked; returns what is wrong. */
export const compile = (folder: string, resolution: 'bundler' | 'nodenext'): string[] => {
  const isNode = resolution === 'nodenext';
  const options: ts.CompilerOptions = {
    module: isNode ? ts.ModuleKind.NodeNext : ts.ModuleKind.ESNext,
    moduleResolution: isNode ? ts.ModuleResolutionKind.NodeNext : ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    rootDir: join(folder, 'source'),
    outDir: join(folder, 'compiled'),
  };
  const files = globSync(`${folder}/source/*.ts`);
  const program = ts.createProgram(files, options, hostOf(options));
  program.emit();
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
};
