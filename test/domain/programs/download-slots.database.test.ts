import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { withDownloadSlot } from '../../../shared/domain/programs/download-slots.ts';
import { at, now } from '../../support/domain.ts';

/** A download that goes on until it is told to end. */
const beginUntilTold = async (email: string, start: Date) => {
  const begun = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const download = withDownloadSlot(email, start, () => {
    begun.resolve();
    return told.promise;
  });
  await Promise.race([begun.promise, download]);
  return () => {
    told.resolve();
    return download;
  };
};

/** A download whose function died. */
const begin = async (email: string, start: Date) => {
  await beginUntilTold(email, start);
};

it('the place of a download that never ends is free after 30 seconds', async () => {
  const email = `${randomUUID()}@example.com`;
  await begin(email, now);
  await begin(email, now);
  const later = (milliseconds: number) => withDownloadSlot(email, new Date(at(milliseconds)), async () => 'made');
  await expect(later(29_999)).rejects.toMatchObject({ status: 429 });
  expect(await later(30_000)).toBe('made');
});

it('downloads that take longer than their lease leave their places to those that have them by then', async () => {
  const email = `${randomUUID()}@example.com`;
  // Both places, since which one a download takes is random.
  const slow = [await beginUntilTold(email, now), await beginUntilTold(email, now)];
  for (const _ of slow) await begin(email, new Date(at(30_000)));
  for (const end of slow) await end();
  const third = withDownloadSlot(email, new Date(at(30_001)), async () => 'made');
  await expect(third).rejects.toMatchObject({ status: 429 });
});
