import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { expireFeed, expireWrite, newestSegment, segmentWrite } from '../../shared/webhooks/feed/log.ts';
import { now } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';

const segment = { number: 1, storedAt: now.toISOString(), entries: [{ id: randomUUID(), type: 'coupon.created' }] };

it('a segment of the feed that is gone does not come back when it is to expire', async () => {
  const programId = randomUUID();
  await expireFeed(programId, now);
  expect(await writeAlone([expireWrite(programId, segment, now)])).toBe(false);
  expect(await newestSegment(programId)).toBeUndefined();
});

it('race: a segment of the feed is written once', async () => {
  const programId = randomUUID();
  const write = () => writeAlone([segmentWrite(programId, segment)]);
  expect(await interrupted(write, write)).toBe(false);
  expect(await newestSegment(programId)).toEqual(segment);
});
