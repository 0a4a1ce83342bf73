import { imports } from '../../shared/domain/imports/import-record.ts';
import { createImport } from '../../shared/domain/imports/manage-imports.ts';
import { rowResultsWrite } from '../../shared/domain/imports/row-results.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';

/** An import that is planned, with a row that is refused. */
export const makePlannedImport = async (
  programId: string,
  fileName: string,
  now: Date,
  message = fileName,
): Promise<string> => {
  const given = { kind: 'affiliates', preset: null, fileName, makesEvents: false } as const;
  const record = await createImport(programId, given, now);
  const planned = { created: 1, updated: 0, unchanged: 0, refused: 1 };
  await writeTogether([
    ...imports.updateWrites(programId, record, { ...record, status: 'PLANNED', rowCount: 2, planned }),
    rowResultsWrite(programId, { importId: record.id, phase: 'PLAN', now }, [
      { row: 2, outcome: 'created', problems: [] },
      { row: 3, outcome: 'refused', problems: [{ row: 3, column: 'email', message }] },
    ]),
  ]);
  return record.id;
};
