import { expect, it } from 'vitest';
import { complaintsAbout } from './reading.ts';

const header = 'email,firstName,createdAt';
const sale = (totalEarned: string, more = ''): string =>
  `totalEarned,email${more && ',createdAt'}\n"${totalEarned}",a@example.com${more && `,"${more}"`}\n`;
const affiliate = (cells: string): string => `${header}\n${cells}\n`;
const created = (time: string): string => affiliate(`a@example.com,Amara,"${time}"`);
const needsNumber = 'totalEarned must be a number such as 1234.56';
const needsTime = 'createdAt must be a date such as 2024-01-31 or a time such as 2024-01-31T12:00:00Z';
const slashes = 'createdAt is a date with slashes, which can mean two days; write it as 2024-01-31';
const notADay = 'createdAt is not a day of the calendar';
const ambiguous = 'totalEarned could mean 1234 or 1.234; write it without a thousands separator';
const cells = (count: number, of: number): string =>
  `The row has another number of cells (${count}) than the header (${of}). Check its separators and quotes.`;

it.each<[name: string, content: string | Uint8Array, row: number, column: string | null, message: string]>([
  ['fewer cells', affiliate('a@example.com,Amara'), 2, null, cells(2, 3)],
  ['more cells', affiliate('a@example.com,Amara,,x'), 2, null, cells(4, 3)],
  ['more cells, one of them blank', affiliate('a@example.com,Amara,,x,'), 2, null, cells(5, 3)],
  ['another separator', affiliate('a@example.com;Amara;'), 2, null, cells(1, 3)],
  ['an email with a new line', affiliate('"a@exam\nple.com",Amara,'), 2, 'email', 'email must be an email address'],
  ['an email that is none', affiliate('amara,Amara,'), 2, 'email', 'email must be an email address'],
  ['no email', affiliate(',Amara,'), 2, 'email', 'email is required'],
  ['a formula as email', affiliate('"=A1&""@example.com""",Amara,'), 2, 'email', 'email must be an email address'],
  [
    'a cell of 10 KB',
    affiliate(`a@example.com,${'x'.repeat(10_240)},`),
    2,
    'firstName',
    'firstName must have at most 100 characters',
  ],
  [
    'a control character',
    affiliate('a@example.com,A\u0007,'),
    2,
    'firstName',
    'firstName must not contain control characters',
  ],
  ['a problem behind blank rows', `${header}\n\n,,\n\nx,Amara,\n`, 5, 'email', 'email must be an email address'],
  [
    'a problem behind a cell of three lines',
    'email,firstName,note\na@example.com,A,"x\n\ny"\nx,Amara,\n',
    3,
    'email',
    'email must be an email address',
  ],
  ['the year 0', created('0000-01-01'), 2, 'createdAt', 'createdAt must be in the year 2000 or later'],
  ['the year 1999', created('1999-12-31T23:59:59Z'), 2, 'createdAt', 'createdAt must be in the year 2000 or later'],
  ['the year 9999', created('9999-12-31'), 2, 'createdAt', 'createdAt is in the future'],
  ['a millisecond in the future', created('2025-06-15T12:00:00.001Z'), 2, 'createdAt', 'createdAt is in the future'],
  ['30 February', created('2024-02-30'), 2, 'createdAt', notADay],
  ['29 February of 2023', created('2023-02-29'), 2, 'createdAt', notADay],
  ['29 February of 2100', created('2100-02-29'), 2, 'createdAt', notADay],
  ['31 April', created('2024-04-31T00:00:00Z'), 2, 'createdAt', notADay],
  ['month 0', created('2024-00-10'), 2, 'createdAt', notADay],
  ['month 13', created('2024-13-10'), 2, 'createdAt', notADay],
  ['day 0', created('2024-01-00'), 2, 'createdAt', notADay],
  ['24 o’clock', created('2024-01-31T24:00:00Z'), 2, 'createdAt', 'createdAt is not a time of the day'],
  ['second 60', created('2024-01-31T12:00:60Z'), 2, 'createdAt', 'createdAt is not a time of the day'],
  ['a zone of 99 hours', created('2024-01-31T12:00:00+99:00'), 2, 'createdAt', 'createdAt is not a time of the day'],
  ['a date with slashes', created('01/02/2024'), 2, 'createdAt', slashes],
  ['a date with a time and slashes', created('1/2/2024 10:00'), 2, 'createdAt', slashes],
  ['a date in words', created('Jan 31, 2024'), 2, 'createdAt', needsTime],
  ['a serial number of a spreadsheet', created('45292'), 2, 'createdAt', needsTime],
  ['seconds since 1970', created('1706702400'), 2, 'createdAt', needsTime],
  ['a formula as date', created('=TODAY()'), 2, 'createdAt', needsTime],
  ['full-width digits in a date', created('２０２４-01-31'), 2, 'createdAt', needsTime],
  ['a negative amount', sale('-5'), 2, 'totalEarned', 'totalEarned must not be negative'],
  ['a negative amount with a sign', sale('$-5.00'), 2, 'totalEarned', 'totalEarned must not be negative'],
  ['a negative amount of accountants', sale('(5.00)'), 2, 'totalEarned', 'totalEarned must not be negative'],
  ['a negative amount with a minus sign', sale('−5'), 2, 'totalEarned', 'totalEarned must not be negative'],
  ['no amount', sale(''), 2, 'totalEarned', 'totalEarned is required'],
  ['an amount of 0', sale('0.00'), 2, 'totalEarned', 'totalEarned must be above 0'],
  ['1e5', sale('1e5'), 2, 'totalEarned', needsNumber],
  ['NaN', sale('NaN'), 2, 'totalEarned', needsNumber],
  ['Infinity', sale('Infinity'), 2, 'totalEarned', needsNumber],
  ['0x10', sale('0x10'), 2, 'totalEarned', needsNumber],
  ['a formula as amount', sale('=1+1'), 2, 'totalEarned', needsNumber],
  ['an escaped formula as amount', sale("'=1+1"), 2, 'totalEarned', needsNumber],
  ['full-width digits', sale('１２'), 2, 'totalEarned', needsNumber],
  ['Arabic digits', sale('١٢'), 2, 'totalEarned', needsNumber],
  ['a currency sign alone', sale('$'), 2, 'totalEarned', needsNumber],
  ['separators alone', sale('1,2,3'), 2, 'totalEarned', needsNumber],
  ['two decimal points', sale('1.2.3'), 2, 'totalEarned', needsNumber],
  ['one separator before three digits', sale('1,234'), 2, 'totalEarned', ambiguous],
  ['one point before three digits', sale('1.234'), 2, 'totalEarned', ambiguous],
  ['12 decimals', sale('1.123456789012'), 2, 'totalEarned', 'totalEarned has more decimals than USD can have (2)'],
  ['another currency', sale('5 EUR'), 2, 'totalEarned', 'totalEarned is in EUR, but must be in USD'],
  ['the sign of another currency', sale('€5'), 2, 'totalEarned', 'totalEarned is in €, but must be in USD'],
  ['the sign of another dollar', sale('A$5'), 2, 'totalEarned', 'totalEarned is in A$, but must be in USD'],
  [
    'an amount beyond what is exact',
    sale('10000000000000.00'),
    2,
    'totalEarned',
    'totalEarned must be at most 9999999999999.99 in USD',
  ],
  [
    'an amount of 400 digits',
    sale('9'.repeat(400)),
    2,
    'totalEarned',
    'totalEarned must be at most 9999999999999.99 in USD',
  ],
  [
    'a sale without a customer or affiliate',
    'totalEarned,name\n5,A\n',
    2,
    'referralId',
    'referralId, email, promoCode, affiliateEmail or affiliateId is required',
  ],
  [
    'a column with another currency',
    'totalEarned,email,currency\n5,a@example.com,eur\n',
    2,
    'currency',
    'currency is eur, but must be USD, the currency of the program',
  ],
  [
    'a refund of more than all',
    'totalEarned,email,refundedAmount\n5,a@example.com,5.01\n',
    2,
    'refundedAmount',
    'refundedAmount is more than totalEarned',
  ],
  [
    'a time of a refund of nothing',
    'totalEarned,email,refundedAt\n5,a@example.com,2024-01-31\n',
    2,
    'refundedAt',
    'refundedAt needs a refundedAmount',
  ],
  [
    'a payment before the sale',
    'totalEarned,email,createdAt,paidAt\n5,a@example.com,2024-01-31,2024-01-29\n',
    2,
    'paidAt',
    'paidAt is before createdAt',
  ],
  [
    'a paid state without a time',
    'totalEarned,email,state,paidAt\n5,a@example.com,paid,\n',
    2,
    'paidAt',
    'paidAt is required for a commission that is paid',
  ],
  [
    'an unpaid state with a time of payment',
    'totalEarned,email,state,paidAt\n5,a@example.com,due,2024-01-31\n',
    2,
    'paidAt',
    'paidAt is given for a commission that is not paid',
  ],
  [
    'an unknown state',
    'totalEarned,email,state\n5,a@example.com,lost\n',
    2,
    'state',
    'state must be one of unpaid, approved, paid, refunded',
  ],
  [
    'a commission and a rate',
    'totalEarned,email,commissionAmount,commissionRate\n5,a@example.com,1,20\n',
    2,
    'commissionAmount',
    'commissionAmount and commissionRate exclude each other: give one of them',
  ],
  [
    'a rate over 100',
    'totalEarned,email,commissionRate\n5,a@example.com,101%\n',
    2,
    'commissionRate',
    'commissionRate must be at most 100',
  ],
  [
    'a quantity that is no whole number',
    'totalEarned,email,product.productId,product.quantity\n5,a@example.com,p,1.5\n',
    2,
    'product.quantity',
    'product.quantity must be a whole number such as 12',
  ],
  [
    'a product without its id',
    'totalEarned,email,product.name\n5,a@example.com,Mug\n',
    2,
    'product.productId',
    'product.productId is required',
  ],
  [
    'a boolean that is neither',
    'totalEarned,email,firstOrder\n5,a@example.com,maybe\n',
    2,
    'firstOrder',
    'firstOrder must be true or false',
  ],
])('a row with %s is refused alone', async (_, content, row, column, message) => {
  const kind = content.toString().startsWith('email') ? 'affiliates' : 'sales';
  expect(await complaintsAbout(kind, content)).toEqual([{ of: 'row', row, column, message }]);
});

