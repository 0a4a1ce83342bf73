import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/transport';
import { expect, it, vi } from 'vitest';
import { visitorOf } from '../../../shared/domain/tracking/visitor.ts';
import { connections } from '../../../shared/platform/clients/signed-call.ts';
import { deleteItem, getItem } from '../../../shared/platform/table/items.ts';

// docs/behavior.md#visitors

const first = new Date('2031-05-01T12:00:00.000Z');
const next = new Date('2031-05-02T00:00:00.000Z');

it('the hashes of a visitor are those of one day, and the salt of a day expires two days after it began', async () => {
  const hashesAt = (when: Date) => visitorOf('192.0.2.1', 'Chrome', when);
  const hashes = await hashesAt(first);
  expect(await hashesAt(first)).toEqual(hashes);
  const later = await hashesAt(next);
  expect(later.visitor).not.toBe(hashes.visitor);
  expect(later.source).not.toBe(hashes.source);
  const salt = await getItem('traffic', { pk: 'VISITOR_SALT#2031-05-01', sk: 'VISITOR_SALT' });
  expect(salt?.ttl).toBe(Date.parse('2031-05-03T00:00:00.000Z') / 1000);
});

it('visitors of one address, or of one /64 of IPv6, have the same source', async () => {
  const of = (address: string, userAgent: string) => visitorOf(address, userAgent, first);
  const [one, other, elsewhere] = [
    await of('2001:db8::1', 'Chrome'),
    await of('2001:db8::2', 'Firefox'),
    await of('2001:db8:0:1::1', 'Chrome'),
  ];
  expect(one.source).toBe(other.source);
  expect(one.visitor).not.toBe(other.visitor);
  expect(elsewhere.source).not.toBe(one.source);
});

it('the salt of a day is read once, and again after a read that failed', async () => {
  const of = () => visitorOf('192.0.2.1', 'Chrome', new Date('2031-05-03T12:00:00.000Z'));
  // What is remembered is one day.
  await visitorOf('192.0.2.1', 'Chrome', first);
  const calls = vi.spyOn(connections, 'handle');
  // A refusal, which is not retried.
  const body = Readable.from([
    Buffer.from(JSON.stringify({ __type: 'AccessDeniedException', message: 'Not allowed' })),
  ]);
  calls.mockResolvedValueOnce({ response: new HttpResponse({ statusCode: 400, body }) });
  await expect(of()).rejects.toThrow('Not allowed');
  const known = await of();
  calls.mockClear();
  // Whoever read it again would make another one.
  await deleteItem('traffic', { pk: 'VISITOR_SALT#2031-05-03', sk: 'VISITOR_SALT' });
  expect(await of()).toEqual(known);
  expect(calls).not.toHaveBeenCalled();
});
