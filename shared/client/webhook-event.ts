import type * as z from 'zod';
import type { eventFamilies } from '../../events/catalogue.ts';
import type { WebhookTest } from '../../events/webhook-test.ts';
import type { Actor } from '../contract/actor.ts';
import type { EventType } from '../contract/event-types.ts';

type Family = (typeof eventFamilies)[number];
type DataOf<Type extends EventType> = Type extends 'webhook.test'
  ? z.output<typeof WebhookTest>
  : Type extends `${infer Name}.${string}`
    ? z.output<Extract<Family, { name: Name }>['response']>
    : never;

/** What says which fields changed. */
export type EditType = Exclude<Family['entries'][number]['type'], `${string}.created` | `${string}.deleted`>;

interface AnyEvent<Type extends EventType> {
  id: string;
  type: Type;
  timestamp: string;
  /** Who did it; null where it is not known. */
  actor: Actor | null;
  data: DataOf<Type>;
}

interface EditEvent<Type extends EventType> extends AnyEvent<Type> {
  previousAttributes: Partial<DataOf<Type>>;
}

interface OtherEvent<Type extends EventType> extends AnyEvent<Type> {
  previousAttributes?: undefined;
}

type EventOf<Type extends EventType> = Type extends EditType ? EditEvent<Type> : OtherEvent<Type>;

/** What a webhook says. `type` tells the type of `data`. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType];
