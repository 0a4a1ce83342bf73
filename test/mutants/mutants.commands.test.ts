import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from './report.ts';

// `npm run test:mutants` on a file whose mutants are known.

let folder: string;
let run: { status: number; printed: string; report: Report };

const runOnSample = async (): Promise<typeof run> => {
  const command = ['test/mutants/mutants.ts', '--scope', 'test/mutants/sample/parcel.ts', '--folder', folder];
  const { code, stdout } = await promisify(execFile)(process.execPath, command).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const report: Report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
  return { status: code, printed: stdout, report };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'affiliate-program-mutants-'));
  run = await runOnSample();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a run of the mutants', () => {
  it('reports what no test notices, and what no test reaches, by line and change', () => {
    expect(run.report.survivors).toEqual([
      {
        at: 'test/mutants/sample/parcel.ts:9',
        mutant: 'test/mutants/sample/parcel.ts | totalCents >= 5000 -> totalCents > 5000',
        outcome: 'survived',
      },
      {
        at: 'test/mutants/sample/parcel.ts:18',
        mutant: 'test/mutants/sample/parcel.ts | { return weight * 2; } -> {}',
        outcome: 'not reached',
      },
      {
        at: 'test/mutants/sample/parcel.ts:18',
        mutant: 'test/mutants/sample/parcel.ts | weight * 2 -> weight / 2',
        outcome: 'not reached',
      },
    ]);
  });

  it('counts as noticed a mutant in code that runs when it is loaded, and one that never ends', () => {
    const { others } = run.report.kinds;
    expect(others).toMatchObject({ survived: 1, notReached: 2 });
    expect(others?.noticed).toBe((others?.mutants ?? 0) - 3);
  });

  it('fails below the floor', () => {
    expect(run.status).toBe(1);
    expect(run.report.problems).toEqual([expect.stringContaining('must be')]);
  });

  it('tries nothing again that it knows', async () => {
    const again = await runOnSample();
    expect(again.printed).toContain(' 0 to try');
    expect(again.report).toEqual(run.report);
  });
});
