import type { Journal } from './journal.ts';
import { deliveryName, type Receiver } from './receiver.ts';

const milliseconds = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)} ms`);

const row = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(28) : String(cell).padStart(12))).join('');

/** The events that must follow from what was done, as `deliveryName` names them. */
export const expectedDeliveries = ({ done }: Journal): Set<string> =>
  new Set(done.map(({ eventType, recordId }) => deliveryName({ type: eventType, recordId })));

/** Prints what happened and answers what is missing, one line each; nothing is missing when all went well. */
export const report = (journal: Journal, receiver: Receiver): string[] => {
  const arrivals = new Map(receiver.delivered.map((one) => [deliveryName(one), one.atMilliseconds]));
  const missing: string[] = [...journal.surprises];
  console.log(row('', 'answered', 'delivered', 'median', 'slowest'));
  for (const [eventType, steps] of Map.groupBy(journal.done, (step) => step.eventType)) {
    const waits = steps
      .flatMap(({ recordId, answeredMilliseconds }) => {
        const arrived = arrivals.get(deliveryName({ type: eventType, recordId }));
        // A webhook can be here before the answer that it follows from.
        return arrived === undefined ? [] : [Math.max(0, arrived - answeredMilliseconds)];
      })
      .sort((one, other) => one - other);
    const median = milliseconds(waits[Math.floor(waits.length / 2)]);
    console.log(row(eventType, steps.length, waits.length, median, milliseconds(waits.at(-1))));
    if (waits.length < steps.length) missing.push(`${steps.length - waits.length} of ${eventType} were not delivered`);
  }
  const expected = expectedDeliveries(journal);
  const others = receiver.delivered.filter((one) => !expected.has(deliveryName(one)));
  for (const [type, events] of Map.groupBy(others, (one) => one.type)) console.log(row(type, '', events.length));
  console.log('\nRefused, as it should be:');
  for (const { attempt, status, reason } of journal.refused) console.log(`  ${attempt}: ${status} ${reason}`);
  if (receiver.wrongSignatures() > 0) missing.push(`${receiver.wrongSignatures()} webhooks had a wrong signature`);
  else console.log(`\nEvery signature was right (${receiver.delivered.length} webhooks).`);
  return missing;
};
