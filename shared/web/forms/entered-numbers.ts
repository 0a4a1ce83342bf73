import { fieldError } from '../../contract/errors.ts';

const plain = /^-?\d+(\.\d+)?$/;
const group = /^-?\d{1,3}(?:[,.\s'’]\d{3})+$/;

/** The separators of a number, in their order, such as `,.` for 1,250.00. */
const separatorsOf = (text: string): string => text.replace(/[-\d]/g, '');

const withoutSeparators = (text: string): string => text.replace(/[^-\d]/g, '');

const isOneKind = (separators: string): boolean => new Set(separators).size <= 1;

/** 1,250.00 and 1.250,00 and 1 250,00: separated groups of three digits, then decimals after another separator. */
const readGrouped = (text: string): string | undefined => {
  const separators = separatorsOf(text);
  const decimals = separators.slice(-1);
  const groups = separators.slice(0, -1);
  if (isOneKind(separators)) {
    const isClear = group.test(text) && (separators.length > 1 || !/[,.]/.test(separators));
    return isClear ? withoutSeparators(text) : undefined;
  }
  const at = text.lastIndexOf(decimals);
  const [whole, rest] = [text.slice(0, at), text.slice(at + 1)];
  const isClear = /[,.]/.test(decimals) && isOneKind(groups) && !groups.includes(decimals) && group.test(whole);
  return isClear && /^\d+$/.test(rest) ? `${withoutSeparators(whole)}.${rest}` : undefined;
};

/**
 * A number that a person wrote, as the API takes it: 1,250.00 is 1250.00. A comma alone may mean thousands or decimals,
 * so 12,5 and 1,250 are a 400 that asks. Other text is left for the field's own refusal.
 */
export const enteredNumber = (name: string, entered: string): string => {
  const text = entered.trim().replace(/[\u00a0\u202f]/g, ' ');
  if (plain.test(text) || !/^-?\d[\d,.\s'’]*$/.test(text)) return text;
  const read = readGrouped(text);
  if (read !== undefined) return read;
  const [whole, decimals = ''] = text.split(',');
  if (separatorsOf(text) !== ',' || !decimals) return text;
  throw fieldError(name, `${name} is unclear: write ${whole}.${decimals} or ${whole}${decimals}, without a comma`);
};
