import { eventCatalogue } from '../../../events/catalogue.ts';
import type { EventType } from '../../contract/event-types.ts';

export const eventExamples: readonly { type: EventType; data: object; previousAttributes?: object }[] =
  eventCatalogue.map(({ type, example: { data, previousAttributes } }) => ({
    type,
    data,
    ...(previousAttributes && { previousAttributes }),
  }));
