import { describe, expect, it } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import {
  changedWebhook,
  earliestMissed,
  encryptedSigningSecrets,
  missedBetween,
  secretSetAt,
  slotsFor,
  wantsEvent,
  withNewSecret,
} from '../../shared/webhooks/endpoints/rules.ts';
import { makeStoredWebhook } from './fixtures.ts';

const now = new Date('2026-02-01T00:00:00.000Z');
const monthAgo = '2026-01-02T00:00:00.000Z';

describe('what an endpoint has missed', () => {
  const missedSince = '2026-01-01T00:00:00.000Z';

  it.each([
    { missedUntil: null, missed: null },
    { missedUntil: '2026-01-02T00:00:00.001Z', missed: missedSince },
    { missedUntil: monthAgo, missed: null },
    { missedUntil: '2026-01-01T23:59:59.999Z', missed: null },
  ])('until $missedUntil is remembered for 30 days: $missed', ({ missedUntil, missed }) => {
    expect(earliestMissed(makeStoredWebhook({ missedSince, missedUntil }), now)).toBe(missed);
  });

  it.each([
    { missedSince: null, missedUntil: null },
    { missedSince, missedUntil: null },
    { missedSince: null, missedUntil: monthAgo },
  ])('is nothing between $missedSince and $missedUntil', (missed) => {
    expect(missedBetween(makeStoredWebhook(missed), missedSince)).toBeUndefined();
  });

  it('begins no earlier than the endpoint', () => {
    const createdAt = '2026-01-05T00:00:00.000Z';
    const webhook = makeStoredWebhook({ createdAt, missedSince, missedUntil: '2026-01-10T00:00:00.000Z' });
    expect(missedBetween(webhook, missedSince)).toEqual({ from: createdAt, until: '2026-01-10T00:05:00.000Z' });
  });
});

describe('the secrets of an endpoint', () => {
  const rotated = withNewSecret(makeStoredWebhook({ sealedSecret: 'old' }), 'new', now);

  it('are both for 24 hours after a rotation', () => {
    expect(rotated).toMatchObject({ previousSecretUntil: '2026-02-02T00:00:00.000Z', updatedAt: now.toISOString() });
    expect(encryptedSigningSecrets(rotated, new Date('2026-02-01T23:59:59.999Z'))).toEqual(['new', 'old']);
    expect(encryptedSigningSecrets(rotated, new Date('2026-02-02T00:00:00.000Z'))).toEqual(['new']);
  });

  it('of two rotations in one millisecond are set at two times', () => {
    const again = withNewSecret(rotated, 'newest', now);
    expect([rotated, again].map(secretSetAt)).toEqual([now.toISOString(), '2026-02-01T00:00:00.001Z']);
    expect(encryptedSigningSecrets(again, now)).toEqual(['newest', 'new']);
  });

  it.each([{ previousSealedSecret: null }, { previousSecretUntil: null }])('are one without %j', (missing) => {
    expect(encryptedSigningSecrets({ ...rotated, ...missing }, now)).toEqual(['new']);
  });
});

describe('the slots', () => {
  it.each([
    { connection: null, first: 0, count: 50, message: 'A program has at most 50 webhook endpoints. Delete one first.' },
    {
      connection: 'CONNECTOR' as const,
      first: 50,
      count: 100,
      message: 'A program has at most 100 subscriptions. End one first.',
    },
  ])('of $connection are $count', ({ connection, message, ...range }) => {
    const { whenFull, ...slots } = slotsFor(connection);
    expect(slots).toEqual({ ...range, all: 150 });
    expect(whenFull()).toBeInstanceOf(ApiError);
    expect(whenFull()).toMatchObject({ status: 400, message });
  });
});

describe('the types of an endpoint', () => {
  it('are kept once each, and changed only if they are given', () => {
    const webhook = makeStoredWebhook({ eventTypes: ['sale.created'] });
    expect(changedWebhook(webhook, { eventTypes: ['a', 'b', 'a'] }, now).eventTypes).toEqual(['a', 'b']);
    expect(changedWebhook(webhook, { description: null }, now).eventTypes).toEqual(['sale.created']);
  });

  it.each([
    { eventTypes: ['*'], wants: true },
    { eventTypes: ['coupon.created', 'sale.created'], wants: true },
    { eventTypes: ['coupon.created'], wants: false },
    { eventTypes: [], wants: false },
  ])('$eventTypes include sale.created: $wants', ({ eventTypes, wants }) => {
    expect(wantsEvent({ eventTypes }, 'sale.created')).toBe(wants);
  });
});
