import { describe, expect, it } from 'vitest';
import { type Attempt, cancelled, withAttempt } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { expiryOf } from '../../shared/webhooks/endpoints/retention.ts';
import { afterAttempt, changedWebhook, missedBetween, wantsEvent } from '../../shared/webhooks/endpoints/rules.ts';
import { makeStoredDelivery, makeStoredWebhook } from './fixtures.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const failure = { succeeded: false, responseStatus: 500, isLast: false, durationMilliseconds: 100 };
const success = { succeeded: true, responseStatus: 200, isLast: true, durationMilliseconds: 100 };

describe('an endpoint', () => {
  it('gets the types of events that it asked for, or all', () => {
    expect(wantsEvent({ eventTypes: ['coupon.created'] }, 'coupon.created')).toBe(true);
    expect(wantsEvent({ eventTypes: ['coupon.created'] }, 'coupon.deleted')).toBe(false);
    expect(wantsEvent({ eventTypes: ['coupon.created', '*'] }, 'coupon.deleted')).toBe(true);
  });

  it('is switched off by a 410 at once, and says why', () => {
    const after = afterAttempt(makeStoredWebhook(), { ...failure, responseStatus: 410 }, now);
    expect(after).toMatchObject({ active: false, deactivatedAt: now.toISOString(), updatedAt: now.toISOString() });
    expect(after?.deactivationReason).toContain('410');
  });

  it('stays on after a 404', () => {
    expect(afterAttempt(makeStoredWebhook(), { ...failure, responseStatus: 404 }, now)).toMatchObject({ active: true });
  });

  it('remembers its first failure only, until a success', () => {
    const failing = afterAttempt(makeStoredWebhook(), failure, now);
    expect(failing).toMatchObject({ failingSince: now.toISOString(), active: true });
    expect(afterAttempt(failing ?? makeStoredWebhook(), failure, new Date(now.getTime() + 1000))).toBeUndefined();
    expect(afterAttempt(failing ?? makeStoredWebhook(), success, now)).toMatchObject({ failingSince: null });
    expect(afterAttempt(makeStoredWebhook(), success, now)).toBeUndefined();
  });

  it('is responsive after an attempt that ended within three seconds, whatever it responded, and not after a longer one', () => {
    const untried = makeStoredWebhook({ isResponsive: false });
    expect(afterAttempt(untried, success, now)).toMatchObject({ isResponsive: true, failingSince: null });
    expect(afterAttempt(untried, failure, now)).toMatchObject({ isResponsive: true });
    expect(afterAttempt(untried, { ...success, durationMilliseconds: 3000 }, now)).toMatchObject({
      isResponsive: true,
    });
    const slow = afterAttempt(makeStoredWebhook(), { ...success, durationMilliseconds: 3001 }, now);
    expect(slow).toMatchObject({ isResponsive: false, failingSince: null });
    expect(changedWebhook(makeStoredWebhook(), { url: 'https://example.org' }, now)).toMatchObject({
      isResponsive: false,
    });
  });

  it('is switched off after five days of nothing but failure, by a delivery that has used up its attempts', () => {
    const failing = makeStoredWebhook({ failingSince: '2026-01-05T00:00:00.000Z' });
    const last = { ...failure, isLast: true };
    expect(afterAttempt(failing, last, new Date('2026-01-09T23:59:59.999Z'))).toBeUndefined();
    expect(afterAttempt(failing, failure, now)).toBeUndefined();
    const after = afterAttempt(failing, last, now);
    expect(after).toMatchObject({ active: false });
    expect(after?.deactivationReason).toContain('2026-01-05');
  });

  it('that is off already stays as it is', () => {
    expect(
      afterAttempt(makeStoredWebhook({ active: false }), { ...failure, responseStatus: 410 }, now),
    ).toBeUndefined();
  });
});

