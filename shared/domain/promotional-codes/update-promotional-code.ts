import type { BodyOf } from '../../contract/operation.ts';
import type { updatePromotionalCode as operation } from '../../contract/promotional-codes.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { fromMinor, positiveMinor } from '../../platform/money/money.ts';
import { editRecord, sentFields } from '../../platform/table/edit.ts';
import { capAfterEdit } from '../uses/counters.ts';
import { promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

type Body = BodyOf<typeof operation>;
type Minimum = Pick<StoredPromotionalCode, 'minimumAmountMinor' | 'minimumAmountCurrency'>;

/** An amount without a currency keeps the old currency, else gets the program's. */
const changedMinimum = (before: Minimum, body: Body, programCurrency: string): Minimum => {
  const { minimumAmountMinor: minorBefore, minimumAmountCurrency: currencyBefore } = before;
  const amountBefore = minorBefore === null || !currencyBefore ? null : fromMinor(minorBefore, currencyBefore);
  const amount = body.minimumAmount === undefined ? amountBefore : body.minimumAmount;
  if (!amount) return { minimumAmountMinor: null, minimumAmountCurrency: null };
  const given = body.minimumAmountCurrency === undefined ? currencyBefore : body.minimumAmountCurrency;
  const currency = given ?? programCurrency;
  return { minimumAmountMinor: positiveMinor('minimumAmount', amount, currency), minimumAmountCurrency: currency };
};

const changedCode = (code: StoredPromotionalCode, body: Body, programCurrency: string, now: Date) => {
  const { promotionalCodeId: _id, minimumAmount: _amount, minimumAmountCurrency: _currency, ...fields } = body;
  const given = sentFields(fields);
  const changed: StoredPromotionalCode = { ...code, ...given, updatedAt: now.toISOString() };
  const cap = capAfterEdit(code, changed.maxRedemptions, now);
  return { ...changed, ...changedMinimum(code, body, programCurrency), ...cap };
};

/** Calls `onFound` with the code before it is written. 404 if there is none, 400 if its code or externalId is taken. docs/behavior.md#code-text */
export const updatePromotionalCode = (
  { id: programId, currency }: { id: string; currency: string },
  body: Body,
  expectedVersions: readonly number[] | undefined,
  now: Date,
  onFound: OnFound<StoredPromotionalCode> = readNothingBeside,
): Promise<StoredPromotionalCode> =>
  editRecord(
    promotionalCodes,
    { programId, id: body.promotionalCodeId, noun: 'Promotional code', expectedVersions },
    (code) => {
      onFound(code);
      return { after: changedCode(code, body, currency, now) };
    },
  );
