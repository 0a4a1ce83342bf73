import { describe, expect, it } from 'vitest';
import { expiryOf, isKept, keptSince, pageOfKept } from '../../shared/webhooks/endpoints/retention.ts';

const now = new Date('2026-03-31T12:00:00.500Z');
const oldest = '2026-03-01T12:00:00.500Z';

describe('what happened is kept for 30 days', () => {
  it('in seconds from its time, rounded down', () => {
    expect(expiryOf('2026-03-01T12:00:00.999Z')).toBe(Date.parse('2026-03-31T12:00:00.000Z') / 1000);
    expect(keptSince(now)).toBe(oldest);
  });

  it.each([
    { createdAt: oldest, kept: true },
    { createdAt: '2026-03-01T12:00:00.499Z', kept: false },
    { createdAt: now.toISOString(), kept: true },
  ])('of $createdAt: $kept', ({ createdAt, kept }) => {
    expect(isKept({ createdAt }, now)).toBe(kept);
  });

  it.each([
    { asked: undefined, after: oldest },
    { asked: '2026-01-01T00:00:00.000Z', after: oldest },
    { asked: oldest, after: oldest },
    { asked: '2026-03-02T00:00:00.000Z', after: '2026-03-02T00:00:00.000Z' },
  ])('and a list from $asked on begins at $after', ({ asked, after }) => {
    const request = { limit: 7, createdBefore: 'later', ...(asked && { createdAfter: asked }) };
    expect(pageOfKept(request, now)).toEqual({ limit: 7, createdBefore: 'later', createdAfter: after });
  });
});
