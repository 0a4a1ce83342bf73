import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { formInput } from '../../shared/web/forms/form-fields.ts';

const form = z.strictObject({ totalEarned: z.number().optional(), rate: z.coerce.number(), name: z.string() });
const read = (text: string) => formInput(form, { totalEarned: text }).totalEarned;

describe('a number in a form', () => {
  it.each([
    ['1250', 1250],
    ['1250.5', 1250.5],
    [' 49.90 ', 49.9],
    ['-3', -3],
    ['1,250.00', 1250],
    ['12,345,678.9', 12345678.9],
    ['1,250,000', 1250000],
    ['1.250,75', 1250.75],
    ['1.250.000', 1250000],
    ['1 250,75', 1250.75],
    ['1 250', 1250],
    ['1\u202f250,75', 1250.75],
    ["1'250.75", 1250.75],
    ['1’250’000', 1250000],
  ])('%s is %d', (text, value) => expect(read(text)).toBe(value));

  it.each([
    ['12,5', 'totalEarned is unclear: write 12.5 or 125, without a comma'],
    ['1,250', 'totalEarned is unclear: write 1.250 or 1250, without a comma'],
    ['0,5', 'totalEarned is unclear: write 0.5 or 05, without a comma'],
  ])('%s can be read in two ways, so it asks', (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ details: [{ path: 'totalEarned', message }] }));
  });

  it.each(['1,25,0.5', '1.2.3', '1,250.0,0', '12 5', 'abc', '1e5', '$5', '1,', ',5', '1.250,75.'])(
    '%s stays text, which the field refuses',
    (text) => expect(typeof read(text)).toBe('string'),
  );

  it('is read the same where the field converts text by itself, and other text is left alone', () => {
    const fields = { rate: '1,250.00', name: '1,250.00' };
    expect(formInput(form, fields)).toEqual({ rate: 1250, name: '1,250.00' });
  });
});
