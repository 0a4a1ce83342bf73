import * as contract from '../shared/contract/events.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { requireRecord, selectorOf } from '../shared/http/selectors.ts';
import { eventAnswer } from '../shared/webhooks/answers.ts';
import { isKept, pageOfKept } from '../shared/webhooks/delivery-rules.ts';
import { events, eventsOfType } from '../shared/webhooks/repository.ts';

export const handler = apiPath(
  serve(contract.listEvents, async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id']);
    if (selector) {
      const event = await events.get(program.id, selector.value);
      return eventAnswer(requireRecord(event && isKept(event, now) ? event : undefined, 'Event'));
    }
    const found = await events.page(program.id, pageOfKept(page, now), query.type && eventsOfType(query.type));
    return found.map(eventAnswer);
  }),
);
