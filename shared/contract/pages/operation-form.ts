import * as z from 'zod';

/** A form with some fields of an operation's body, so that both take and refuse the same. */
export const formOf = <Body extends z.ZodObject, const Name extends keyof Body['shape'] & string>(
  body: Body,
  names: readonly Name[],
) => {
  const fields = Object.fromEntries(names.map((name) => [name, body.shape[name]]));
  // Safe: `fields` has exactly these names.
  return z.strictObject(fields as { [Field in Name]: Body['shape'][Field] });
};

/** A form with the fields of an operation's body but for some, which people have no use for: a new field is on the form too. */
export const formWithout = <Body extends z.ZodObject, const Name extends keyof Body['shape'] & string>(
  body: Body,
  names: readonly Name[],
) => {
  const leftOut: ReadonlySet<string> = new Set(names);
  const fields = Object.fromEntries(Object.entries(body.shape).filter(([name]) => !leftOut.has(name)));
  // Safe: `fields` has all names but these.
  return z.strictObject(fields as { [Field in Exclude<keyof Body['shape'], Name>]: Body['shape'][Field] });
};

/** A form that only confirms. */
export const noFields = z.strictObject({});
