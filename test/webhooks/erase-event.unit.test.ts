import { describe, expect, it } from 'vitest';
import { erasedBody, isEventAbout } from '../../shared/webhooks/privacy/erase-event.ts';

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

const dan = { ...person, email: 'dan@acme.com', ids: new Set(['referral-1']) };
const bodyOf = (data: object) => JSON.stringify({ id: 'event-1', data });
const withoutDan = (data: object) => JSON.parse(erasedBody(dan, bodyOf(data))).data;

describe('an email that is a part of another one', () => {
  it.each(['jordan@acme.com', 'dan@acme.community', 'dan@acme.com.au'])(
    'leaves the customer %s, each text with that email, and the bytes of the event as they are',
    (email) => {
      const metadata = { [email]: `order-${email}` };
      const body = bodyOf({ id: 'referral-2', email, name: 'Jordan', customerId: email, payoutEmail: email, metadata });
      expect(erasedBody(dan, body)).toBe(body);
      expect(isEventAbout(dan, body)).toBe(false);
    },
  );

  it('is no mention in a field of emails, whatever precedes it', () => {
    const referral = { id: 'referral-2', email: 'x/dan@acme.com', payoutEmail: 'x=dan@acme.com', metadata: {} };
    expect(withoutDan(referral)).toEqual(referral);
    expect(withoutDan({ ...referral, payoutEmail: 'dan@acme.com' })).toEqual({ ...referral, payoutEmail: 'erased' });
  });

  it('does not keep an event about the person from being theirs, whatever the case of the email', () => {
    for (const data of [
      { id: 'referral-2', email: 'dan@acme.com' },
      { id: 'referral-2', email: 'DAN@Acme.com' },
    ])
      expect(isEventAbout(dan, bodyOf(data))).toBe(true);
    expect(isEventAbout(dan, bodyOf({ id: 'referral-1', email: null }))).toBe(true);
  });

  it('is erased in an id of an own record, but not in a record that it holds', () => {
    const jordan = { id: 'affiliate-2', email: 'jordan@acme.com' };
    const productsBought = [{ productId: 'p', name: 'for order-dan@acme.com' }];
    const sale = { id: 1, email: 'dan@acme.com', externalId: 'order-dan@acme.com', productsBought, affiliate: jordan };
    expect(withoutDan(sale)).toEqual({
      id: 1,
      email: 'erased-1@erased.invalid',
      externalId: 'erased',
      productsBought: [{ productId: 'p', name: 'erased' }],
      affiliate: jordan,
    });
  });
});

describe('a text of somebody else', () => {
  it.each([
    'dan@acme.com',
    'DAN@ACME.COM',
    'Write to dan@acme.com.',
    'mailto:dan@acme.com',
    'Dan <dan@acme.com>',
    '<dan@acme.com',
    "dan@acme.com's team",
    "'dan@acme.com'",
    '_dan@acme.com_',
    '- dan@acme.com - the buyer',
    'https://example.com/?email=dan@acme.com&plan=1',
    '/customers/dan@acme.com/orders',
    'team:dan@acme.com:1',
    'dan@acme.com-2026',
    'jordan@acme.com, dan@acme.com',
    'jordan@acme.comdan@acme.com',
    'dan@acme.comdan@acme.com',
    '連絡先はdan@acme.comです',
    String.raw`{"text":"Dear\ndan@acme.com"}`,
    String.raw`{"text":"\u003cdan@acme.com\u003e"}`,
  ])('that says %s mentions the person, and is erased', (notes) => {
    expect(withoutDan({ id: 'referral-2', notes })).toEqual({ id: 'referral-2', notes: 'erased' });
  });

  it.each([
    'jordan@acme.com',
    '1dan@acme.com',
    'order-dan@acme.com',
    'order_dan@acme.com',
    'jor.dan@acme.com',
    'list+dan@acme.com',
    "o'dan@acme.com",
    'jor--dan@acme.com',
    'dan@acme.com.au',
    'dan@acme.community',
    'dan@acme.com-pany.org',
    'dan@acme.com1',
    'dan@acme.co',
    'dan at acme.com',
    'jordan@acme.com, jordan@acme.com.',
  ])('that says %s mentions somebody else, and stays', (notes) => {
    expect(withoutDan({ id: 'referral-2', notes })).toEqual({ id: 'referral-2', notes });
  });

  it('is erased where it is the name of a value', () => {
    const metadata = { 'dan@acme.com': 'yes', 'jordan@acme.com': 'no' };
    expect(withoutDan({ id: 'referral-2', metadata })).toEqual({
      id: 'referral-2',
      metadata: { erased: 'yes', 'jordan@acme.com': 'no' },
    });
  });
});
