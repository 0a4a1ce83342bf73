import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  isUndelivered,
  newDelivery,
  StoredDelivery,
  withAttempt,
  withAttemptBeside,
} from '../../shared/webhooks/delivery/delivery-rules.ts';
import { StoredWebhook } from '../../shared/webhooks/endpoints/rules.ts';
import { makeStoredDelivery, makeStoredWebhook } from './fixtures.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const attemptOf = (at: number, error: string | null = 'returned 500'): Attempt => ({
  attemptedAt: now.toISOString(),
  durationMilliseconds: 12,
  responseStatus: error === null ? 200 : 500,
  responseBody: `response ${at}`,
  error,
});
const attempts = (count: number) => Array.from({ length: count }, (_, at) => attemptOf(at));
const bodiesOf = (some: readonly Attempt[]) => some.map(({ responseBody }) => responseBody);
const bodies = (first: number, last: number) =>
  attempts(last + 1)
    .slice(first)
    .map((one) => one.responseBody);

describe('the attempts of a delivery', () => {
  it.each([
    { before: 7, kept: bodies(0, 7) },
    { before: 8, kept: [null, ...bodies(1, 8)] },
    { before: 10, kept: [null, null, null, ...bodies(3, 10)] },
  ])('are all kept, $before and one more, with the last eight responses', ({ before, kept }) => {
    const delivery = makeStoredDelivery({ attempts: attempts(before) });
    const next = withAttempt(delivery, attemptOf(before), now, now);
    expect(bodiesOf(next.attempts)).toEqual(kept);
    expect(bodiesOf(withAttemptBeside(delivery, 'attempts', attemptOf(before), now).attempts)).toEqual(kept);
    expect(next.attempts[0]).toEqual({ ...attemptOf(0), responseBody: kept[0] });
  });

  it('by hand are the last eight', () => {
    const delivery = makeStoredDelivery({ manualAttempts: attempts(8) });
    const next = withAttemptBeside(delivery, 'manualAttempts', attemptOf(8), now);
    expect(bodiesOf(next.manualAttempts)).toEqual(bodies(1, 8));
    expect(next.attempts).toEqual([]);
  });
});

describe('an attempt beside the schedule', () => {
  it.each(['PENDING', 'FAILED', 'CANCELLED', 'SUCCEEDED'] as const)(
    'of a delivery that is %s ends it if it succeeds, and is only logged if it fails',
    (status) => {
      const delivery = makeStoredDelivery({ status, cancellationReason: 'why' });
      const success = withAttemptBeside(delivery, 'manualAttempts', attemptOf(0, null), now);
      const ended = { status: 'SUCCEEDED', cancellationReason: null, nextAttemptAt: null };
      const logged = { updatedAt: now.toISOString() };
      expect(success).toEqual({ ...delivery, ...ended, ...logged, manualAttempts: [attemptOf(0, null)] });
      const failure = withAttemptBeside(delivery, 'manualAttempts', attemptOf(0), now);
      expect(failure).toEqual({ ...delivery, ...logged, manualAttempts: [attemptOf(0)] });
    },
  );
});

it.each([
  { status: 'PENDING', count: 0, is: false },
  { status: 'PENDING', count: 1, is: true },
  { status: 'SUCCEEDED', count: 1, is: false },
  { status: 'FAILED', count: 8, is: true },
  { status: 'CANCELLED', count: 0, is: true },
] as const)('a delivery that is $status after $count attempts is undelivered: $is', ({ status, count, is }) =>
  expect(isUndelivered(makeStoredDelivery({ status, attempts: attempts(count) }))).toBe(is),
);

describe('a new delivery', () => {
  const event = { id: '019a0000-0000-7000-8000-000000000003', type: 'coupon.created', timestamp: now.toISOString() };
  const webhook = makeStoredWebhook({ connection: 'CONNECTOR' });

  it('waits for its first attempt from the event on, and has the same id each time', () => {
    const delivery = newDelivery(event, webhook);
    expect(delivery).toEqual({
      ...makeStoredDelivery({ id: delivery.id, createdAt: event.timestamp, updatedAt: event.timestamp }),
      ttl: Date.parse('2026-02-09T00:00:00.000Z') / 1000,
      connection: 'CONNECTOR',
      nextAttemptAt: event.timestamp,
    });
    expect(newDelivery(event, webhook).id).toBe(delivery.id);
    expect(newDelivery(event, makeStoredWebhook({ id: event.id })).id).not.toBe(delivery.id);
    expect(newDelivery({ ...event, id: webhook.id }, webhook).id).not.toBe(delivery.id);
  });

  it('is read as it is stored, and without fields that were added later with their defaults', () => {
    const delivery = { ...newDelivery(event, webhook), attempts: attempts(2), manualAttempts: attempts(1) };
    expect(StoredDelivery.parse(delivery)).toEqual(delivery);
    const { connection: _connection, manualAttempts: _manualAttempts, ...older } = delivery;
    expect(StoredDelivery.parse(older)).toEqual({ ...delivery, connection: null, manualAttempts: [] });
  });
});

it('an endpoint is read as it is stored, and without fields that were added later with their defaults', () => {
  const webhook = makeStoredWebhook({ missedSince: now.toISOString(), missedUntil: now.toISOString() });
  expect(StoredWebhook.parse(webhook)).toEqual(webhook);
  const { isResponsive: _isResponsive, missedSince: _since, missedUntil: _until, ...older } = webhook;
  expect(StoredWebhook.parse(older)).toEqual({ ...webhook, isResponsive: false, missedSince: null, missedUntil: null });
});
