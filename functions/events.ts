import { requireRecord } from '../shared/contract/errors.ts';
import { eventOperations } from '../shared/contract/events.ts';
import { apiPath } from '../shared/http/api-path.ts';
import { selectorOf } from '../shared/http/selectors.ts';
import { eventAnswer } from '../shared/webhooks/delivery/answers.ts';
import { events, eventsOfType } from '../shared/webhooks/delivery/repository.ts';
import { isKept, pageOfKept } from '../shared/webhooks/endpoints/retention.ts';

export const handler = apiPath(eventOperations, {
  listEvents: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) {
      const event = await events.get(program.id, selector.value);
      return eventAnswer(requireRecord(event && isKept(event, now) ? event : undefined, 'Event'));
    }
    const found = await events.page(program.id, pageOfKept(page, now), query.type && eventsOfType(query.type));
    return found.map(eventAnswer);
  },
});
