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

/** A form that only confirms. */
export const noFields = z.strictObject({});
