import { expect, it } from 'vitest';
import { remembered } from '../../shared/platform/text/remembered.ts';

const counted = () => {
  const made: string[] = [];
  const value = remembered((key) => {
    made.push(key);
    return { key };
  });
  return { made, value };
};

it('a value is made once, and is that of its key', () => {
  const { made, value } = counted();
  const keys = Array.from({ length: 200 }, (_, at) => String(at));
  const first = keys.map(value);
  expect(first.map(({ key }) => key)).toEqual(keys);
  expect(keys.map(value)).toEqual(first);
  expect(made).toEqual(keys);
});

it('at most 200 values are kept, whatever keys come', () => {
  const { made, value } = counted();
  for (let at = 0; at < 201; at++) value(String(at));
  expect(made).toHaveLength(201);
  value('0');
  expect(made).toHaveLength(202);
  value('200');
  expect(made).toHaveLength(202);
});
