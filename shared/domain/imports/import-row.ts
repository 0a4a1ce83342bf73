import type { RowOutcome } from '../../contract/imports.ts';
import type { StoredProgram } from '../programs/repository.ts';
import type { RowProblem } from './rows/read-rows.ts';

/** A row of a file that was read and has the form of its kind. */
export interface ImportRow<Body = unknown> {
  /** As a spreadsheet counts: the header is row 1. */
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
