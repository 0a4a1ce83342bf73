import { describe, expect, it } from 'vitest';
import type { AcceptedClause } from './cannot-be-refused.ts';
import { type ConditionalWrite, clausesOf, nameOfClause } from './clauses.ts';
import { declaredPlaces, problemsOf } from './condition-report.ts';
import { conditionsIn, markConditions } from './mark-conditions.ts';

describe('a condition', () => {
  it.each([
    { expression: 'a = :a', clauses: ['a = :a'] },
    { expression: 'a = :a AND b = :b AND c = :c', clauses: ['a = :a', 'b = :b', 'c = :c'] },
    { expression: '(a = :a OR b = :b) AND c = :c', clauses: ['(a = :a OR b = :b)', 'c = :c'] },
    { expression: 'a = :a OR b = :b', clauses: ['a = :a OR b = :b'] },
    { expression: 'a = :a OR (b = :b AND c = :c)', clauses: ['a = :a OR (b = :b AND c = :c)'] },
    { expression: '(a OR (b AND c)) AND size(d) < :e', clauses: ['(a OR (b AND c))', 'size(d) < :e'] },
  ])('$expression has the clauses $clauses', ({ expression, clauses }) => {
    expect(clausesOf(expression)).toEqual(clauses);
  });

  const write: ConditionalWrite = {
    operation: 'Put',
    TableName: 'records',
    expression: '#version = :before',
    place: 'shared/a.ts:7',
    ExpressionAttributeNames: { '#version': 'version', '#entry': '019a0000-0000' },
  };
  it.each([
    {
      write: { ...write, Item: { pk: 'PROGRAM#019a#SALE#EXTERNAL_ID' } },
      clause: 'a = :b',
      name: 'Put SALE#EXTERNAL_ID: a = :b',
    },
    {
      write: { ...write, Key: { pk: 'PROGRAM#019a#PAYOUT#BATCH#019b' } },
      clause: 'a = :b',
      name: 'Put PAYOUT#BATCH: a = :b',
    },
    {
      write: { ...write, Key: { pk: 'ACCOUNT#a@example.com', sk: 'PROGRAM#019a' } },
      clause: '#version = :b',
      name: 'Put ACCOUNT#PROGRAM: version = :b',
    },
    {
      write: { ...write, Key: { pk: 'TOKEN#abc', sk: 'TOKEN' } },
      clause: '#entry < :b',
      name: 'Put TOKEN: #entry < :b',
    },
  ])('is called $name', ({ write: named, clause, name }) => {
    expect(nameOfClause(named, clause)).toBe(`shared/a.ts:7 ${name}`);
  });
});

describe('the sources', () => {
  it('declare conditions, which are found whatever they are made of', () => {
    const text = [
      "const a = { ConditionExpression: 'x' };",
      "const b = { ...(c && { ConditionExpression: c ? 'x' : 'y' }) };",
      'const d = { KeyConditionExpression: "x", ConditionExpression };',
    ].join('\n');
    expect(
      conditionsIn('a.ts', text).map(({ place, start, end }) => [place.split(':')[1], text.slice(start, end)]),
    ).toEqual([
      ['1', "'x'"],
      ['2', "c ? 'x' : 'y'"],
    ]);
    expect(declaredPlaces().length).toBeGreaterThan(40);
  });

  it('tell their place with each condition, and nothing else of them changes', () => {
    const plugin = markConditions();
    const id = new URL('../../shared/a.ts', import.meta.url).pathname;
    const mark = (path: string, text: string) =>
      typeof plugin.transform === 'function' ? Reflect.apply(plugin.transform, undefined, [text, path]) : undefined;
    const { code } = mark(id, "const a = { ConditionExpression: b ? 'x' : 'y' };");
    expect(code).toBe("const a = { ConditionExpression: (b ? 'x' : 'y') + \"\\u0000shared/a.ts:1\" };");
    expect(mark(id, 'const a = 1;')).toBeUndefined();
    expect(mark(id.replace('shared/a.ts', 'test/a.ts'), "({ ConditionExpression: 'x' })")).toBeUndefined();
  });
});

type Entry = [clause: string, tests: string[]];

describe('the list of conditions', () => {
  const reason = { clauses: /Put B/, reason: 'random' };
  const refused: Entry = ['shared/a.ts:1 Put A: x', ['a test']];
  it('has no problem where each is refused in a test, or has a reason', () => {
    expect(problemsOf(new Map([refused, ['shared/a.ts:1 Put B: x', []]]), ['shared/a.ts:1'], [reason])).toEqual([]);
  });

  it.each<{ is: string; clauses: Entry[]; accepted: AcceptedClause[]; words: string }>([
    {
      is: 'one that is never refused',
      clauses: [refused, ['shared/a.ts:1 Put C: x', []]],
      accepted: [],
      words: 'Put C: x',
    },
    { is: 'one that is never sent', clauses: [], accepted: [], words: 'shared/a.ts:1 declares' },
    { is: 'a reason for none', clauses: [refused], accepted: [reason], words: '/Put B/' },
    {
      is: 'a reason for one that is refused',
      clauses: [['shared/a.ts:1 Put B: x', ['a test']]],
      accepted: [reason],
      words: '/Put B/',
    },
  ])('names $is', ({ clauses, accepted, words }) => {
    const problems = problemsOf(new Map(clauses), ['shared/a.ts:1'], accepted);
    expect(problems).toEqual([expect.stringContaining(words)]);
  });
});
