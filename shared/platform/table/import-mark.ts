import { AsyncLocalStorage } from 'node:async_hooks';

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

export const markText = ({ importId, row, makesEvents }: ImportMark): string =>
  `${importId}#${row}${makesEvents ? '' : withoutEvents}`;

export const currentImportMark = (): string | undefined => {
  const mark = marks.getStore();
  return mark && markText(mark);
};

export const recordSource = (): 'API' | 'IMPORTED' => (marks.getStore() ? 'IMPORTED' : 'API');

type Image = Record<string, unknown> | undefined;

/** Whether an import wrote it without asking for events. docs/behavior.md#imports */
export const isQuietChange = ({ before, after }: { before: Image; after: Image }): boolean => {
  const mark = after?.[importedAttribute];
  return typeof mark === 'string' && mark !== before?.[importedAttribute] && mark.endsWith(withoutEvents);
};
