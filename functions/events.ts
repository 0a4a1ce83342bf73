import { requireRecord } from '../shared/contract/errors.ts';
import { eventOperations } from '../shared/contract/events.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';
import { FeedPage } from '../shared/platform/table/page.ts';
import { events, eventsOfType } from '../shared/webhooks/delivery/repository.ts';
import { eventResponse } from '../shared/webhooks/delivery/responses.ts';
import { isKept, pageOfKept } from '../shared/webhooks/endpoints/retention.ts';
import { readFeed } from '../shared/webhooks/feed/read.ts';

const readOne = async (programId: string, id: string, now: Date) => {
  const event = await events.get(programId, id);
  return eventResponse(requireRecord(event && isKept(event, now) ? event : undefined, 'Event'));
};

const readAfter = async (programId: string, request: Parameters<typeof readFeed>[1], now: Date) => {
  const read = await readFeed(programId, request, now);
  const found = await events.getMany(
    programId,
    read.entries.map(({ id }) => id),
  );
  const entries = read.entries.flatMap(({ id, position }) => {
    const event = found.get(id);
    return event ? [{ item: eventResponse(event), position }] : [];
  });
  return new FeedPage(entries, read);
};

export const handler = apiPath(eventOperations, {
  readEvent: ({ program, parameters, now }) => readOne(program.id, parameters.id.value, now),
  listEvents: async ({ program, query, page, now }) => {
    if (page.feedAfter !== undefined)
      return readAfter(program.id, { ...page, after: page.feedAfter, type: query.type }, now);
    const selector = selectorOf(query, ['id']);
    if (selector) return readOne(program.id, selector.value, now);
    const found = await events.page(program.id, pageOfKept(page, now), query.type && eventsOfType(query.type));
    return found.map(eventResponse);
  },
});
