import * as z from 'zod';

/**
 * The path parameter of a read: the record's id, or another unique name with its kind before it, such as
 * `email:amara@example.com`. `others` holds for each kind the selector that it stands for and the form of its value.
 * Anything else is a 404. docs/behavior.md#reading-one-record
 */
export const recordName = <const Name extends string = never>(
  noun: string,
  id: z.ZodType<string | number, string>,
  others: Readonly<Record<string, readonly [Name, z.ZodType]>> = {},
) => {
  const kinds = new Map<string, readonly ['id' | Name, z.ZodType]>(Object.entries(others));
  const forms = [...kinds.keys()].map((kind) => `\`${kind}:\``).join(' or ');
  return z
    .string()
    .transform((text, context) => {
      const colon = text.indexOf(':');
      const [name, schema] = (colon < 0 ? (['id', id] as const) : kinds.get(text.slice(0, colon))) ?? [];
      const value = schema?.safeParse(text.slice(colon + 1));
      if (name && value?.success) return { name, value: String(value.data) };
      context.addIssue({ code: 'custom', message: `${noun} not found` });
      return z.NEVER;
    })
    .describe(
      `The id of the ${noun.toLowerCase()}${kinds.size > 0 ? `, or ${forms} followed by that unique name` : ''}.`,
    );
};
