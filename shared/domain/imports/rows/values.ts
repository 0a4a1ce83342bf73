import { currency as currencySchema, maxMinorUnits } from '../../../contract/fields.ts';
import { fromMinor, minorDigits } from '../../../platform/money/money.ts';
import { remembered } from '../../../platform/text/remembered.ts';
import type { Column } from './columns.ts';
import { Refused } from './refused.ts';
import { expiryOf, pastTimeOf } from './times.ts';
import { valueOfWord, wordOf } from './words.ts';

export interface ValueSettings {
  readonly currency: string;
  readonly timeZone: string;
  readonly now: Date;
  /** Whether an amount without decimals and sign is in minor units, such as cents. */
  readonly wholeAmountsAreMinor?: boolean | undefined;
}

const notANumber = new Refused('must be a number such as 1234.56');
const notWhole = new Refused('must be a whole number such as 12');
const notABoolean = new Refused('must be true or false');
const negative = new Refused('must not be negative');
const isAmbiguous = (one: string, other: string) =>
  new Refused(`could mean ${one} or ${other}; write it without a thousands separator`);

const plain = /^(\d+)(?:\.(\d+))?$/;
const grouped = /^(\d{1,3})(?:([,.\s'’])(\d{3})((?:\2\d{3})*))?(?:([.,])(\d+))?$/u;
const decimalComma = /^(\d+),(\d+)$/;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** As `1234.56`. One separator before three digits may be either, unless numbers are known to have three decimals. */
const readDecimal = (cell: string, pointIsDecimal: boolean): string | Refused => {
  const [, whole, decimals = ''] = plain.exec(cell) ?? [];
  const mayBeGroup = whole !== undefined && decimals.length === 3 && whole.length <= 3 && whole !== '0';
  if (whole !== undefined && (pointIsDecimal || !mayBeGroup)) return cell;
  const [, first = '', separator, second = '', more, point, fraction = ''] = grouped.exec(cell) ?? [];
  const isOneGroup = separator !== undefined && more === '' && point === undefined;
  if (isOneGroup && /[,.]/.test(separator) && first !== '0')
    return isAmbiguous(`${first}${second}`, `${first}.${second}`);
  if (separator !== undefined && separator !== point && first !== '0')
    return `${first}${second}${digitsOf(more ?? '')}${point ? `.${fraction}` : ''}`;
  const [, units, parts] = decimalComma.exec(cell) ?? [];
  return units === undefined ? notANumber : `${units}.${parts}`;
};

const isNegative = (cell: string): boolean => /^[-−(]/.test(cell) && /\d/.test(cell);

const numberOf = (cell: string): number | Refused => {
  if (isNegative(cell)) return negative;
  const decimal = readDecimal(cell, true);
  return decimal instanceof Refused ? decimal : Number(decimal);
};

const integerOf = (cell: string): number | Refused => {
  const value = numberOf(cell);
  if (value instanceof Refused) return value === notANumber ? notWhole : value;
  return Number.isSafeInteger(value) ? value : notWhole;
};

const signIn = (locale: string, currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string | undefined =>
  new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value;

const namesOf = remembered(
  (currency) =>
    new Set([
      currency,
      signIn('en', currency, 'symbol'),
      signIn('en', currency, 'narrowSymbol'),
      signIn('en-CA', currency, 'symbol'),
    ]),
);

const amountForm = /^(-?)(\p{L}*\p{Sc}|\p{L}{3})?\s*(.*?)\s*(\p{L}*\p{Sc}|\p{L}{3})?$/u;

const amountOf = (cell: string, currency: string, inMinorUnits: boolean): number | Refused => {
  if (isNegative(cell)) return negative;
  const [, , before, number = '', behind] = plain.test(cell)
    ? ['', '', undefined, cell]
    : (amountForm.exec(cell) ?? []);
  const named = before ?? behind;
  if (!/\d/.test(number)) return notANumber;
  if (named !== undefined && !namesOf(currency).has(named.toUpperCase()))
    return new Refused(`is in ${named.slice(0, 5)}, but must be in ${currency}`);
  if (isNegative(number)) return negative;
  const digits = inMinorUnits ? 0 : minorDigits(currency);
  const decimal = readDecimal(number, digits >= 3);
  if (decimal instanceof Refused) return decimal;
  const [whole = '', decimals = ''] = decimal.split('.');
  if (decimals.length > digits && /[1-9]/.test(decimals.slice(digits)))
    return new Refused(`has more decimals than ${currency} can have (${digits})`);
  if (whole.replace(/^0+/, '').length > 15 - digits)
    return new Refused(`must be at most ${fromMinor(maxMinorUnits, currency)} in ${currency}`);
  return inMinorUnits ? fromMinor(whole, currency) : Number(decimal);
};

const trueWords: ReadonlySet<string> = new Set(['true', 'yes', '1']);
const falseWords: ReadonlySet<string> = new Set(['false', 'no', '0']);

const booleanOf = (cell: string): boolean | Refused => {
  const word = cell.toLowerCase();
  if (trueWords.has(word)) return true;
  return falseWords.has(word) ? false : notABoolean;
};

const choiceOf = ({ name, choices }: Column) => {
  const known = new Map(choices.map((choice) => [wordOf(choice), choice]));
  const refused = new Refused(`must be one of ${choices.join(', ')}`);
  return (cell: string): string | Refused => known.get(wordOf(cell)) ?? valueOfWord(name, cell) ?? refused;
};

const mixedUnits = new Refused(
  'is in another unit than amounts of rows before, some with decimals and some without; write all with decimals',
);

/** Refuses a column that has amounts of both forms, because an amount would be 100 times too large or too small. */
const unitReader = (isMinor: boolean) => {
  let hasDecimals: boolean | undefined;
  return (cell: string): boolean | Refused => {
    const [match, , decimals] = isMinor ? (plain.exec(cell) ?? []) : [];
    if (match === undefined) return false;
    hasDecimals ??= decimals !== undefined;
    return hasDecimals === (decimals !== undefined) ? !hasDecimals : mixedUnits;
  };
};

const isCurrency = remembered((code) => currencySchema.safeParse(code).success);

/** Turns a cell, which is trimmed and not empty, into a value. `rowCurrency` is the cell of the column's currency, if it has one. */
type Converter = (cell: string, rowCurrency?: string) => unknown;

/** The converter of a column, made once for a file: a value that the column's schema may still refuse, or `Refused`. */
export const converterOf = (column: Column, settings: ValueSettings): Converter => {
  const { currency } = settings;
  switch (column.type) {
    case 'amount': {
      const isInMinorUnits = unitReader(settings.wholeAmountsAreMinor ?? false);
      return (cell, given = '') => {
        const code = given.toUpperCase();
        const isMinor = isInMinorUnits(cell);
        return isMinor instanceof Refused
          ? isMinor
          : amountOf(cell, code && isCurrency(code) ? code : currency, isMinor);
      };
    }
    case 'percent':
      return (cell) => numberOf(cell.replace(/\s*%$/, ''));
    case 'number':
      return numberOf;
    case 'integer':
      return integerOf;
    case 'boolean':
      return booleanOf;
    case 'choice':
      return choiceOf(column);
    case 'time':
      return (cell) => pastTimeOf(cell, settings);
    case 'expiry':
      return (cell) => expiryOf(cell, settings);
    case 'list':
      return (cell) =>
        cell
          .split(';')
          .map((item) => item.trim())
          .filter(Boolean);
    default:
      return (cell) => valueOfWord(column.name, cell) ?? cell;
  }
};
