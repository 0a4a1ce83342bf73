import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { Operation } from '../../shared/contract/operation.ts';
import { operations } from '../../shared/contract/operations.ts';

// docs/behavior.md#null-in-updates

const updates = operations.filter(({ method }) => method === 'PUT');

const fieldsOf = (schema: z.ZodType): Record<string, z.ZodType> => Object((schema as z.ZodObject).shape);

/** Empty in a record, where others are null: what has no value in them. */
const emptyValues: readonly unknown[] = [{}, []];
/** Of these, null means the value that applies without one, and no last name is an empty one. */
const clearedOtherwise: ReadonlySet<string> = new Set(['commissionRate', 'lastName']);

/** A creation needs it. */
const isRequired = ({ path }: Operation, name: string): boolean => {
  const creation = operations.find((one) => one.method === 'POST' && one.path === path);
  const field = creation?.body && fieldsOf(creation.body)[name];
  return field !== undefined && !field.safeParse(undefined).success;
};

const canBeCleared = (operation: Operation, name: string): boolean => {
  const field = fieldsOf(operation.response)[name];
  if (!field || isRequired(operation, name)) return false;
  return clearedOtherwise.has(name) || [null, ...emptyValues].some((empty) => field.safeParse(empty).success);
};

const cases = updates.flatMap((operation) =>
  Object.entries(operation.body?.shape ?? {})
    .filter(([name]) => !operation.ids?.includes(name))
    .map(([name, field]) => ({ id: operation.id, name, field: field as z.ZodType, operation })),
);

describe('null in an update', () => {
  it.each(cases)('$id: $name', ({ name, field, operation }) => {
    const taken = field.safeParse(null);
    // At least one type of event is asked for.
    expect(taken.success).toBe(name !== 'eventTypes' && canBeCleared(operation, name));
    const record = fieldsOf(operation.response)[name];
    if (taken.success && !clearedOtherwise.has(name)) expect(record?.safeParse(taken.data).success).toBe(true);
  });

  it('makes metadata empty everywhere', () => {
    const ofMetadata = cases.filter(({ name }) => name === 'metadata');
    expect(ofMetadata.length).toBeGreaterThan(4);
    for (const { field } of ofMetadata) expect(field.parse(null)).toEqual({});
    for (const { field } of cases) expect(field.safeParse(undefined).data ?? undefined).toBeUndefined();
  });
});
