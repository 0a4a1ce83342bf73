import { expect, it } from 'vitest';
import { hopLimitOf, isInLoop, leadsTo } from '../../shared/contract/loops.ts';
import type { Need, QueueName } from '../../shared/contract/needs.ts';
import type { Worker } from '../../shared/contract/workers.ts';

const reader = (queue: QueueName, needs: Need[], maximumHops?: number): Worker => ({
  id: `reader-of-${queue}`,
  trigger: {
    kind: 'queue',
    queue,
    batchSize: 1,
    visibilityTimeoutSeconds: 60,
    maximumReceives: 5,
    maximumConcurrency: 5,
    ...(maximumHops !== undefined && { maximumHops }),
  },
  timeoutSeconds: 10,
  needs,
  errorImpact: 'Nothing happens.',
});

it('a worker that sends to its own queue is in a loop', () => {
  expect(isInLoop(reader('deletions', ['SALE:read']), [])).toBe(false);
  const own = reader('deletions', ['deletions:send']);
  expect(isInLoop(own, [own])).toBe(true);
});

it('a loop over two workers is found, and those that only lead into it are not in it', () => {
  const first = reader('deletions', ['payout-batches:send']);
  const second = reader('payout-batches', ['deletions:send']);
  const outside = reader('redeliveries', ['deletions:send']);
  const all = [first, second, outside];
  expect(all.map((worker) => isInLoop(worker, all))).toEqual([true, true, false]);
  expect(leadsTo('redeliveries', 'payout-batches', all)).toBe(true);
  expect(leadsTo('payout-batches', 'redeliveries', all)).toBe(false);
});

it('a loop without a limit of hops, or a limit without a loop, fails the build', () => {
  const forgotten = reader('deletions', ['deletions:send']);
  expect(() => hopLimitOf(forgotten, [forgotten])).toThrow("'reader-of-deletions' sends messages that lead back");
  const pointless = reader('deletions', [], 10);
  expect(() => hopLimitOf(pointless, [pointless])).toThrow('but sends no messages that lead back');
  const limited = reader('deletions', ['deletions:send'], 10);
  expect(hopLimitOf(limited, [limited])).toBe(10);
});
