import { requireRecord } from '../shared/contract/errors.ts';
import { eventOperations } from '../shared/contract/events.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';
import { events, eventsOfType } from '../shared/webhooks/delivery/repository.ts';
import { eventResponse } from '../shared/webhooks/delivery/responses.ts';
import { isKept, pageOfKept } from '../shared/webhooks/endpoints/retention.ts';

const readOne = async (programId: string, id: string, now: Date) => {
  const event = await events.get(programId, id);
  return eventResponse(requireRecord(event && isKept(event, now) ? event : undefined, 'Event'));
};

export const handler = apiPath(eventOperations, {
  readEvent: ({ program, parameters, now }) => readOne(program.id, parameters.id.value, now),
  listEvents: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) return readOne(program.id, selector.value, now);
    const found = await events.page(program.id, pageOfKept(page, now), query.type && eventsOfType(query.type));
    return found.map(eventResponse);
  },
});
