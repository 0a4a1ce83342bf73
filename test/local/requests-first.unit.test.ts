import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRequestsFirst } from '../../infra/local/lambda/requests-first.ts';

const open = () => {
  let requests = 0;
  const requestsFirst = createRequestsFirst(() => {
    requests += 1;
  });
  return { ...requestsFirst, requests: () => requests };
};

const durationOf = async (waiting: Promise<void>): Promise<number> => {
  const began = performance.now();
  await waiting;
  return performance.now() - began;
};

it('lets background functions begin at once where no request is under way', async () => {
  const { begin, untilQuiet } = open();
  begin()();
  // Behind a request it would be 50.
  expect(await durationOf(untilQuiet())).toBeLessThan(45);
});

it('lets background functions wait until the last request has its response, and tells of each request', async () => {
  const { begin, untilQuiet, requests } = open();
  const [endOne, endOther] = [begin(), begin()];
  let hasBegun = false;
  const waiting = untilQuiet().then(() => {
    hasBegun = true;
  });
  endOne();
  await sleep(5);
  expect(hasBegun).toBe(false);
  endOther();
  await waiting;
  expect(requests()).toBe(2);
});

it('lets background functions wait for a long request for a twentieth of a second', async () => {
  const { begin, untilQuiet } = open();
  begin();
  const waited = await durationOf(untilQuiet());
  expect(waited).toBeGreaterThan(45);
  expect(waited).toBeLessThan(1000);
});
