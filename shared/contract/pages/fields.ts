import * as z from 'zod';
import { text } from '../fields.ts';

/** What a date field of a form holds: a day in the time zone of the program. */
export const enteredDay = z.iso.date('must be a day such as 2026-12-31').nullish();

/** Lines of a text box, without empty ones. */
export const listOfLines = z
  .string()
  .max(20_000)
  .transform((lines) =>
    lines
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean),
  );

/** The ticked records of a list, by their ids, and what to do with them. */
export const chosenRecords = <const Actions extends readonly [string, ...string[]]>(actions: Actions) =>
  z.object({ action: z.enum(actions) }).catchall(z.literal('on'));

/** An affiliate by any words of name or email, and the one that was chosen where several matched. */
export const namedAffiliate = {
  affiliateEmail: text(254).nullish(),
  chosenAffiliate: text(254).nullish(),
};
