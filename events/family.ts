import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { EventType } from '../shared/contract/event-types.ts';
import { answeredInstant } from '../shared/contract/fields.ts';
import type { RecordKind } from '../shared/contract/needs.ts';
import type { StoredRecord } from '../shared/table/record-store.ts';
import type { Change } from './change.ts';
import { derivedId } from './derived-id.ts';

/** What the REST records of an event need to know of their program. */
export interface EventProgram {
  id: string;
  currency: string;
  commissionRate: number;
}

type Verb = 'created' | 'updated' | 'deleted';
type FamilyName<Type = EventType> = Type extends `${infer Name}.${Verb}` ? Name : never;

/** An event, ready to be stored and sent. */
export interface RecordEvent {
  id: string;
  type: EventType;
  timestamp: string;
  /** The exact text of every attempt of every delivery. */
  body: string;
}

/** What the documentation says of a type of event: `schema` and `example` are of the whole body. */
export interface CatalogueEntry {
  type: EventType;
  description: string;
  schema: z.ZodObject;
  example: object;
}

interface FamilyDefinition<Name extends FamilyName, Stored extends StoredRecord, Answer extends z.ZodObject> {
  name: Name;
  /** The kind of record whose changes make the events. */
  kind: RecordKind;
  /** How a person calls one of these records. */
  noun: string;
  stored: z.ZodType<Stored>;
  /** The schema of the REST record, which is the event's `data`. */
  answer: Answer;
  example: z.output<Answer>;
  /** What an edit changed, in the example of `.updated`; the metadata unless said. */
  examplePrevious?: object;
  /** The REST record of one state of a record. */
  toAnswer: (program: EventProgram, stored: Stored, now: Date) => Promise<z.input<Answer>>;
  /** Fields whose change alone is no edit: counters, totals, and what follows from other records. */
  notEdited: readonly (keyof z.output<Answer> & string)[];
  /** Edits that have an event of their own, beside `.updated`. */
  also?: readonly { type: EventType; description: string; when: (before: Stored, after: Stored) => boolean }[];
}

const timestampOf = ({ noticedAt }: Change, verb: Verb, state: StoredRecord): string => {
  if (verb === 'created') return state.createdAt;
  if (verb === 'updated') return state.updatedAt;
  // A deleted record does not say when, and the table only in which second. Its end is not before what was committed
  // earlier: who has read the events up to then finds this one behind them.
  const endOfSecond = noticedAt.getTime() + 999;
  return new Date(Math.max(endOfSecond, Date.parse(state.updatedAt))).toISOString();
};

const differencesOf = (before: object, after: object, ignored: ReadonlySet<string>): Record<string, unknown> => {
  const now = new Map<string, unknown>(Object.entries(after));
  return Object.fromEntries(
    Object.entries(before).filter(([name, value]) => !ignored.has(name) && !isDeepStrictEqual(value, now.get(name))),
  );
};

/** An event with the id that the same change always makes. */
export const recordEvent = (made: {
  change: Change;
  type: EventType;
  timestamp: string;
  version: number;
  data: object;
  previousAttributes?: object | undefined;
}): RecordEvent => {
  const { change, type, timestamp, version, data, previousAttributes } = made;
  const id = derivedId(new Date(timestamp), change.programId, change.kind, change.recordId, String(version), type);
  return { id, type, timestamp, body: JSON.stringify({ id, type, timestamp, data, previousAttributes }) };
};

/** The events of one kind of record: how they follow from its changes, and what the documentation says of them. */
export const eventFamily = <Name extends FamilyName, Stored extends StoredRecord, Answer extends z.ZodObject>(
  definition: FamilyDefinition<Name, Stored, Answer>,
) => {
  const {
    name,
    kind,
    noun,
    stored,
    answer,
    example,
    examplePrevious = { metadata: {} },
    toAnswer,
    also = [],
  } = definition;
  const ignored: ReadonlySet<string> = new Set(['updatedAt', ...definition.notEdited]);

  const typeOf = <V extends Verb>(verb: V) => `${name}.${verb}` as const;

  /** The events that a change makes: none, one, or one with those that its edit has beside. */
  const eventsOf = async (change: Change, program: EventProgram): Promise<RecordEvent[]> => {
    const before = change.before && stored.parse(change.before);
    const after = change.after && stored.parse(change.after);
    const state = after ?? before;
    // Every edit raises the version; counters and totals leave it.
    if (!state || before?.version === after?.version) return [];
    const verb: Verb = !before ? 'created' : after ? 'updated' : 'deleted';
    const timestamp = timestampOf(change, verb, state);
    const now = new Date(timestamp);
    const [data, previous] = await Promise.all([
      toAnswer(program, state, now).then((record) => answer.parse(record)),
      verb === 'updated' && before && toAnswer(program, before, now).then((record) => answer.parse(record)),
    ]);
    const previousAttributes = previous ? differencesOf(previous, data, ignored) : undefined;
    const isEdit = !previousAttributes || Object.keys(previousAttributes).length > 0;
    const further = before && after ? also.filter(({ when }) => when(before, after)).map(({ type }) => type) : [];
    const types: EventType[] = [...(isEdit ? [typeOf(verb)] : []), ...further];
    return types.map((type) =>
      recordEvent({ change, type, timestamp, version: state.version, data, previousAttributes }),
    );
  };

  const entry = (
    type: EventType,
    description: string,
    more: { schema?: z.ZodRawShape; example?: object } = {},
  ): CatalogueEntry => ({
    type,
    description,
    schema: z.object({
      id: z.uuid(),
      type: z.literal(type),
      timestamp: answeredInstant,
      data: answer,
      ...more.schema,
    }),
    example: {
      id: '019a0000-0000-7000-8000-0000000000e0',
      type,
      timestamp: '2026-01-31T12:00:00.000Z',
      data: example,
      ...more.example,
    },
  });

  const entries: readonly CatalogueEntry[] = [
    entry(typeOf('created'), `A new ${noun}. \`data\` is the record as it was made.`),
    entry(
      typeOf('updated'),
      `An edited ${noun}. \`previousAttributes\` holds the changed fields as they were before.`,
      {
        schema: { previousAttributes: answer.partial() },
        example: { previousAttributes: examplePrevious },
      },
    ),
    entry(typeOf('deleted'), `A deleted ${noun}. \`data\` is the record as it last was.`),
    ...also.map(({ type, description }) =>
      entry(type, description, {
        schema: { previousAttributes: answer.partial() },
        example: { previousAttributes: {} },
      }),
    ),
  ];

  return { kind, eventsOf, entries };
};
