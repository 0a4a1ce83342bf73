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
  /** The tests that reach sources through the local stack only. */
  stackTests: readonly TestFile[];
  /** The file through which vitest's worker says what it finds. */
  outcomes: string;
  log: (line: string) => void;
  keep: (mutant: Mutant, result: Result) => void;
  /** Called where a run that is interrupted later can go on. */
  save: () => void;
}

/** At most so many test files run with a mutant that is on from the start: each loads everything anew. */
const maxTestFiles = 8;

const noticedIn = (outcomes: readonly Outcome[]): Map<string, Result> =>
  new Map(
    outcomes.flatMap((outcome) =>
      'noticed' in outcome
        ? [[outcome.noticed, { outcome: 'noticed', by: outcome.by, how: outcome.how } satisfies Result] as const]
        : [],
    ),
  );

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\..*/, '');

/**
 * The tests of the folder come first: the one that has the name of the source, such as `sign-in.template.test.ts` for `sign-in.ts`,
 * and last those that have the name of another one. Of them and of all others those that load least, because they say most about
 * what they load.
 */
const inOrder = (tests: readonly TestFile[], folder: string, source?: string): string[] => {
  const distance = ({ file, loads }: TestFile): number => {
    if (!file.includes(`/${nameOf(folder)}`)) return 3;
    const namesakes = [...loads].filter((one) => folderOf(one) === folder && nameOf(one) === nameOf(file));
    if (namesakes.length === 0) return 1;
    return namesakes.some((one) => one === source) ? 0 : 2;
  };
  return tests
    .toSorted(
      (one, other) =>
        distance(one) - distance(other) || one.loads.size - other.loads.size || (one.file < other.file ? -1 : 1),
    )
    .map(({ file }) => file);
};

/** By mutant: noticed by a test file as a whole. */
const asResults = (failed: ReadonlyMap<string, string>): Map<string, Result> =>
  new Map([...failed].map(([id, file]) => [id, { outcome: 'noticed', by: `${file} > as a whole`, how: 'failed' }]));

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
  const { codes, mutants, testsOf, stackTests, outcomes, log, keep, save } = trial;
  const session = await startSession(codes, outcomes, log);
  let left = mutants;
  const keepNoticed = (noticed: ReadonlyMap<string, Result>, how: string): void => {
    log(`${area}: ${noticed.size} of ${left.length} noticed ${how}`);
    for (const mutant of left) {
      const result = noticed.get(mutant.id);
      if (result) keep(mutant, result);
    }
    left = left.filter(({ id }) => !noticed.has(id));
    save();
  };

  try {
    const related = new Set(mutants.map(({ file }) => file).flatMap((file) => [...testsOf(file)]));
    const alone = await session.tryMutants(mutants, inOrder([...related], area));
    keepNoticed(noticedIn(alone), 'by single tests');

    // For code that runs when it is loaded, and code in unit tests whose result an earlier test may have cached.
    const loaded = new Set(alone.flatMap((outcome) => ('loaded' in outcome ? outcome.loaded : [])));
    const reachedBy = reachedIn(alone);
    const filesOf = ({ id, file }: Mutant): string[] =>
      loaded.has(id)
        ? inOrder(testsOf(file), folderOf(file), file).slice(0, maxTestFiles)
        : [...(reachedBy.get(id) ?? [])].filter((name) => name.endsWith('.unit.test.ts')).slice(0, 1);
    for (let round = 0; round < maxTestFiles; round++) {
      const trials = left.flatMap((mutant) =>
        filesOf(mutant)
          .slice(round, round + 1)
          .map((file) => ({ id: mutant.id, file })),
      );
      if (trials.length > 0)
        keepNoticed(asResults(await session.tryFromTheStart(trials)), 'when all is loaded with them');
    }

    const throughStack = left.length > 0 ? await session.tryMutants(left, inOrder(stackTests, area)) : [];
    keepNoticed(noticedIn(throughStack), 'through the stack');
    const reached = new Set([...loaded, ...reachedBy.keys(), ...reachedIn(throughStack).keys()]);
    for (const mutant of left) keep(mutant, { outcome: reached.has(mutant.id) ? 'survived' : 'not reached' });
    save();
  } finally {
    await session.close();
  }
};
