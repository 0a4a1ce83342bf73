import { expect, it } from 'vitest';
import { guessMapping, headOf } from '../../../../shared/domain/imports/rows/mapping.ts';
import { complaintsAbout, fileOf } from './reading.ts';

it.each([
  ['affiliates', 'Email Address', 'email'],
  ['affiliates', 'FIRST_NAME', 'firstName'],
  ['affiliates', 'Full name', 'fullName'],
  ['affiliates', 'Commission', 'commissionRate'],
  ['affiliates', 'Signed up at', 'createdAt'],
  ['affiliates', 'PayPal email', 'payoutEmail'],
  ['links', 'Partner Email', 'affiliateEmail'],
  ['referrals', 'Customer name', 'name'],
  ['referrals', 'Referred by', 'affiliateEmail'],
  ['coupons', 'Valid until', 'redeemBy'],
  ['codes', 'Coupon', 'couponName'],
  ['sales', 'Commission', 'commissionAmount'],
  ['sales', 'Sale Amount', 'totalEarned'],
  ['sales', 'Order ID', 'externalId'],
  ['sales', 'Status', 'state'],
  ['sales', 'SKU', 'product.productId'],
  ['sales', 'product.quantity', 'product.quantity'],
  ['sales', 'metadata.plan', 'metadata.plan'],
  ['sales', 'Shoe size', null],
  ['sales', '__proto__', null],
  ['sales', '', null],
] as const)('of %s, the header "%s" is the column %s', (kind, header, column) => {
  expect(Object.entries(guessMapping(kind, [header]).mapping)).toEqual([[header, column]]);
});

it('the first of two headers for one column gets it, and its own name goes before a synonym', () => {
  expect(guessMapping('affiliates', ['Mail', 'Email Address', 'First Name', 'Name']).mapping).toEqual({
    Mail: 'email',
    'Email Address': null,
    'First Name': 'firstName',
    Name: null,
  });
  expect(guessMapping('affiliates', ['Mail', 'email', 'e-mail']).mapping).toEqual({
    Mail: null,
    email: 'email',
    'e-mail': null,
  });
});

it.each([
  ['affiliates', ['plan'], ['email', 'firstName']],
  ['affiliates', ['Name'], ['email']],
  ['links', [], ['link']],
  ['referrals', ['email'], []],
  ['coupons', ['externalId'], ['name']],
  ['codes', ['code'], ['couponId']],
  ['codes', ['code', 'coupon name'], []],
  ['sales', ['email'], ['totalEarned']],
] as const)('%s with the headers %j lack %j', (kind, headers, missing) => {
  expect(guessMapping(kind, headers).missing).toEqual(missing);
});

const file = 'email,firstName,x\na@example.com,A,1\n';
it.each([
  [
    { email: 'email', firstName: 'firstName', x: 'email' },
    'x',
    '"email" and "x" are both mapped to email. Choose one of them.',
  ],
  [
    { email: 'email', firstName: 'firstName', x: 'clickId' },
    'x',
    '"clickId" is not a column of affiliates. Choose another one.',
  ],
  [{ email: 'email', firstName: 'firstName', y: 'lastName' }, 'y', 'The file has no column "y". Check the mapping.'],
  [
    { email: 'email', firstName: null },
    'firstName',
    'No column of the file is mapped to firstName, which every row needs.',
  ],
])('the mapping %j is refused', async (mapping, column, message) => {
  expect(await complaintsAbout('affiliates', file, { mapping })).toEqual([{ of: 'file', row: 1, column, message }]);
});

it('the head of a file has its headers and first rows, trimmed', async () => {
  expect(await headOf(fileOf('\uFEFF email ;"first;Name"\n a@example.com ;A\n'))).toEqual({
    headers: ['email', 'first;Name'],
    rows: [['a@example.com', 'A']],
  });
});