it('a refused row names all its problems, and the rows beside it are accepted', async () => {
  const content = `${header}\na@example.com,Amara,2024-01-31\nx,,yesterday\nb@example.com,Ben,2024-01-31\n`;
  expect(await complaintsAbout('affiliates', content)).toEqual([
    { of: 'row', row: 3, column: 'createdAt', message: needsTime },
    { of: 'row', row: 3, column: 'email', message: 'email must be an email address' },
    { of: 'row', row: 3, column: 'firstName', message: 'firstName is required' },
  ]);
});

it.each([
  [
    'coupons',
    'name,couponType,amountOff,currency\nA,FLAT,1.50,JPY\n',
    'amountOff',
    'amountOff has more decimals than JPY can have (0)',
  ],
  [
    'coupons',
    'name,couponType,amountOff,currency\nA,FLAT,1.50,XX\n',
    'currency',
    'currency must be an ISO 4217 currency code such as USD',
  ],
  ['coupons', 'name,couponType\nA,half\n', 'couponType', 'couponType must be one of PERCENTAGE, FLAT'],
  ['coupons', 'name,percentOff,redeemBy\nA,20,tomorrow\n', 'redeemBy', needsTime.replace('createdAt', 'redeemBy')],
  [
    'coupons',
    `name,percentOff,productIds\nA,20,${'x'.repeat(101)};y\n`,
    'productIds',
    'productIds.0 must have at most 100 characters',
  ],
  ['codes', 'code,couponName\nA20,\n', 'couponId', 'couponId, couponName or couponExternalId is required'],
  [
    'codes',
    'code,couponName,couponExternalId\nA20,Spring,s-1\n',
    'couponId',
    'couponId, couponName and couponExternalId exclude each other: give one of them',
  ],
  ['codes', 'code,couponName\n,Spring\n', 'code', 'code is required'],
  [
    'codes',
    'code,couponName,minimumAmount,minimumAmountCurrency\nA20,Spring,1.5,JPY\n',
    'minimumAmount',
    'minimumAmount has more decimals than JPY can have (0)',
  ],
  [
    'links',
    'link,destinationUrl\nx,javascript:alert(1)\n',
    'destinationUrl',
    'destinationUrl must be an absolute http or https URL without credentials',
  ],
  [
    'referrals',
    'email,affiliateEmail,promoCode\na@example.com,b@example.com,X\n',
    'affiliateId',
    'affiliateId, affiliateEmail, promoCode and clickId exclude each other: give one of them',
  ],
] as const)('%s are checked by the rules of their create operation: %j', async (kind, content, column, message) => {
  expect(await complaintsAbout(kind, content)).toContainEqual({ of: 'row', row: 2, column, message });
});
