import type { ImportKind } from '../../../contract/imports.ts';

export interface RowFields {
  readonly body: Record<string, unknown>;
  readonly extra: Record<string, unknown>;
}

export interface RuleSettings {
  readonly currency: string;
  readonly hasPaidAt: boolean;
}

type Complain = (column: string, predicate: string) => void;

const splitFullName = ({ body, extra }: RowFields): void => {
  const { fullName } = extra;
  if (typeof fullName !== 'string' || body.firstName !== undefined || body.lastName !== undefined) return;
  const space = fullName.lastIndexOf(' ');
  body.firstName = space < 0 ? fullName : fullName.slice(0, space).trim();
  if (space >= 0) body.lastName = fullName.slice(space + 1);
};

const isGiven = (value: unknown): boolean => value !== undefined;

const checkReferral = ({ body, extra }: RowFields, complain: Complain): void => {
  if (![body.affiliateId, body.affiliateEmail, body.promoCode].some(isGiven))
    complain('affiliateId', ', affiliateEmail or promoCode is required');
  const name = [extra.firstName, extra.lastName].filter(isGiven).join(' ');
  body.name ??= name || body.email;
};

const checkCode = ({ body, extra }: RowFields, complain: Complain): void => {
  if (!isGiven(body.code)) complain('code', 'is required');
  const given = [body.couponId, extra.couponName, extra.couponExternalId].filter(isGiven);
  if (given.length === 0) complain('couponId', ', couponName or couponExternalId is required');
  if (given.length > 1) complain('couponId', ', couponName and couponExternalId exclude each other: give one of them');
};

const dayInMilliseconds = 86_400_000;

/** A day of tolerance, because one of the two may be a date. */
const isBefore = (time: unknown, createdAt: unknown): boolean =>
  time instanceof Date && createdAt instanceof Date && time.getTime() + dayInMilliseconds < createdAt.getTime();

const checkRefund = ({ body, extra }: RowFields, complain: Complain): void => {
  if (extra.state === 'refunded') extra.refundedAmount = body.totalEarned;
  const { refundedAmount, refundedAt } = extra;
  if (typeof refundedAmount === 'number' && typeof body.totalEarned === 'number') {
    if (refundedAmount > body.totalEarned) complain('refundedAmount', 'is more than totalEarned');
  }
  if (refundedAt !== undefined && !refundedAmount) complain('refundedAt', 'needs a refundedAmount');
};

/** An export that names no payments is not a reason to pay a commission again: the time of the sale stands in. */
const checkPayment = ({ extra }: RowFields, complain: Complain, { hasPaidAt }: RuleSettings): void => {
  const isPaid = extra.state === 'paid' || extra.isPaid === true;
  const isUnpaid = !isPaid && (extra.state === 'unpaid' || extra.isPaid === false);
  if (isPaid && !hasPaidAt) extra.paidAt ??= extra.createdAt;
  if (isPaid && extra.paidAt === undefined) complain('paidAt', 'is required for a commission that is paid');
  if (isUnpaid && extra.paidAt !== undefined) complain('paidAt', 'is given for a commission that is not paid');
};

const checkSale = ({ body, extra }: RowFields, complain: Complain, settings: RuleSettings): void => {
  const names = [body.referralId, body.email, body.promoCode, extra.affiliateEmail, extra.affiliateId];
  if (!names.some(isGiven)) complain('referralId', ', email, promoCode, affiliateEmail or affiliateId is required');
  checkRefund({ body, extra }, complain);
  checkPayment({ body, extra }, complain, settings);
  for (const column of ['refundedAt', 'paidAt'])
    if (isBefore(extra[column], extra.createdAt)) complain(column, 'is before createdAt');
  if (extra.commissionAmount !== undefined && body.commissionRate !== undefined)
    complain('commissionAmount', 'and commissionRate exclude each other: give one of them');
  const { currency } = settings;
  if (typeof extra.currency === 'string' && extra.currency.toUpperCase() !== currency)
    complain('currency', `is ${extra.currency.slice(0, 10)}, but must be ${currency}, the currency of the program`);
};

export const applyRowRules = (
  kind: ImportKind,
  fields: RowFields,
  complain: Complain,
  settings: RuleSettings,
): void => {
  if (kind === 'affiliates') splitFullName(fields);
  if (kind === 'referrals') checkReferral(fields, complain);
  if (kind === 'codes') checkCode(fields, complain);
  if (kind === 'sales') checkSale(fields, complain, settings);
};

/** A value for a field that the create operation requires and that something beside the body replaces; taken off after validation. */
export const standInFor = (
  kind: ImportKind,
  { body, extra }: RowFields,
): { readonly field: string; readonly value: string } | undefined => {
  if (kind === 'codes' && !isGiven(body.couponId) && (isGiven(extra.couponName) || isGiven(extra.couponExternalId)))
    return { field: 'couponId', value: '00000000-0000-0000-0000-000000000000' };
  const isNamed = ['referralId', 'email', 'promoCode'].some((field) => isGiven(body[field]));
  if (kind === 'sales' && !isNamed && (isGiven(extra.affiliateId) || isGiven(extra.affiliateEmail)))
    return { field: 'referralId', value: 'imported' };
  return undefined;
};
