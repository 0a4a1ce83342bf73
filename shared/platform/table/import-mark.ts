import { AsyncLocalStorage } from 'node:async_hooks';
import { isQuietChange, quietAttribute, withQuietWrites } from './quiet-writes.ts';

/** Which row of which import writes, and whether its changes make events. docs/behavior.md#imports */
interface ImportMark {
  importId: string;
  row: number;
  makesEvents: boolean;
}

export const importedAttribute = 'importedBy';

const marks = new AsyncLocalStorage<ImportMark>();

export const markText = ({ importId, row }: Pick<ImportMark, 'importId' | 'row'>): string => `${importId}#${row}`;

/** Begins the mark of an import's quiet writes, to tell them from those of an erasure. */
const quietPrefix = 'import:';

/** Every record that `action` creates or edits says that this row of the import did it. */
export const withImportMark = <Result>(mark: ImportMark, action: () => Result): Result =>
  marks.run(mark, () => (mark.makesEvents ? action() : withQuietWrites(`${quietPrefix}${mark.importId}`, action)));

export const currentImportMark = (): string | undefined => {
  const mark = marks.getStore();
  return mark && markText(mark);
};

type Image = Record<string, unknown> | undefined;

interface Images {
  before: Image;
  after: Image;
}

/** Whether this is the first change that a row of an import makes to its record. */
export const isOfImport = ({ before, after }: Images): boolean =>
  after !== undefined && after[importedAttribute] !== before?.[importedAttribute];

export const isQuietImport = (change: Images): boolean =>
  isQuietChange(change) && String(change.after?.[quietAttribute]).startsWith(quietPrefix);

export const recordSource = (): 'API' | 'IMPORTED' => (marks.getStore() ? 'IMPORTED' : 'API');
