import type { Mutant } from './instrument.ts';
import type { TestFile } from './related-tests.ts';
import type { Result } from './results.ts';
import { startSession } from './session.ts';
import type { Outcome } from './switching-runner.ts';

export interface Trial {
  codes: ReadonlyMap<string, string>;
  mutants: readonly Mutant[];
  /** The tests that load a source file. */
  testsOf: (file: string) => readonly TestFile[];
  /** The file through which vitest's worker says what it finds. */
  outcomes: string;
  log: (line: string) => void;
  keep: (mutant: Mutant, result: Result) => void;
}

/** At most so many test files run for a mutant in code that runs when it is loaded: each loads everything anew. */
const maxTestFiles = 4;

const noticedIn = (outcomes: readonly Outcome[]): Map<string, Result> =>
  new Map(
    outcomes.flatMap((outcome) =>
      'noticed' in outcome
        ? [[outcome.noticed, { outcome: 'noticed', by: outcome.by, how: outcome.how } satisfies Result] as const]
        : [],
    ),
  );

/** The tests of the room itself come first; then those that load least, because they say most about what they load. */
const inOrder = (tests: readonly TestFile[], room: string): TestFile[] => {
  const name = room.slice(room.lastIndexOf('/') + 1);
  const distance = ({ file }: TestFile): number => (file.includes(`/${name}`) ? 0 : 1);
  return tests.toSorted(
    (one, other) =>
      distance(one) - distance(other) || one.loads.size - other.loads.size || (one.file < other.file ? -1 : 1),
  );
};

/** Tries the mutants of a room, each with the tests that reach it, and hands over what came of it. */
export const tryMutants = async (
  room: string,
  { codes, mutants, testsOf, outcomes, log, keep }: Trial,
): Promise<void> => {
  const related = new Set(mutants.map(({ file }) => file).flatMap((file) => [...testsOf(file)]));
  const ordered = inOrder([...related], room).map(({ file }) => file);
  const session = await startSession(codes, outcomes);
  try {
    const found = await session.tryMutants(
      mutants.map(({ id }) => id),
      ordered,
    );
    for (const outcome of found) if ('unusable' in outcome) log(`Not used: ${outcome.unusable}: ${outcome.error}`);
    const noticed = noticedIn(found);
    const reached = new Set(found.flatMap((outcome) => ('reached' in outcome ? outcome.reached : [])));
    const loaded = new Set(found.flatMap((outcome) => ('loaded' in outcome ? outcome.loaded : [])));
    for (const mutant of mutants) {
      const result = noticed.get(mutant.id);
      if (result) keep(mutant, result);
      else if (!loaded.has(mutant.id)) keep(mutant, { outcome: reached.has(mutant.id) ? 'survived' : 'not reached' });
    }
    const whenLoaded = mutants.filter(({ id }) => loaded.has(id) && !noticed.has(id));
    log(
      `${room}: ${noticed.size} of ${mutants.length} noticed, ${whenLoaded.length} in code that runs when it is loaded`,
    );
    for (const mutant of whenLoaded) {
      let result: Result = { outcome: 'survived' };
      for (const { file } of inOrder(testsOf(mutant.file), room).slice(0, maxTestFiles)) {
        if (!(await session.failsFromTheStart(mutant.id, file))) continue;
        result = { outcome: 'noticed', by: `${file} > as a whole`, how: 'failed' };
        break;
      }
      keep(mutant, result);
    }
  } finally {
    await session.close();
  }
};
