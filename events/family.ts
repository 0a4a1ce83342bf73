import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { Actor } from '../shared/contract/actor.ts';
import type { EventType } from '../shared/contract/event-types.ts';
import { type recordFields, returnedInstant } from '../shared/contract/fields.ts';
import type { RecordKind } from '../shared/contract/needs.ts';
import type { Change } from '../shared/platform/table/change.ts';
import { derivedId } from '../shared/platform/table/derived-id.ts';
import type { StoredRecord } from '../shared/platform/table/keys.ts';
import { type EventProgram, originOf, type Verb } from './origin.ts';

export const actorExample: Actor = { type: 'API_KEY', id: '019a0000-0000-7000-8000-0000000000f1' };

type FamilyName<Type = EventType> = Type extends `${infer Name}.${Verb}` ? Name : never;

/** An event, ready to be stored and sent. */
export interface RecordEvent {
  id: string;
  type: EventType;
  timestamp: string;
  /** The exact text of every attempt of every delivery. */
  body: string;
}

/** The body of every attempt of every delivery of an event. */
export const eventSchema = <Data extends z.ZodType, Further extends z.ZodRawShape>(
  type: EventType,
  data: Data,
  furtherFields?: Further,
) =>
  z.object({
    id: z.uuid(),
    type: z.literal(type),
    timestamp: returnedInstant,
    actor: Actor.nullable(),
    data,
    ...furtherFields,
  });

/** What the documentation says of a type of event: `schema` and `example` are of the whole body. */
export interface CatalogueEntry<Type extends EventType = EventType> {
  type: Type;
  description: string;
  schema: z.ZodObject;
  example: {
    id: string;
    type: EventType;
    timestamp: string;
    actor: Actor | null;
    data: object;
    previousAttributes?: object;
  };
}

/** The schema of a REST record, which says when it was made and last edited. */
type RecordSchema = z.ZodObject<Pick<typeof recordFields, 'createdAt' | 'updatedAt'>>;

interface FamilyDefinition<
  Name extends FamilyName,
  Stored extends StoredRecord,
  ResponseBody extends RecordSchema,
  Further extends EventType = EventType,
> {
  name: Name;
  /** The kind of record whose changes make the events. */
  kind: RecordKind;
  /** Human-readable noun. */
  noun: string;
  stored: z.ZodType<Stored>;
  /** The schema of the REST record, which is the event's `data`. */
  response: ResponseBody;
  /** A record as it was made. */
  example: z.output<ResponseBody>;
  /** The same record after an edit. */
  editedExample: z.output<ResponseBody>;
  /** The REST record of one state of a record. */
  toResponse: (program: EventProgram, stored: Stored, now: Date) => Promise<z.input<ResponseBody> | undefined>;
  /** As `toResponse`, of the state before an edit, where that is not the same. */
  toPrevious?: (program: EventProgram, stored: Stored, now: Date) => Promise<z.input<ResponseBody> | undefined>;
  /** The state before a record was first stored, if it was there without that. */
  unstored?: (program: EventProgram, stored: Stored) => Stored | undefined;
  /** Fields whose change alone is no edit: counters, totals, and what follows from other records. */
  notEdited: readonly (keyof z.output<ResponseBody> & string)[];
  /** Edits that have an event of their own, beside `.updated`. */
  also?: readonly {
    type: Further;
    description: string;
    when: (before: z.output<ResponseBody>, after: z.output<ResponseBody>) => boolean;
    /** A new record makes this event too, after `.created`; its `previousAttributes` are empty. */
    whenCreated?: (record: z.output<ResponseBody>) => boolean;
    /** A record before and after such an edit. */
    example: { before: z.output<ResponseBody>; after: z.output<ResponseBody> };
  }[];
}

const differencesOf = (before: object, after: object, ignored: ReadonlySet<string>): Record<string, unknown> => {
  const now = new Map<string, unknown>(Object.entries(after));
  return Object.fromEntries(
    Object.entries(before).filter(([name, value]) => !ignored.has(name) && !isDeepStrictEqual(value, now.get(name))),
  );
};

/** The size limit of an event's body. */
export const maxEventBytes = 256 * 1024;

/** Thrown instead of an event of more than 256 KB. */
export class EventTooLarge extends Error {
  override name = 'EventTooLarge';
}

/** An event with the id that the same change always makes. */
export const recordEvent = (made: {
  change: Change;
  type: EventType;
  timestamp: string;
  actor: Actor | null;
  version: number;
  data: object;
  previousAttributes?: object | undefined;
}): RecordEvent => {
  const { change, type, timestamp, actor, version, data, previousAttributes } = made;
  const id = derivedId(new Date(timestamp), change.programId, change.kind, change.recordId, String(version), type);
  const body = JSON.stringify({ id, type, timestamp, actor, data, previousAttributes });
  const bytes = Buffer.byteLength(body);
  if (bytes > maxEventBytes)
    throw new EventTooLarge(`The event ${type} has ${bytes} bytes, and ${maxEventBytes} is the most`);
  return { id, type, timestamp, body };
};

const typeOf = <Name extends FamilyName, V extends Verb>(name: Name, verb: V) => `${name}.${verb}` as const;

