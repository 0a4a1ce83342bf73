import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const sources = globSync('{shared,functions,events,infra}/**/*.{ts,tsx,mjs}', { cwd: root });
const tests = globSync('test/**/*.ts', { cwd: root });
const textOf = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const lineCount = (text: string): number => text.trimEnd().split('\n').length;

interface FoundFunction {
  path: string;
  line: number;
  lines: number;
}

const functionsOf = (path: string): FoundFunction[] => {
  const source = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true);
  const found: FoundFunction[] = [];
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const line = lineAt(node.getStart());
      found.push({ path, line, lines: lineAt(node.end) - line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const functions = sources.flatMap(functionsOf);

describe('the source', () => {
  it('has no file of more than 300 lines, tests included', () => {
    const long = [...sources, ...tests]
      .map((path) => ({ path, lines: lineCount(textOf(path)) }))
      .filter(({ lines }) => lines > 300);
    expect(long).toEqual([]);
  });

  it('has no function of more than 60 lines', () => {
    expect(functions.filter(({ lines }) => lines > 60)).toEqual([]);
  });

  it('has functions of more than 20 lines, which this test finds', () => {
    expect(functions.filter(({ lines }) => lines > 20).length).toBeGreaterThan(10);
  });
});

describe('shared/platform', () => {
  it('knows no word of the domain', () => {
    const words = /affiliate|coupon|\bsales?\b|payout|referral/i;
    const found = sources.filter((path) => path.startsWith('shared/platform/') && words.test(textOf(path)));
    expect(found).toEqual([]);
  });
});
