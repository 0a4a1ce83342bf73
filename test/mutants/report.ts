import type { Accepted } from './accepted.ts';
import type { Mutant } from './instrument.ts';
import type { Result } from './results.ts';
import { areaOf, byFolder, floorOfArea, floors, type Kind, kindOf } from './scope.ts';

export interface Tried extends Mutant {
  /** Undefined where the run ended before. */
  result: Result | undefined;
}

interface Score {
  mutants: number;
  noticed: number;
  survived: number;
  notReached: number;
  accepted: number;
  /** Of those that are not accepted, in percent. */
  score: number;
}

/** What belongs together, and how much of it must be noticed, in percent. */
interface Division {
  groupOf: (file: string) => string;
  floorOf: (group: string) => number;
}

export const divisionOfAll: Division = { groupOf: kindOf, floorOf: (kind) => floors[kind as Kind] };
export const divisionOfSample: Division = { groupOf: areaOf, floorOf: floorOfArea };

export interface Report {
  kinds: Record<string, Score>;
  folders: Record<string, Score>;
  /** Neither noticed nor accepted. */
  survivors: { at: string; mutant: string; outcome: string }[];
  /** What must be mended: kinds below their floor and accepted mutants that are none. */
  problems: string[];
}

const scoreOf = (tried: readonly Tried[], isAccepted: (one: Tried) => boolean): Score => {
  const count = (outcome: Result['outcome']): number =>
    tried.filter((one) => one.result?.outcome === outcome && !isAccepted(one)).length;
  const acceptedCount = tried.filter(isAccepted).length;
  const noticed = count('noticed');
  const toNotice = tried.filter(({ result }) => result).length - acceptedCount;
  return {
    mutants: tried.length,
    noticed,
    survived: count('survived'),
    notReached: count('not reached'),
    accepted: acceptedCount,
    score: toNotice === 0 ? 100 : Math.floor((1000 * noticed) / toNotice) / 10,
  };
};

/** Why an accepted mutant must leave the list, of those whose files were tried. */
const staleEntries = (tried: readonly Tried[], accepted: readonly Accepted[]): string[] => {
  const files = new Set(tried.map(({ file }) => file));
  const byKey = new Map(tried.map((one) => [one.key, one]));
  return accepted
    .filter(({ mutant }) => files.has(mutant.split(' | ')[0] ?? ''))
    .flatMap(({ mutant }) => {
      const one = byKey.get(mutant);
      if (!one) return [`Accepted, but there is no such mutant: ${mutant}`];
      return one.result?.outcome === 'noticed' ? [`Accepted, but ${one.result.by} notices it: ${mutant}`] : [];
    });
};

/** What a run found, with what is wrong about it. */
export const reportOf = (
  tried: readonly Tried[],
  accepted: readonly Accepted[],
  { groupOf, floorOf }: Division = divisionOfAll,
): Report => {
  const acceptedKeys = new Set(accepted.map(({ mutant }) => mutant));
  const isAccepted = (one: Tried): boolean => acceptedKeys.has(one.key);
  const kinds = Object.fromEntries(
    Object.entries(Object.groupBy(tried, ({ file }) => groupOf(file))).map(([group, ones = []]) => [
      group,
      scoreOf(ones, isAccepted),
    ]),
  );
  const below = Object.entries(kinds)
    .filter(([kind, { score }]) => score < floorOf(kind))
    .map(([kind, { score }]) => `Of the mutants of ${kind} ${score} % are noticed, and ${floorOf(kind)} % must be`);
  return {
    kinds,
    folders: Object.fromEntries(byFolder(tried).map(([folder, ones]) => [folder, scoreOf(ones, isAccepted)])),
    survivors: tried
      .filter((one) => one.result && one.result.outcome !== 'noticed' && !isAccepted(one))
      .map(({ file, line, key, result }) => ({ at: `${file}:${line}`, mutant: key, outcome: result?.outcome ?? '' })),
    problems: [...staleEntries(tried, accepted), ...below],
  };
};

const columns = ['mutants', 'noticed', 'survived', 'notReached', 'accepted', 'score'] as const;
const lineOf = (name: string, score: Score): string =>
  name.padEnd(36) + columns.map((column) => String(score[column]).padStart(12)).join('');

/** The report as a person reads it: a line for each folder, then each survivor. */
export const textOf = ({ kinds, folders, survivors, problems }: Report): string =>
  [
    ' '.repeat(36) + columns.map((column) => column.padStart(12)).join(''),
    ...Object.entries(folders).map(([folder, score]) => lineOf(folder, score)),
    ...Object.entries(kinds).map(([kind, score]) => lineOf(kind, score)),
    '',
    ...survivors.map(({ at, mutant, outcome }) => `${at}: ${outcome}: ${mutant.slice(mutant.indexOf(' | ') + 3)}`),
    '',
    ...problems,
  ].join('\n');
