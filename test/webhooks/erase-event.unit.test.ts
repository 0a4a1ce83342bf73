import { expect, it } from 'vitest';
import { erasedBody } from '../../shared/webhooks/privacy/erase-event.ts';

const person = {
  erasureId: 'erasure-1',
  email: 'zuri@example.com',
  ids: new Set(['affiliate-1']),
  customerIds: new Set<string>(),
};
const erasedData = (data: object) => JSON.parse(erasedBody(person, JSON.stringify({ id: 'event-1', data }))).data;

it('an affiliate who is erased keeps every field, with nothing of the person in it', () => {
  const metadata = { about: 'Zuri' };
  const affiliate = {
    id: 'affiliate-1',
    firstName: 'Zuri',
    lastName: '',
    email: 'zuri@example.com',
    payoutEmail: 'payouts@example.com',
    externalId: 'partner-1',
    commissionRate: 20,
    metadata,
  };
  expect(erasedData(affiliate)).toEqual({
    id: 'affiliate-1',
    firstName: 'erased',
    lastName: '',
    email: 'erased-affiliate-1@erased.invalid',
    payoutEmail: null,
    externalId: null,
    commissionRate: 20,
    metadata: {},
  });
});

it('a customer who is erased has no ids of the program’s own, and nobody’s email where there was one', () => {
  const ofPerson = { id: 'affiliate-1', name: 'Zuri', customerId: 'user-1', referredUserExternalId: 'user-1' };
  const erased = { id: 'affiliate-1', name: 'erased', customerId: null, referredUserExternalId: null };
  expect(erasedData({ ...ofPerson, email: null })).toEqual({ ...erased, email: null });
});

it('the text stays the same where the event is about somebody else', () => {
  const body = JSON.stringify({ id: 'event-1', data: { id: 'affiliate-2', email: 'other@example.com' } });
  expect(erasedBody(person, body)).toBe(body);
});
