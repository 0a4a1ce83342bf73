import type { RowOutcome } from '../../contract/imports.ts';
import type { StoredProgram } from '../programs/repository.ts';
import type { RowProblem } from './rows/read-rows.ts';

export interface ImportRow<Body = unknown> {
  row: number;
  body: Body;
  createdAt: Date;
  /** The fields of `body` that the file gives; others are defaults, and change no record that exists. */
  given: ReadonlySet<string>;
}

export interface RowResult {
  row: number;
  outcome: RowOutcome;
  problems: readonly RowProblem[];
}

export interface ImportContext {
  program: Pick<StoredProgram, 'id' | 'currency' | 'commissionRate' | 'timeZone'>;
  importId: string;
  makesEvents: boolean;
  isDryRun: boolean;
  now: Date;
}

export const succeeded = (row: number, outcome: Exclude<RowOutcome, 'refused'>): RowResult => ({
  row,
  outcome,
  problems: [],
});
