import type { Mutant } from './instrument.ts';
import type { TestFile } from './related-tests.ts';
import type { Result } from './results.ts';
import { type Session, startSession } from './session.ts';
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

/** At most so many test files run with a mutant that is on from the start: each loads everything anew. */
const maxTestFiles = 4;

/**
 * What comes of a mutant that is on from the start: one in code that runs when it is loaded, or one that no single test
 * noticed, perhaps because the code before it keeps what it computed.
 */
const fromTheStart = async (session: Session, { id }: Mutant, files: readonly string[]): Promise<Result> => {
  for (const file of files)
    if (await session.failsFromTheStart(id, file))
      return { outcome: 'noticed', by: `${file} > as a whole`, how: 'failed' };
  return { outcome: files.length > 0 ? 'survived' : 'not reached' };
};

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

/** Tries the mutants of a room, each with the tests that reach it, and returns the results. */
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
    const reachedBy = new Map<string, Set<string>>();
    for (const outcome of found)
      if ('reached' in outcome)
        for (const id of outcome.reached) reachedBy.set(id, (reachedBy.get(id) ?? new Set()).add(outcome.by));
    const loaded = new Set(found.flatMap((outcome) => ('loaded' in outcome ? outcome.loaded : [])));
    log(`${room}: ${noticed.size} of ${mutants.length} noticed by single tests`);
    for (const mutant of mutants) {
      const reaching = [...(reachedBy.get(mutant.id) ?? [])];
      const files = loaded.has(mutant.id)
        ? inOrder(testsOf(mutant.file), room).map(({ file }) => file)
        : reaching.slice(0, 1);
      keep(mutant, noticed.get(mutant.id) ?? (await fromTheStart(session, mutant, files.slice(0, maxTestFiles))));
    }
  } finally {
    await session.close();
  }
};
