import * as z from 'zod';

/** Until the end of a day, in UTC: what a date field of a form holds. */
export const lastDay = z.iso
  .date('must be a day such as 2026-12-31')
  .transform((day) => `${day}T23:59:59.999Z`)
  .nullish();

/** The beginning of a day, in UTC. */
export const firstDay = z.iso
  .date('must be a day such as 2026-12-31')
  .transform((day) => `${day}T00:00:00.000Z`)
  .nullish();

/** The end of a day, in UTC, for what ends before a time: the beginning of the next day. */
export const dayAfter = z.iso
  .date('must be a day such as 2026-12-31')
  .transform((day) => new Date(Date.parse(day) + 24 * 60 * 60 * 1000).toISOString())
  .nullish();

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
