import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How the lack of a need was noticed. A refused call fails a test run, even if every test passes (closing-line.ts). */
export type Noticed = 'a test failed' | 'a call was refused';

type Outcomes = Record<string, Noticed>;

/** The needs that were noticed so far, kept in a file for as long as the sources have the same hash. */
export const openResults = ({ file, hash, isFresh }: { file: string; hash: string; isFresh: boolean }) => {
  const kept: { hash: string; outcomes: Outcomes } | undefined =
    !isFresh && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const outcomes: Outcomes = kept?.hash === hash ? kept.outcomes : {};
  return {
    /** How the lack of a need was noticed, by the need's name. */
    of: (name: string): Noticed | undefined => outcomes[name],
    keep: (name: string, how: Noticed): void => {
      outcomes[name] = how;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ hash, outcomes }, null, 1));
    },
  };
};
