import { expect, it } from 'vitest';
import { RecentlySeen } from '../../../shared/domain/access/recently-seen.ts';

it('of more values than fit, those that were set last are kept', () => {
  const seen = new RecentlySeen<number>(2);
  const state = () => ['a', 'b', 'c'].map((key) => seen.get(key));
  seen.set('a', 1);
  seen.set('b', 2);
  expect(state()).toEqual([1, 2, undefined]);
  seen.set('a', 3);
  seen.set('c', 4);
  expect(state()).toEqual([3, undefined, 4]);
  seen.delete('a');
  seen.set('b', 5);
  expect(state()).toEqual([undefined, 5, 4]);
});
