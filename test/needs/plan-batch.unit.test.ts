import { expect, it } from 'vitest';
import type { UsingTest } from './learn-usage.ts';
import { planBatch, testsUsing } from './plan-batch.ts';

const usingTest = (testId: string, used: string[], more: Partial<UsingTest> = {}): UsingTest => ({
  moduleId: 'file',
  testId,
  milliseconds: 1,
  used,
  usedByHooks: [],
  ...more,
});
const pending = (name: string, ...tests: UsingTest[]) => ({ name, tests, mustBeAlone: false });
const planned = (...mutants: Parameters<typeof planBatch>[0]) =>
  planBatch(mutants).map(({ mutant, test }) => [mutant.name, test.testId]);

it('a batch takes away no need that the test of another one uses, itself or by its hooks', () => {
  const both = usingTest('both', ['a', 'b']);
  expect(planned(pending('a', both), pending('b', both))).toEqual([['a', 'both']]);
  const hooked = usingTest('hooked', ['b'], { usedByHooks: ['a'] });
  expect(planned(pending('a', usingTest('a', ['a'])), pending('b', hooked))).toEqual([['a', 'a']]);
  expect(planned(pending('b', hooked), pending('a', usingTest('a', ['a'])))).toEqual([['b', 'hooked']]);
});

it('a need that has several tests is tried with the first one that the others leave alone', () => {
  const first = pending('a', usingTest('a', ['a']));
  const second = pending('b', usingTest('both', ['a', 'b']), usingTest('b', ['b']));
  expect(planned(first, second)).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
});

it('a need that must be alone is tried when it is the first, and with no other', () => {
  const alone = { ...pending('a', usingTest('a', ['a'])), mustBeAlone: true };
  const other = pending('b', usingTest('b', ['b']));
  expect(planned(alone, other)).toEqual([['a', 'a']]);
  expect(planned(other, alone)).toEqual([['b', 'b']]);
});

it('the tests of a need are those that use it themselves, fastest first, then those whose hooks do', () => {
  const hooked = usingTest('hooked', [], { usedByHooks: ['a'], milliseconds: 1 });
  const slow = usingTest('slow', ['a'], { milliseconds: 9 });
  const fast = usingTest('fast', ['a'], { milliseconds: 5 });
  const other = usingTest('other', ['b']);
  expect(testsUsing('a', [hooked, slow, other, fast]).map(({ testId }) => testId)).toEqual(['fast', 'slow', 'hooked']);
});
