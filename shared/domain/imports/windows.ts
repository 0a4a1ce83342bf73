import type { StoredImport } from './import-record.ts';
import { type ImportRow, type RowResult, succeeded } from './import-row.ts';
import type { RowHandler } from './row-handlers.ts';
import type { Phase } from './row-results.ts';
import type { FileRow } from './rows-of-file.ts';
import type { SaleBody } from './sales/sale-row.ts';

/** Rows that are imported together: none is about the same record as another one. */
export interface Window {
  rows: ImportRow[];
  known: RowResult[];
}

const rowsOfWindow: Record<Phase, number> = { PLAN: 200, RUN: 100 };

/** What a dry run knows of the rows before: a second row about the same record finds what the first would write. */
const plannedRows = () => {
  const seen = new Map<string, string>();
  return (identity: string, { row, body }: ImportRow): RowResult | undefined => {
    const content = JSON.stringify(body);
    const before = seen.get(identity);
    seen.set(identity, content);
    return before === undefined ? undefined : succeeded(row, before === content ? 'unchanged' : 'updated');
  };
};

/** The rows after the import's position, in windows. Calls `onPaid` with the time of payout of each row of the file that has one. */
export async function* windowsOf(
  rows: AsyncIterable<FileRow>,
  { position }: StoredImport,
  { identify }: RowHandler,
  { phase, onPaid }: { phase: Phase; onPaid: (paidAt: string) => void },
): AsyncGenerator<Window> {
  const resultOfPlanned = plannedRows();
  let window: Window = { rows: [], known: [] };
  let identities = new Set<string>();
  const next = (): Window => {
    const full = window;
    window = { rows: [], known: [] };
    identities = new Set();
    return full;
  };
  for await (const read of rows) {
    const isDone = read.row <= position;
    if ('refused' in read) {
      if (!isDone) window.known.push(read.refused);
    } else {
      const { row, identity } = identify(read.accepted);
      const paid = (row.body as Partial<SaleBody>).paidAt;
      if (paid) onPaid(paid);
      const known = phase === 'PLAN' ? resultOfPlanned(identity, row) : undefined;
      if (isDone) continue;
      if (identities.has(identity)) yield next();
      if (known) window.known.push(known);
      else {
        window.rows.push(row);
        identities.add(identity);
      }
    }
    if (window.rows.length + window.known.length >= rowsOfWindow[phase]) yield next();
  }
  if (window.rows.length + window.known.length > 0) yield next();
}
