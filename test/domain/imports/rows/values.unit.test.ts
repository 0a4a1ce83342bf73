import { expect, it } from 'vitest';
import { isRefused, type Options, readAll } from './reading.ts';

/** The body, the time and what accompanies them, of a file with one row. */
const onlyRow = async (
  kind: 'affiliates' | 'coupons' | 'codes' | 'sales' | 'referrals',
  content: string,
  more = {},
) => {
  const [row, ...others] = await readAll(kind, content, more);
  if (!row || isRefused(row) || others.length > 0) throw new Error(JSON.stringify([row, others]));
  return row;
};

it.each([
  ['1234.56', 1234.56],
  ['1,234.56', 1234.56],
  ['1.234,56', 1234.56],
  ['1 234,56', 1234.56],
  ['1\u202F234,56', 1234.56],
  ["1'234.56", 1234.56],
  ['1,234,567', 1_234_567],
  ['1.234.567,8', 1_234_567.8],
  ['12,5', 12.5],
  ['0.500', 0.5],
  ['0,500', 0.5],
  ['12.3400', 12.34],
  ['007', 7],
  ['$1,234.50', 1234.5],
  ['US$ 5', 5],
  ['5 usd', 5],
  ['USD 5.00', 5],
  ['9999999999999.99', 9_999_999_999_999.99],
])('the amount %s of a program in USD is %d', async (cell, totalEarned) => {
  const { body } = await onlyRow('sales', `totalEarned,email\n"${cell}",a@example.com\n`);
  expect(body).toEqual({ totalEarned, email: 'a@example.com' });
});

it.each([
  ['JPY', '¥1500', 1500],
  ['JPY', '1500.00', 1500],
  ['KWD', '1.234', 1.234],
  ['CAD', '$1.50', 1.5],
  ['CAD', 'CA$1.50', 1.5],
  ['EUR', '1.234,50 €', 1234.5],
])('an amount in %s may be %s', async (currency, cell, totalEarned) => {
  const { body } = await onlyRow('sales', `totalEarned,email\n"${cell}",a@example.com\n`, { currency });
  expect(body).toMatchObject({ totalEarned });
});

it.each([
  ['20', 20],
  ['20%', 20],
  ['12.125 %', 12.125],
  ['12,5', 12.5],
  ['0.2', 0.2],
])('the rate %s is %d percent', async (cell, commissionRate) => {
  const { body } = await onlyRow('affiliates', `email,firstName,commissionRate\na@example.com,A,"${cell}"\n`);
  expect(body).toMatchObject({ commissionRate });
});

it.each([
  ['UTC', '2024-07-01', '2024-07-01T00:00:00.000Z'],
  ['UTC', '2024-07-01 10:20', '2024-07-01T10:20:00.000Z'],
  ['UTC', '2024-07-01T10:20:30.123456', '2024-07-01T10:20:30.123Z'],
  ['America/New_York', '2024-07-01', '2024-07-01T04:00:00.000Z'],
  ['America/New_York', '2024-07-01 10:20:30', '2024-07-01T14:20:30.000Z'],
  ['America/New_York', '2024-07-01 10:20:30 UTC', '2024-07-01T10:20:30.000Z'],
  ['America/New_York', '2024-07-01T10:20:30Z', '2024-07-01T10:20:30.000Z'],
  ['America/New_York', '2024-07-01T10:20:30+02:00', '2024-07-01T08:20:30.000Z'],
  ['America/New_York', '2024-07-01 10:20:30 -0330', '2024-07-01T13:50:30.000Z'],
  // The clock is turned back over this time, and skips the next one.
  ['America/New_York', '2024-11-03 01:30', '2024-11-03T05:30:00.000Z'],
  ['America/New_York', '2024-03-10 02:30', '2024-03-10T06:30:00.000Z'],
  ['UTC', '2025-06-15T12:00:00Z', '2025-06-15T12:00:00.000Z'],
  ['UTC', '2000-01-01', '2000-01-01T00:00:00.000Z'],
])('in %s the time %s is %s', async (timeZone, cell, time) => {
  const { createdAt } = await onlyRow('affiliates', `email,firstName,createdAt\na@example.com,A,${cell}\n`, {
    timeZone,
  });
  expect(createdAt?.toISOString()).toBe(time);
});

it.each([
  ['UTC', '2030-01-31', '2030-01-31T23:59:59.999Z'],
  ['Europe/Berlin', '2030-01-31', '2030-01-31T22:59:59.999Z'],
  ['Europe/Berlin', '2030-01-31T12:00', '2030-01-31T11:00:00.000Z'],
  ['UTC', '9999-12-31', '9999-12-31T23:59:59.999Z'],
])('in %s an expiry of %s is %s, as in the forms of the dashboard', async (timeZone, cell, redeemBy) => {
  const { body } = await onlyRow('coupons', `name,percentOff,redeemBy\nA,20,${cell}\n`, { timeZone });
  expect(body).toMatchObject({ redeemBy });
});

