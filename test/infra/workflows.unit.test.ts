import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const workflows = readdirSync(new URL('.github/workflows', root)).map((name) => `.github/workflows/${name}`);

/** What a job of a workflow says, by its name. */
const jobsOf = (workflow: string): ReadonlyMap<string, string> => {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m);
  const parts = jobs.split(/^ {2}([a-z0-9-]+):\n/m).slice(1);
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? '']] : [])));
};

const before = ['lint', 'types', 'layers', 'dead-code'];

it.each(workflows)('%s pins every action by the hash of its commit, and says which version that is', (path) => {
  const used = [...read(path).matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used.filter((one) => !one.startsWith('./')))
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it('no workflow puts an input into a command line by itself', () => {
  for (const path of workflows)
    for (const [, command = ''] of read(path).matchAll(/run: (.+)/g)) expect(command).not.toContain('${{');
});

describe('lint, types, layers and dead code', () => {
  it('run before the tests in .ci/run', () => {
    const commands = [...read('.ci/run').matchAll(/^npm (?:run )?(?:-s )?([\w:-]+)$/gm)].map(([, name]) => name);
    const firstTest = commands.indexOf('test');
    expect(firstTest).toBeGreaterThan(0);
    for (const name of before) {
      expect(commands).toContain(name);
      expect(commands.indexOf(name), name).toBeLessThan(firstTest);
    }
  });

  it('run before every job with tests in the workflow', () => {
    const jobs = jobsOf(read('.github/workflows/check.yml'));
    for (const name of before) expect(jobs.get('static')).toContain(`npm run ${name}\n`);
    const others = [...jobs].filter(([name]) => name !== 'static');
    expect(others.length).toBeGreaterThan(0);
    for (const [name, job] of others) expect(job, name).toContain('needs: static\n');
  });
});

it('the tests run on arm64, and where npm is started with Node 20', () => {
  const jobs = jobsOf(read('.github/workflows/check.yml'));
  expect(jobs.get('arm64')).toMatch(/runs-on: ubuntu-24\.04-arm\n[\s\S]*run: npm test\n/);
  expect(jobs.get('check')).toMatch(/node: 24 }[\s\S]*node: 20 }[\s\S]*run: npm test\n/);
});

it('a deployment waits for the checks, and asks the doctor afterwards', () => {
  const jobs = jobsOf(read('.github/workflows/deploy-example.yml'));
  expect(jobs.get('check')).toContain('uses: ./.github/workflows/check.yml\n');
  const deploy = jobs.get('deploy') ?? '';
  expect(deploy).toContain('needs: check\n');
  expect(deploy.indexOf('doctor')).toBeGreaterThan(deploy.indexOf('npm run deploy'));
});
