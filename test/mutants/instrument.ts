import { Instrumenter, type Logger } from '@stryker-mutator/instrumenter';
import ts from 'typescript';

/** A change of one place in a source file. */
export interface Mutant {
  /** Turns the change on: unique in one call of `instrument`. */
  id: string;
  /** The same in every run, wherever in its file the place moves: the file, the change, and which of several alike it is. */
  key: string;
  file: string;
  line: number;
  mutator: string;
  /** The text of the place, and what stands there instead; both on one line. */
  original: string;
  replacement: string;
}

export interface Instrumented {
  /** By file: its text with all mutants in it, each turned off. */
  codes: Map<string, string>;
  mutants: Mutant[];
}

const silent = (): void => {};
const isOff = (): boolean => false;
const logger: Logger = {
  isTraceEnabled: isOff,
  isDebugEnabled: isOff,
  isInfoEnabled: isOff,
  isWarnEnabled: isOff,
  isErrorEnabled: isOff,
  isFatalEnabled: isOff,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};

/**
 * Left out: texts for people and names of things, and functions as a whole, in whose place their blocks are emptied: which
 * function it is would be decided when the file is loaded, and what it does when it is called.
 */
const excludedMutations = ['StringLiteral', 'ArrowFunction'];

/** The same text with a block in every function that is an expression only. No line moves. */
const withBlocks = (file: string, text: string): string => {
  const inserts: [at: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body))
      inserts.push([node.body.getStart(), '{ return '], [node.body.end, '; }']);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return inserts
    .toSorted(([one], [other]) => other - one)
    .reduce((changed, [at, insert]) => changed.slice(0, at) + insert + changed.slice(at), text);
};

/** Long ones are cut in the middle. */
const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 80)} … ${text.slice(-35)}` : text);

const onOneLine = (text: string): string => shortened(text.replaceAll(/\s+/g, ' ').trim());

interface Position {
  line: number;
  column: number;
}

/** The text between two places. Lines and columns begin at 0. */
const textBetween = (lines: readonly string[], start: Position, end: Position): string => {
  const part = lines.slice(start.line, end.line + 1);
  if (start.line === end.line) return (part[0] ?? '').slice(start.column, end.column);
  return [part[0]?.slice(start.column), ...part.slice(1, -1), part.at(-1)?.slice(0, end.column)].join('\n');
};

/**
 * Puts all mutants of some files into their texts, each behind a switch: tests load the code once for all of them.
 *
 * @param sources text by file
 */
export const instrument = async (sources: ReadonlyMap<string, string>): Promise<Instrumented> => {
  const files = [...sources].map(([name, text]) => ({ name, content: withBlocks(name, text), mutate: true }));
  const options = { plugins: null, excludedMutations, ignorers: [] };
  const result = await new Instrumenter(logger).instrument(files, options);
  const lines = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  const alike = new Map<string, number>();
  const mutants = result.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName, location: { start, end }, mutatorName, replacement }) => {
      const original = onOneLine(textBetween(lines.get(fileName) ?? [], start, end));
      const change = `${fileName} | ${original} -> ${onOneLine(replacement)}`;
      const before = alike.get(change) ?? 0;
      alike.set(change, before + 1);
      return {
        id,
        key: before === 0 ? change : `${change} (${before + 1})`,
        file: fileName,
        line: start.line + 1,
        mutator: mutatorName,
        original,
        replacement: onOneLine(replacement),
      };
    });
  return { codes: new Map(result.files.map(({ name, content }) => [name, content])), mutants };
};
