import * as z from 'zod';
import type { Operation } from './operation.ts';

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The same operation on the connector, or undefined. docs/behavior.md#connector-records */
export const connectorVariant = (operation: Operation): Operation | undefined => {
  const { connector, query, body } = operation;
  if (!connector) return undefined;
  const selectors = connector.selectors.map((name): [string, z.ZodType] => {
    const field = body?.shape[name];
    if (!(field instanceof z.ZodType)) throw new Error(`${operation.id} has no field ${name} that could select`);
    return [name, field.optional()];
  });
  return {
    ...operation,
    id: `connector${capitalised(operation.id)}`,
    surface: 'connector',
    ...(operation.lists && {
      description: 'An array, newest first: of the one record that a selector names, or of none.',
    }),
    query: z.strictObject({ ...query.shape, ...Object.fromEntries(selectors) }),
  };
};
