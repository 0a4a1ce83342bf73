import { type Erasing, type ErasureStep, isWrittenBefore, scanStep } from '../../domain/privacy/erasing.ts';
import { countWrite } from '../../domain/privacy/found.ts';
import { erased, mentions, type Person } from '../../domain/privacy/person.ts';
import { retryFromRead, retryOnConflict } from '../../platform/table/edit.ts';
import { partition } from '../../platform/table/partition.ts';
import { isQuietEditBy } from '../../platform/table/quiet-writes.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import type { Attempt, StoredDelivery } from '../delivery/delivery-rules.ts';
import { deliveries, deliveriesOf, events } from '../delivery/repository.ts';
import { erasedBody } from './erase-event.ts';

const eraseEvent = ({ programId, person, now }: Erasing, id: string): Promise<boolean> =>
  retryOnConflict(async () => {
    const event = await events.get(programId, id);
    const body = event && erasedBody(person, event.body);
    if (!event || body === event.body || body === undefined) return false;
    await writeTogether([
      ...events.updateWrites(programId, event, { ...event, body, updatedAt: now.toISOString() }),
      countWrite(programId, person.erasureId, 'EVENT'),
    ]);
    return true;
  });

/** Receivers often repeat what they got. `all` where the event is about the person. */
const withoutResponses = (person: Person, attempts: readonly Attempt[], all: boolean): Attempt[] =>
  attempts.map((attempt) => {
    const { responseBody, error } = attempt;
    const isErased = responseBody !== null && (all || mentions(person, responseBody));
    return {
      ...attempt,
      ...(isErased && { responseBody: erased }),
      ...(error !== null && mentions(person, error) && { error: erased }),
    };
  });

const erasedDelivery = (person: Person, delivery: StoredDelivery, all: boolean): StoredDelivery | undefined => {
  const attempts = withoutResponses(person, delivery.attempts, all);
  const manualAttempts = withoutResponses(person, delivery.manualAttempts, all);
  const was = [...delivery.attempts, ...delivery.manualAttempts];
  const isSame = [...attempts, ...manualAttempts].every(
    ({ responseBody, error }, at) => responseBody === was[at]?.responseBody && error === was[at]?.error,
  );
  return isSame ? undefined : { ...delivery, attempts, manualAttempts };
};

const eraseDelivery = async ({ programId, person }: Erasing, first: StoredDelivery, all: boolean): Promise<void> => {
  const readAgain = () => deliveries.get(programId, first.id);
  await retryFromRead(first, readAgain, async (delivery) => {
    const after = erasedDelivery(person, delivery, all);
    if (!after) return;
    // It moves no attempt: `updatedAt` and the index of what is undelivered stay.
    await writeTogether([
      ...deliveries.updateWrites(programId, delivery, after),
      countWrite(programId, person.erasureId, 'DELIVERY'),
    ]);
  });
};

const deliveriesInOnePage = 100;

const eraseDeliveriesOf = async (erasing: Erasing, eventId: string): Promise<void> => {
  let after: string | undefined;
  do {
    const request = { limit: deliveriesInOnePage, after };
    const page = await deliveries.page(erasing.programId, request, deliveriesOf(eventId));
    for (const delivery of page.items) await eraseDelivery(erasing, delivery, true);
    after = page.next;
  } while (after !== undefined);
};

/** With their deliveries: also of events that were erased before, because an attempt may have been under way. */
const eventStep: ErasureStep = scanStep(
  'traffic',
  (programId) => partition(programId, 'EVENT'),
  async (erasing, item) => {
    if (!isWrittenBefore(erasing, { updatedAt: String(item.createdAt) })) return;
    const wasErased = isQuietEditBy(erasing.person.erasureId, item);
    const { id, body } = events.schema.parse(item);
    const isErased = erasedBody(erasing.person, body) !== body && (await eraseEvent(erasing, id));
    if (isErased || wasErased) await eraseDeliveriesOf(erasing, id);
  },
);

const deliveryStep: ErasureStep = scanStep(
  'traffic',
  (programId) => partition(programId, 'DELIVERY'),
  (erasing, item) => eraseDelivery(erasing, deliveries.schema.parse(item), false),
);

/** What was stored of the person to be sent, and what endpoints responded to it. docs/behavior.md#erasing-a-person */
export const eventSteps: readonly ErasureStep[] = [eventStep, deliveryStep];
