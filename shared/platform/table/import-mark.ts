import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Which row of which import writes, and whether its changes make events. docs/behavior.md#imports */
export interface ImportMark {
  importId: string;
  row: number;
  makesEvents: boolean;
}

export const importedAttribute = 'importedBy';
const withoutEvents = '#quiet';

const marks = new AsyncLocalStorage<ImportMark>();

/** Every record that `action` creates or edits says that this row of the import did it. */
export const withImportMark = <Result>(mark: ImportMark, action: () => Result): Result => marks.run(mark, action);

/** What every mark of a row begins with. */
export const markOfRow = ({ importId, row }: Pick<ImportMark, 'importId' | 'row'>): string => `${importId}#${row}#`;

/** Differs from write to write, so that each change of a record that a row makes says whether it is quiet. */
export const currentImportMark = (): string | undefined => {
  const mark = marks.getStore();
  return mark && `${markOfRow(mark)}${randomUUID().slice(0, 8)}${mark.makesEvents ? '' : withoutEvents}`;
};

export const recordSource = (): 'API' | 'IMPORTED' => (marks.getStore() ? 'IMPORTED' : 'API');

type Image = Record<string, unknown> | undefined;

/** Whether an import wrote it without asking for events. docs/behavior.md#imports */
export const isQuietChange = ({ before, after }: { before: Image; after: Image }): boolean => {
  const mark = after?.[importedAttribute];
  return typeof mark === 'string' && mark !== before?.[importedAttribute] && mark.endsWith(withoutEvents);
};
