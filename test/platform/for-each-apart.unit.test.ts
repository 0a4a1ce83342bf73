import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forEachApart } from '../../shared/platform/concurrency/for-each-concurrent.ts';

interface Item {
  name: string;
  keys: string[];
}

const run = async (items: readonly Item[], maxConcurrency: number, failing = '') => {
  const log: string[] = [];
  const done = forEachApart(
    items,
    maxConcurrency,
    ({ keys }) => keys,
    async ({ name }) => {
      log.push(`${name} begins`);
      await sleep(2);
      log.push(`${name} ends`);
      if (name === failing) throw new Error(`${name} failed`);
    },
  );
  const failure = await done.then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { log, failure };
};

describe('items apart', () => {
  it('go on beside each other unless they have a key in common, in their order then', async () => {
    const items = [
      { name: 'a', keys: ['x'] },
      { name: 'b', keys: ['y'] },
      { name: 'c', keys: ['x', 'y'] },
      { name: 'd', keys: [] },
    ];
    const { log } = await run(items, 4);
    expect(log.slice(0, 3)).toEqual(['a begins', 'b begins', 'd begins']);
    expect(log.indexOf('c begins')).toBeGreaterThan(log.indexOf('a ends'));
    expect(log.indexOf('c begins')).toBeGreaterThan(log.indexOf('b ends'));
    expect(log).toHaveLength(8);
  });

  it('are all tried, also where one that they waited for fails', async () => {
    const items = ['a', 'b', 'c'].map((name) => ({ name, keys: ['x'] }));
    expect(await run(items, 2, 'a')).toEqual({
      failure: 'a failed',
      log: ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'],
    });
  });
});
