import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runAhead } from '../../shared/platform/clients/admission.ts';
import { begin } from '../../shared/platform/concurrency/begin.ts';
import { notIdempotent } from '../../shared/platform/table/idempotency-context.ts';

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockReset();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => {
  process.off('unhandledRejection', unhandled);
});

const failing = async (): Promise<never> => {
  throw new Error('no');
};

it('a read that began early and failed does no harm if nobody needs it, and fails for who does', async () => {
  begin(failing());
  await expect(begin(failing())).rejects.toThrow('no');
  expect(await begin(Promise.resolve(1))).toBe(1);
  await turn();
  await turn();
  expect(unhandled).not.toHaveBeenCalled();
});

it('a refused request whose run ends without a write does no harm', async () => {
  expect(await runAhead(failing(), async () => 'read')).toBe('read');
  await turn();
  await turn();
  expect(unhandled).not.toHaveBeenCalled();
});

it('without an Idempotency-Key no earlier record is known, and nothing is written for a later request', async () => {
  expect(await notIdempotent.existingRecordId()).toBeUndefined();
  expect(notIdempotent.recordCreated('one')).toEqual([]);
  expect(notIdempotent.keepRetryable).not.toThrow();
});
