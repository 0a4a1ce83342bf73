import { expect, it } from 'vitest';
import { runAhead } from '../../shared/platform/clients/admission.ts';
import { begin } from '../../shared/platform/concurrency/begin.ts';
import { notIdempotent } from '../../shared/platform/table/idempotency-context.ts';
import { watchRejections } from '../support/unhandled-rejections.ts';

const { expectNone } = watchRejections();

const failing = async (): Promise<never> => {
  throw new Error('no');
};

it('a read that began early and failed does no harm if nobody needs it, and fails for who does', async () => {
  begin(failing());
  await expect(begin(failing())).rejects.toThrow('no');
  expect(await begin(Promise.resolve(1))).toBe(1);
  await expectNone();
});

it('a refused request whose run ends without a write does no harm', async () => {
  expect(await runAhead(failing(), async () => 'read')).toBe('read');
  await expectNone();
});

it('without an Idempotency-Key no earlier record is known, and nothing is written for a later request', async () => {
  expect(await notIdempotent.existingRecordId()).toBeUndefined();
  expect(notIdempotent.recordCreated('one')).toEqual([]);
  expect(notIdempotent.keepRetryable).not.toThrow();
});
