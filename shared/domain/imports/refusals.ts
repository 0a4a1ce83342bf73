import { ApiError, fieldError } from '../../contract/errors.ts';
import type { RowResult } from './import-row.ts';

/** What a row is refused for; anything else fails the step, which is repeated. */
export const refusedRow = (row: number, error: unknown): RowResult => {
  if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
  const details = error.details?.length ? error.details : [{ path: '', message: error.message }];
  return {
    row,
    outcome: 'refused',
    // A message of a field alone says less than that of the error where there is only one.
    problems: details.map(({ path, message }) => ({
      row,
      column: path,
      message: details.length === 1 ? error.message : message,
    })),
  };
};

/** Thrown where a record exists with another value, which an import does not change. */
export const keptField = (field: string): ApiError =>
  fieldError(field, `${field} differs from the record that exists, where it cannot be changed`);
