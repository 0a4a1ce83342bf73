import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

// `npm run test:planted [-- NAME...]`: plants each bug of test/mutants/planted in a copy of the last commit, alone, and runs the
// test that must notice it. Exit code 1 where one is not noticed, or can no longer be planted.

const root = fileURLToPath(new URL('../..', import.meta.url));
const filters = process.argv.slice(2);

const Header = z.object({ bug: z.string(), test: z.string(), name: z.string() });
const Results = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })) })),
});

/** The lines before the patch: `bug`, `test` (a file) and `name` (the full name of the test in it). */
const headerOf = (patch: string): z.output<typeof Header> => {
  const lines = readFileSync(patch, 'utf8').split('diff --git')[0]?.split('\n') ?? [];
  return Header.parse(Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2))));
};

const git = (cwd: string, ...given: string[]) => spawnSync('git', given, { cwd, encoding: 'utf8' });

const folder = join(mkdtempSync(join(tmpdir(), 'planted-')), 'copy');
const added = git(root, 'worktree', 'add', '--quiet', '--detach', folder, 'HEAD');
if (added.status !== 0) throw new Error(added.stderr);
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

/** The status of the test, or why there is none. */
const outcomeOf = ({ test, name }: z.output<typeof Header>): string => {
  const file = join(folder, '.build', 'planted.json');
  const options = ['run', test, '--reporter=json', `--outputFile=${file}`];
  rmSync(file, { force: true });
  const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...options], {
    cwd: folder,
    encoding: 'utf8',
  });
  try {
    const { testResults } = Results.parse(JSON.parse(readFileSync(file, 'utf8')));
    const found = testResults.flatMap(({ assertionResults }) => assertionResults);
    return found.find(({ fullName }) => fullName === name)?.status ?? 'not found';
  } catch {
    return `not run: ${run.stderr.slice(-300)}`;
  }
};

let isNoticed = true;
try {
  for (const patch of globSync(join(root, 'test/mutants/planted/*.patch')).toSorted()) {
    const planted = basename(patch, '.patch');
    if (filters.length > 0 && !filters.some((filter) => planted.includes(filter))) continue;
    const header = headerOf(patch);
    const before = outcomeOf(header);
    const applied = git(folder, 'apply', '--whitespace=nowarn', patch);
    const outcome = applied.status === 0 ? outcomeOf(header) : `cannot be planted any more: ${applied.stderr.trim()}`;
    git(folder, 'checkout', '--quiet', '--', '.');
    const isGood = before === 'passed' && outcome === 'failed';
    isNoticed &&= isGood;
    console.log(`${isGood ? 'noticed    ' : 'NOT NOTICED'} ${planted}${isGood ? '' : ` (${before}, then ${outcome})`}`);
  }
} finally {
  git(root, 'worktree', 'remove', '--force', folder);
}
process.exitCode = isNoticed ? 0 : 1;
