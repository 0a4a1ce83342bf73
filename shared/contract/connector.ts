import type { Operation } from './operation.ts';

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The same operation on the connector, or undefined. docs/behavior.md#connector-records */
export const connectorVariant = (operation: Operation): Operation | undefined => {
  if (!operation.connector) return undefined;
  return {
    ...operation,
    id: `connector${capitalised(operation.id)}`,
    surface: 'connector',
    ...(operation.lists && {
      description: 'An array, newest first: of the one record that a selector names, or of none.',
    }),
  };
};
