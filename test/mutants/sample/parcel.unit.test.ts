import { expect, it } from 'vitest';
import { boxes, hasCustoms, postage } from './parcel.ts';

it('there are no customs nearby', () => {
  expect([hasCustoms('NL'), hasCustoms('CH')]).toEqual([false, true]);
});

// The boundary, 50.00 itself, is left out on purpose.
it('postage is free above 50.00', () => {
  expect([postage(4000), postage(6000)]).toEqual([490, 0]);
});

it('every item has its place', () => {
  expect([boxes(0), boxes(10), boxes(11)]).toEqual([0, 1, 2]);
});
