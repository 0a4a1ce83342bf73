import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import type { WebEvent } from '../../shared/web/checks.ts';
import { formOnce } from '../../shared/web/once.ts';
import { newProgram, now } from '../support/domain.ts';

const newForm = () =>
  ({
    rawPath: '/programs/1/sales/new',
    state: {
      served: { declared: { creates: true } },
      program: newProgram(),
      session: { id: randomUUID(), csrfToken: randomUUID() },
      fields: { totalEarned: '10' },
      formKey: randomUUID(),
      now,
    },
  }) as unknown as WebEvent;

it('a form that must wait because of a limit says so at once, and may be sent again', async () => {
  const form = newForm();
  const limited = new ApiError('rate_limited', 'Wait 60 seconds', { headers: { 'retry-after': '60' } });
  const run = vi.fn(() => Promise.reject(limited));
  await expect(formOnce(form, run)).rejects.toBe(limited);
  expect(run).toHaveBeenCalledTimes(1);
  expect(await formOnce(form, async () => ({ statusCode: 303 }))).toMatchObject({ statusCode: 303 });
});

it('a form that is being processed waits, and has the response of the first', async () => {
  const form = newForm();
  const { promise: first, resolve: end } = Promise.withResolvers<{ statusCode: number }>();
  const run = vi.fn(() => {
    setTimeout(() => end({ statusCode: 303 }), 50);
    return first;
  });
  const responses = await Promise.all([formOnce(form, run), formOnce(form, run)]);
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([303, 303]);
});