describe('an edit of an endpoint', () => {
  const off = makeStoredWebhook({
    active: false,
    deactivationReason: 'The address returned 410 Gone',
    deactivatedAt: '2026-01-09T00:00:00.000Z',
    failingSince: '2026-01-04T00:00:00.000Z',
  });

  it('that switches it on forgets why it was off and since when it failed', () => {
    const on = changedWebhook(off, { active: true }, now);
    expect(on).toEqual({
      ...off,
      active: true,
      isResponsive: false,
      deactivationReason: null,
      deactivatedAt: null,
      failingSince: null,
      missedSince: off.deactivatedAt,
      missedUntil: now.toISOString(),
      updatedAt: now.toISOString(),
    });
  });

  it('that switches it on again remembers since when it has missed something, for 30 days', () => {
    const on = changedWebhook(off, { active: true }, now);
    const offAgain = { ...on, active: false, deactivatedAt: '2026-01-20T00:00:00.000Z' };
    const soon = changedWebhook(offAgain, { active: true }, new Date('2026-01-21T00:00:00.000Z'));
    expect(missedBetween(soon, '2026-01-01T00:00:00.000Z')).toEqual({
      from: '2026-01-08T23:55:00.000Z',
      until: '2026-01-21T00:05:00.000Z',
    });
    expect(missedBetween(soon, '2026-01-15T00:00:00.000Z')?.from).toBe('2026-01-15T00:00:00.000Z');
    const late = changedWebhook(offAgain, { active: true }, new Date('2026-02-10T00:00:00.000Z'));
    expect(missedBetween(late, '2026-01-12T00:00:00.000Z')?.from).toBe('2026-01-19T23:55:00.000Z');
  });

  it('by its owner alone, off and on, misses nothing that is made up for', () => {
    const byOwner = changedWebhook(makeStoredWebhook(), { active: false }, now);
    expect(byOwner).toMatchObject({ active: false, deactivatedAt: null });
    expect(missedBetween(changedWebhook(byOwner, { active: true }, now), '2026-01-01T00:00:00.000Z')).toBeUndefined();
  });

  it('of anything else leaves it off, with its reason', () => {
    expect(changedWebhook(off, { description: 'Shop' }, now)).toEqual({
      ...off,
      description: 'Shop',
      updatedAt: now.toISOString(),
    });
  });

  it('gives a new address new days to fail in, and the same one none', () => {
    const failing = makeStoredWebhook({ failingSince: '2026-01-04T00:00:00.000Z' });
    expect(changedWebhook(failing, { url: 'https://example.com/other' }, now).failingSince).toBeNull();
    expect(changedWebhook(failing, { url: failing.url, active: true }, now).failingSince).toBe(failing.failingSince);
  });
});

describe('a delivery', () => {
  const failed: Attempt = {
    attemptedAt: now.toISOString(),
    durationMilliseconds: 12,
    responseStatus: 500,
    responseBody: 'no',
    error: 'returned 500',
  };
  const succeeded: Attempt = { ...failed, responseStatus: 200, error: null };
  const later = new Date('2026-01-10T00:00:05.000Z');

  it('waits for the next attempt after a failure', () => {
    expect(withAttempt(makeStoredDelivery(), failed, later, now)).toMatchObject({
      status: 'PENDING',
      attempts: [failed],
      nextAttemptAt: later.toISOString(),
      updatedAt: now.toISOString(),
    });
  });

  it('ends with a success, or with the last failure', () => {
    const waiting = makeStoredDelivery({ attempts: [failed] });
    const ended = { attempts: [failed, succeeded], nextAttemptAt: null };
    expect(withAttempt(waiting, succeeded, undefined, now)).toMatchObject({ status: 'SUCCEEDED', ...ended });
    expect(withAttempt(waiting, failed, undefined, now)).toMatchObject({ status: 'FAILED', nextAttemptAt: null });
    expect(cancelled(waiting, 'The endpoint was deleted', now)).toMatchObject({
      status: 'CANCELLED',
      cancellationReason: 'The endpoint was deleted',
      nextAttemptAt: null,
    });
  });

  it.each(['SUCCEEDED', 'FAILED', 'CANCELLED'] as const)('that is %s changes no more', (status) => {
    const ended = makeStoredDelivery({ status });
    expect(() => withAttempt(ended, succeeded, undefined, now)).toThrow(status);
    expect(() => cancelled(ended, 'why', now)).toThrow(status);
  });

  it('is kept for 30 days', () => {
    expect(expiryOf('2026-01-10T00:00:00.999Z')).toBe(Date.parse('2026-02-09T00:00:00.000Z') / 1000);
  });
});