/** What an edit changed in the REST record, and which types of event it makes. */
const editOf = <Name extends FamilyName, Stored extends StoredRecord, ResponseBody extends RecordSchema>(
  { name, notEdited, also = [] }: FamilyDefinition<Name, Stored, ResponseBody>,
  before: z.output<ResponseBody>,
  after: z.output<ResponseBody>,
) => {
  const previousAttributes = differencesOf(before, after, new Set(['updatedAt', ...notEdited]));
  const isEdit = Object.keys(previousAttributes).length > 0;
  const further = also.filter(({ when }) => when(before, after)).map(({ type }) => type);
  const types: EventType[] = [...(isEdit ? [typeOf(name, 'updated')] : []), ...further];
  return { previousAttributes, types };
};

/** The events that a change makes: none, one, or one with those that its edit has beside. */
const eventsOfChange = async <Name extends FamilyName, Stored extends StoredRecord, ResponseBody extends RecordSchema>(
  definition: FamilyDefinition<Name, Stored, ResponseBody>,
  change: Change,
  program: EventProgram,
): Promise<RecordEvent[]> => {
  const { name, stored, response, toResponse, toPrevious = toResponse, unstored, also = [] } = definition;
  const after = change.after && stored.parse(change.after);
  const before = change.before ? stored.parse(change.before) : after && unstored?.(program, after);
  const state = after ?? before;
  // Every edit raises the version; counters and totals leave it.
  if (!state || before?.version === after?.version) return [];
  const verb: Verb = !before ? 'created' : after ? 'updated' : 'deleted';
  const { timestamp, actor } = await originOf(change, verb, state, program);
  const now = new Date(timestamp);
  const [data, previous] = await Promise.all([
    toResponse(program, state, now).then((record) => response.parse(record)),
    verb === 'updated' && before && toPrevious(program, before, now).then((record) => response.parse(record)),
  ]);
  const edit = previous ? editOf(definition, previous, data) : undefined;
  const made = also.filter(({ whenCreated }) => verb === 'created' && whenCreated?.(data)).map(({ type }) => type);
  const types: EventType[] = edit?.types ?? [typeOf(name, verb), ...made];
  return types.map((type) => {
    const previousAttributes = edit?.previousAttributes ?? (made.includes(type) ? {} : undefined);
    return recordEvent({ change, type, timestamp, actor, version: state.version, data, previousAttributes });
  });
};

/** What the documentation says of a family's events. */
const entriesOf = <
  Name extends FamilyName,
  Stored extends StoredRecord,
  ResponseBody extends RecordSchema,
  Further extends EventType,
>(
  definition: FamilyDefinition<Name, Stored, ResponseBody, Further>,
): readonly CatalogueEntry<`${Name}.${Verb}` | Further>[] => {
  const { name, noun, response, example, editedExample, also = [] } = definition;
  const entry = <Type extends EventType>(
    type: Type,
    description: string,
    { timestamp, ...shown }: { timestamp: string; data: z.output<ResponseBody>; previousAttributes?: object },
    furtherFields: z.ZodRawShape = {},
  ): CatalogueEntry<Type> => ({
    type,
    description,
    schema: eventSchema(type, response, furtherFields),
    example: {
      id: '019a0000-0000-7000-8000-0000000000e0',
      type,
      timestamp,
      actor: actorExample,
      ...shown,
    },
  });
  const entryOfEdit = <Type extends EventType>(
    type: Type,
    description: string,
    before: z.output<ResponseBody>,
    after: z.output<ResponseBody>,
  ) => {
    const { previousAttributes } = editOf(definition, before, after);
    const shown = { timestamp: after.updatedAt, data: after, previousAttributes };
    return entry(type, description, shown, { previousAttributes: response.partial() });
  };
  return [
    entry(typeOf(name, 'created'), `A new ${noun}. \`data\` is the record as it was made.`, {
      timestamp: example.createdAt,
      data: example,
    }),
    entryOfEdit(
      typeOf(name, 'updated'),
      `An edited ${noun}. \`previousAttributes\` holds the changed fields as they were before.`,
      example,
      editedExample,
    ),
    entry(typeOf(name, 'deleted'), `A deleted ${noun}. \`data\` is the record as it last was.`, {
      timestamp: '2026-02-02T12:00:00.000Z',
      data: editedExample,
    }),
    ...also.map(({ type, description, example: { before, after } }) => entryOfEdit(type, description, before, after)),
  ];
};

/** The events of one kind of record: how they follow from its changes, and what the documentation says of them. */
export const eventFamily = <
  Name extends FamilyName,
  Stored extends StoredRecord,
  ResponseBody extends RecordSchema,
  const Further extends EventType = never,
>(
  definition: FamilyDefinition<Name, Stored, ResponseBody, Further>,
) => ({
  name: definition.name,
  kind: definition.kind,
  response: definition.response,
  eventsOf: (change: Change, program: EventProgram) => eventsOfChange(definition, change, program),
  editOf: (before: z.output<ResponseBody>, after: z.output<ResponseBody>) => editOf(definition, before, after),
  entries: entriesOf(definition),
});