it.each([
  ['TRUE', true],
  ['yes', true],
  ['1', true],
  ['False', false],
  ['no', false],
  ['0', false],
])('%s is the boolean %s', async (cell, firstOrder) => {
  expect((await onlyRow('sales', `totalEarned,email,firstOrder\n5,a@example.com,${cell}\n`)).body).toMatchObject({
    firstOrder,
  });
});

it('cells are trimmed, an empty one is a field that is not given, and formulas that an export escaped come back', async () => {
  const content = "email,firstName,lastName,payoutEmail,metadata.note\n A@Example.com , '=1+1 ,'plain, ,x;'@y\n";
  expect((await onlyRow('affiliates', content)).body).toEqual({
    email: 'a@example.com',
    firstName: '=1+1',
    lastName: "'plain",
    metadata: { note: 'x;@y' },
  });
});

it('lists are separated by semicolons, and choices may be written in other letters', async () => {
  const content = 'name,couponType,percentOff,productIds,integrationType\nA,Percentage,20," a; b;;c",Lemon Squeezy\n';
  expect((await onlyRow('coupons', content)).body).toMatchObject({
    couponType: 'PERCENTAGE',
    productIds: ['a', 'b', 'c'],
    integrationType: 'LEMON_SQUEEZY',
  });
});

it('metadata has keys like those of every object', async () => {
  const content = 'email,firstName,metadata.constructor,metadata.toString\na@example.com,A,x,y\n';
  const { body } = await onlyRow('affiliates', content);
  expect(Object.entries('metadata' in body ? (body.metadata ?? {}) : {})).toEqual([
    ['constructor', 'x'],
    ['toString', 'y'],
  ]);
});

it.each([
  ['Amara', { firstName: 'Amara' }],
  ['Amara Okafor', { firstName: 'Amara', lastName: 'Okafor' }],
  ['Amara N. Okafor', { firstName: 'Amara N.', lastName: 'Okafor' }],
])('the full name %s is split at its last space', async (name, parts) => {
  expect((await onlyRow('affiliates', `email,Full name\na@example.com,${name}\n`)).body).toEqual({
    email: 'a@example.com',
    ...parts,
  });
});

it('a referral is named by its first and last name, else by its email', async () => {
  const content =
    'email,firstName,lastName,affiliateEmail\na@example.com,A,B,c@example.com\nb@example.com,,,c@example.com\n';
  const rows = await readAll('referrals', content);
  expect(rows.map((row) => 'body' in row && row.body.name)).toEqual(['A B', 'b@example.com']);
});

it('a code names its coupon in one of three ways', async () => {
  const byName = await onlyRow('codes', 'code,couponName\nA20,Spring\n');
  expect([byName.body, byName.extra]).toEqual([
    expect.not.objectContaining({ couponId: expect.anything() }),
    { couponName: 'Spring' },
  ]);
  expect((await onlyRow('codes', 'code,couponExternalId\nA20,s-1\n')).extra).toEqual({ couponExternalId: 's-1' });
});

const paidSale = (columns: string, cells: string, options: Options<'sales'> = {}) =>
  onlyRow('sales', `totalEarned,affiliateEmail,createdAt,${columns}\n50,a@example.com,2024-01-31,${cells}\n`, options);

it('a sale may be known by its affiliate alone, with refund, payment and commission', async () => {
  const columns = 'refundedAmount,refundedAt,paidAt,commissionAmount';
  expect(await paidSale(columns, '10,2024-02-01,2024-03-01,8')).toEqual({
    row: 2,
    body: { totalEarned: 50 },
    given: new Set(['totalEarned']),
    createdAt: new Date('2024-01-31'),
    extra: {
      affiliateEmail: 'a@example.com',
      refundedAmount: 10,
      refundedAt: new Date('2024-02-01'),
      paidAt: new Date('2024-03-01'),
      commissionAmount: 8,
    },
  });
});

const owner = { affiliateEmail: 'a@example.com' };
it.each([
  ['state,paidAt', 'paid,2024-03-01', { paidAt: new Date('2024-03-01') }],
  // An export without times of payment: the time of the sale stands in, so that the commission is not paid again.
  ['state', 'paid', { paidAt: new Date('2024-01-31') }],
  ['isPaid', 'true', { paidAt: new Date('2024-01-31') }],
  ['isPaid', 'false', {}],
  ['state', 'due', {}],
  ['state,paidAt', 'approved,2024-03-01', { paidAt: new Date('2024-03-01') }],
  ['state', 'voided', { refundedAmount: 50 }],
  ['state,refundedAmount', 'voided,0', { refundedAmount: 50 }],
  ['state,refundedAmount', 'approved,10', { refundedAmount: 10 }],
  ['state,paidAt', 'refunded,2024-03-01', { refundedAmount: 50, paidAt: new Date('2024-03-01') }],
])('a sale with %s of %s says what was paid and refunded', async (columns, cells, extra) => {
  expect((await paidSale(columns, cells)).extra).toEqual({ ...owner, ...extra });
});

it('rows before the first one that is asked for are skipped', async () => {
  const content = 'email,firstName\nx,A\n\nb@example.com,B\nc@example.com,C\n';
  expect((await readAll('affiliates', content, { fromRow: 4 })).map(({ row }) => row)).toEqual([4, 5]);
});
