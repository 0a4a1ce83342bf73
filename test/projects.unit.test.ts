import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { longest } from './support/longest-first.ts';

/** The tests that run all in their own process must stay so: what they import may start no process, no thread and no stack. */

const root = fileURLToPath(new URL('..', import.meta.url));
const starters = ['node:child_process', 'node:worker_threads', 'playwright-core', 'vitest/node'];
const stackFiles = /^test\/support\/(running|database)-|^infra\/(start|local\/stack)/;

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const importsByFile = new Map<string, string[]>();

const sourceFiles = new Set(globSync('{shared,functions,events,infra,test}/**/*.{ts,tsx}', { cwd: root }));

/** What a file imports when it runs: types are not loaded. */
const importsOf = (file: string): string[] => {
  const known = importsByFile.get(file);
  if (known) return known;
  const loaded = textOf(file).replaceAll(/^(import|export) type [\s\S]*?;$/gm, '');
  const imports = ts.preProcessFile(loaded).importedFiles.map(({ fileName }) => fileName);
  importsByFile.set(file, imports);
  return imports;
};

/** The files of ours that tests import themselves or through others, and packages, each with a file that imports it. */
const importedBy = (testFiles: readonly string[]): Map<string, string> => {
  const imported = new Map(testFiles.map((file) => [file, file]));
  for (const [file] of imported) {
    if (!sourceFiles.has(file)) continue;
    for (const name of importsOf(file)) {
      const target = name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name;
      if (!imported.has(target)) imported.set(target, file);
    }
  }
  return imported;
};

const askForTheStack = new Set(
  [...sourceFiles].filter((file) => file.startsWith('test/') && /\binject\b.*from 'vitest'/.test(textOf(file))),
);

/** Why tests cannot run without a stack, or with other tests in seconds: each import that starts something. */
const startedBy = (...testFiles: string[]): string[] =>
  [...importedBy(testFiles)]
    .filter(([target]) => starters.includes(target) || stackFiles.test(target) || askForTheStack.has(target))
    .map(([target, file]) => `${file} imports ${target}`);

const testsInProcess = globSync('test/**/*.{unit,template}.test.ts', { cwd: root });

it('no unit or template test imports what starts a stack, a process or a thread, or asks for a running stack', () => {
  expect(testsInProcess.length).toBeGreaterThan(30);
  expect(startedBy(...testsInProcess)).toEqual([]);
});

it('a test of the stack does', () => {
  expect(startedBy('test/api/sales.test.ts')).toContain('test/api/sales.test.ts imports test/support/program.ts');
  expect(startedBy('test/local/proxy.test.ts').join()).toContain('imports node:child_process');
});

it('no test of npm test imports a tool, which npm ci does not install', () => {
  const { devDependencies } = JSON.parse(textOf('package.json'));
  const tests = globSync('test/**/*.test.ts', { cwd: root }).filter(
    (file) => !/\.(browser|commands)\.test\.ts$/.test(file),
  );
  const imported = [...importedBy(tests)].map(
    ([target, by]) => `${target.split('/', target.startsWith('@') ? 2 : 1).join('/')} in ${by}`,
  );
  const tools = Object.keys(devDependencies).map((name) => `${name} in`);
  expect(imported.filter((line) => tools.some((tool) => line.startsWith(tool)))).toEqual([]);
});

it('every test file that is to begin early is there', () => {
  const files = globSync('test/**/*.test.ts', { cwd: root });
  expect(longest.filter((name) => !files.some((file) => file.endsWith(`/${name}.test.ts`)))).toEqual([]);
});
