import type { ImportKind } from '../../contract/imports.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { groupsOf } from '../groups/repository.ts';
import { type ImportContext, type ImportRow, type RowResult, succeeded } from './import-row.ts';
import { type Bodies, rowImporters } from './record-kinds.ts';
import { refusedRow } from './refusals.ts';
import { creditLookups } from './sales/credit.ts';
import { importSales } from './sales/import-sales.ts';
import { type IdentifiedRow, identityOf, rowIdentifier, type SaleRow } from './sales/sale-row.ts';

export interface RowHandler {
  /** Must be called for every row from the first on. Rows with the same identity are about the same record. */
  identify: (row: ImportRow) => { row: ImportRow; identity: string };
  importRows: (context: ImportContext, rows: readonly ImportRow[]) => Promise<RowResult[]>;
}

const recordsAtOnce = 8;
const checksAtOnce = 100;

const recordHandler = (kind: Exclude<ImportKind, 'sales'>): RowHandler => {
  // Each row has the body of its kind: the reader has parsed it by the kind's schema.
  const importer = rowImporters[kind] as (typeof rowImporters)['affiliates'];
  type Row = ImportRow<Bodies['affiliates']>;
  return {
    identify: (row) => ({ row, identity: importer.identity((row as Row).body) }),
    importRows: async (context, rows) => {
      const results: RowResult[] = [];
      const importRow = await importer.forRows(context, rows as readonly Row[]);
      await forEachConcurrent(rows, context.isDryRun ? checksAtOnce : recordsAtOnce, async (row) => {
        try {
          results.push(succeeded(row.row, await importRow(row as Row)));
        } catch (error) {
          results.push(refusedRow(row.row, error));
        }
      });
      return results.toSorted((one, other) => one.row - other.row);
    },
  };
};

const salesHandler = (programId: string): RowHandler => {
  const identify = rowIdentifier();
  const lookups = creditLookups(programId);
  const groups = groupsOf(programId);
  groups.catch(() => undefined);
  return {
    identify: (row) => {
      const identified = identify(row as SaleRow);
      return { row: identified, identity: identityOf(identified) };
    },
    importRows: async (context, rows) =>
      importSales(context, rows as IdentifiedRow[], { groups: await groups, lookups }),
  };
};

export const rowHandler = (kind: ImportKind, programId: string): RowHandler =>
  kind === 'sales' ? salesHandler(programId) : recordHandler(kind);
