import { AsyncLocalStorage } from 'node:async_hooks';
import { withQuietWrites } from './quiet-writes.ts';

/** Which row of which import writes, and whether its changes make events. docs/behavior.md#imports */
interface ImportMark {
  importId: string;
  row: number;
  makesEvents: boolean;
}

export const importedAttribute = 'importedBy';

const marks = new AsyncLocalStorage<ImportMark>();

export const markText = ({ importId, row }: Pick<ImportMark, 'importId' | 'row'>): string => `${importId}#${row}`;

/** Every record that `action` creates or edits says that this row of the import did it. */
export const withImportMark = <Result>(mark: ImportMark, action: () => Result): Result =>
  marks.run(mark, () => (mark.makesEvents ? action() : withQuietWrites(mark.importId, action)));

export const currentImportMark = (): string | undefined => {
  const mark = marks.getStore();
  return mark && markText(mark);
};

type Image = Record<string, unknown> | undefined;

/** Whether a row of an import has made this change. */
export const isOfImport = ({ before, after }: { before: Image; after: Image }): boolean =>
  after !== undefined && after[importedAttribute] !== before?.[importedAttribute];

export const recordSource = (): 'API' | 'IMPORTED' => (marks.getStore() ? 'IMPORTED' : 'API');
