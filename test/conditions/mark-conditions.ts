import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Vite } from 'vitest/node';

/** Between a condition and the place that declares it. DynamoDB never sees it: `recordConditions` cuts it off. */
export const placeMark = '\u0000';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Declared {
  /** Such as `shared/domain/statistics/sales-by-day.ts:39`. */
  place: string;
  start: number;
  end: number;
}

/** Where a source declares conditions: the value of each property `ConditionExpression`. */
export const conditionsIn = (file: string, text: string): Declared[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Declared[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'ConditionExpression') {
      const start = node.initializer.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ place: `${relative(root, file)}:${line}`, start, end: node.initializer.getEnd() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

/** Appends to each condition of the sources the place that declares it, so that a test knows which one was refused. */
export const markConditions = (): Vite.Plugin => ({
  name: 'mark-conditions',
  enforce: 'pre',
  transform: (text, id) => {
    if (!id.startsWith(`${root}shared/`) || !text.includes('ConditionExpression:')) return undefined;
    let code = text;
    // A test may load a file once more, by a query.
    const [file = id] = id.split('?');
    for (const { place, start, end } of conditionsIn(file, text).reverse())
      code = `${code.slice(0, start)}(${code.slice(start, end)}) + ${JSON.stringify(placeMark + place)}${code.slice(end)}`;
    return { code, map: null };
  },
});
