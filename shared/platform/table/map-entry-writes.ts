import { currentWriter } from './actor.ts';
import { ConcurrentModificationError, keyOf, type RecordDefinition, type StoredRecord, tableOf } from './keys.ts';
import { quietAttribute, quietMark } from './quiet-writes.ts';
import type { Write } from './transaction.ts';
import { hasRoom } from './update-parts.ts';
import { maxEntries } from './writes.ts';

type Definition<Stored extends StoredRecord> = RecordDefinition<Stored>;

export interface MapEntry {
  attribute: string;
  name: string;
}

/** An edit that needs no earlier read, so that concurrent ones wait for each other and none is lost. */
const editInPlace = (
  { keepsActor }: Pick<Definition<never>, 'keepsActor'>,
  now: Date,
  { set, remove }: { set?: string; remove?: string },
) => {
  const { by, req } = currentWriter() ?? {};
  const mark = quietMark();
  const said = keepsActor ? Object.entries({ by, req }) : [];
  const known = said.filter(([, value]) => value !== undefined);
  const unknown = said.filter(([, value]) => value === undefined);
  const sets = [
    set ?? [],
    'updatedAt = :now',
    '#version = #version + :one',
    known.map(([name]) => `#${name} = :${name}`),
    mark ? `${quietAttribute} = :mark` : [],
  ].flat();
  const removes = [remove ?? [], unknown.map(([name]) => `#${name}`)].flat();
  return {
    expression: [`SET ${sets.join(', ')}`, removes.length > 0 ? `REMOVE ${removes.join(', ')}` : []].flat().join(' '),
    names: { '#version': 'version', ...Object.fromEntries(said.map(([name]) => [`#${name}`, name])) },
    values: {
      ':now': now.toISOString(),
      ':one': 1,
      ...(mark && { ':mark': mark }),
      ...Object.fromEntries(known.map(([name, value]) => [`:${name}`, value])),
    },
  };
};

/** An edit: version and `updatedAt` move with the entry. */
export const setMapEntryWrite = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  { attribute, name, value, now }: MapEntry & { value: unknown; now: Date },
): Write => {
  const { expression, names, values } = editInPlace(definition, now, { set: '#attribute.#name = :value' });
  return {
    Update: {
      TableName: tableOf(definition),
      Key: keyOf(definition, programId, id),
      UpdateExpression: expression,
      ConditionExpression: `attribute_exists(pk) AND ${hasRoom('#attribute', '#attribute.#name')}`,
      ExpressionAttributeNames: { '#attribute': attribute, '#name': name, ...names },
      ExpressionAttributeValues: { ':value': value, ':max': maxEntries(definition, attribute), ...values },
    },
    refusal: () => new ConcurrentModificationError(`${definition.kind} ${id} is gone or full`),
  };
};

/** An edit; refused where there is no such entry, so that a repetition moves nothing. */
export const deleteMapEntryWrite = <Stored extends StoredRecord>(
  definition: Definition<Stored>,
  programId: string,
  id: string,
  { attribute, name, now }: MapEntry & { now: Date },
): Write => {
  const { expression, names, values } = editInPlace(definition, now, { remove: '#attribute.#name' });
  return {
    Update: {
      TableName: tableOf(definition),
      Key: keyOf(definition, programId, id),
      UpdateExpression: expression,
      ConditionExpression: 'attribute_exists(#attribute.#name)',
      ExpressionAttributeNames: { '#attribute': attribute, '#name': name, ...names },
      ExpressionAttributeValues: values,
    },
    refusal: () => new ConcurrentModificationError(`${definition.kind} ${id} has no such entry`),
  };
};
