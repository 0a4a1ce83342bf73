import type { Mutant } from './instrument.ts';
import type { TestFile } from './related-tests.ts';
import type { Result } from './results.ts';
import { folderOf } from './scope.ts';
import { startSession } from './session.ts';
import type { Outcome } from './switching-runner.ts';

export interface MutantsOfArea {
  codes: ReadonlyMap<string, string>;
  mutants: readonly Mutant[];
  /** The tests that load a source file. */
  testsOf: (file: string) => readonly TestFile[];
  /** The file through which vitest's worker says what it finds. */
  outcomes: string;
  log: (line: string) => void;
  keep: (mutant: Mutant, result: Result) => void;
}

/** At most so many test files run with a mutant that is on from the start: each loads everything anew. */
const maxTestFiles = 6;

const noticedIn = (outcomes: readonly Outcome[]): Map<string, Result> =>
  new Map(
    outcomes.flatMap((outcome) =>
      'noticed' in outcome
        ? [[outcome.noticed, { outcome: 'noticed', by: outcome.by, how: outcome.how } satisfies Result] as const]
        : [],
    ),
  );

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.tsx?$/, '');

/**
 * The tests that have the name of the source come first, such as `sign-in.template.test.ts` for `sign-in.ts`, then those of
 * the room itself; then those that load least, because they say most about what they load.
 */
const inOrder = (tests: readonly TestFile[], room: string, source = room): TestFile[] => {
  const distance = ({ file }: TestFile): number => {
    if (file.includes(`/${lastPart(source)}.`)) return 0;
    return file.includes(`/${lastPart(room)}`) ? 1 : 2;
  };
  return tests.toSorted(
    (one, other) =>
      distance(one) - distance(other) || one.loads.size - other.loads.size || (one.file < other.file ? -1 : 1),
  );
};

/** The test files that each mutant reaches, in the order in which they ran. */
const reachedIn = (outcomes: readonly Outcome[]): Map<string, Set<string>> => {
  const reachedBy = new Map<string, Set<string>>();
  for (const outcome of outcomes)
    if ('reached' in outcome)
      for (const id of outcome.reached) reachedBy.set(id, (reachedBy.get(id) ?? new Set()).add(outcome.by));
  return reachedBy;
};

/** Tries the mutants of an area, each with the tests that reach it, and says what came of them. */
export const tryMutants = async (area: string, trial: MutantsOfArea): Promise<void> => {
  const { codes, mutants, testsOf, outcomes, log, keep } = trial;
  const related = new Set(mutants.map(({ file }) => file).flatMap((file) => [...testsOf(file)]));
  const ordered = inOrder([...related], area).map(({ file }) => file);
  const session = await startSession(codes, outcomes, log);
  try {
    const found = await session.tryMutants(
      mutants.map(({ id }) => id),
      ordered,
    );
    const noticed = noticedIn(found);
    log(`${area}: ${noticed.size} of ${mutants.length} noticed by single tests`);
    for (const mutant of mutants) {
      const result = noticed.get(mutant.id);
      if (result) keep(mutant, result);
    }

    // Code that runs when it is loaded, and what no single test noticed, perhaps because the code before it keeps what it computed.
    const loaded = new Set(found.flatMap((outcome) => ('loaded' in outcome ? outcome.loaded : [])));
    const reachedBy = reachedIn(found);
    const filesOf = ({ id, file }: Mutant): string[] =>
      loaded.has(id)
        ? inOrder(testsOf(file), folderOf(file), file)
            .slice(0, maxTestFiles)
            .map((test) => test.file)
        : [...(reachedBy.get(id) ?? [])].slice(0, 1);
    let left = mutants.filter(({ id }) => !noticed.has(id)).map((mutant) => ({ mutant, files: filesOf(mutant) }));
    for (let round = 0; round < maxTestFiles; round++) {
      const trials = left.flatMap(({ mutant: { id }, files }) =>
        files.slice(round, round + 1).map((file) => ({ id, file })),
      );
      if (trials.length === 0) break;
      const failed = await session.tryFromTheStart(trials);
      for (const { mutant } of left) {
        const file = failed.get(mutant.id);
        if (file) keep(mutant, { outcome: 'noticed', by: `${file} > as a whole`, how: 'failed' });
      }
      left = left.filter(({ mutant }) => !failed.has(mutant.id));
      log(`${area}: ${failed.size} of ${trials.length} noticed from the start`);
    }
    for (const { mutant, files } of left) keep(mutant, { outcome: files.length > 0 ? 'survived' : 'not reached' });
  } finally {
    await session.close();
  }
};
