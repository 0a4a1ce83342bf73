import { createHash } from 'node:crypto';
import type { Mutant } from './instrument.ts';
import { byArea } from './scope.ts';

const placeOf = (seed: string, { key }: Mutant): string => createHash('sha256').update(`${seed} ${key}`).digest('hex');

/**
 * Draws mutants of all areas, in proportion. The same seed draws the same ones as long as their code stays, whatever else
 * changes, so that results of an earlier run stay of use.
 *
 * @param count how many, but for what the proportions round
 */
export const drawSample = (mutants: readonly Mutant[], count: number, seed: string): Mutant[] => {
  const share = Math.min(1, count / mutants.length);
  return byArea(mutants).flatMap(([, ofArea]) =>
    ofArea
      .map((mutant): [string, Mutant] => [placeOf(seed, mutant), mutant])
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, Math.round(share * ofArea.length))
      .map(([, mutant]) => mutant),
  );
};
