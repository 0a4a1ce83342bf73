import { expectedDeliveries, type Journal } from './journal.ts';
import { deliveryName, type Receiver } from './receiver.ts';

const milliseconds = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)} ms`);

const row = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(28) : String(cell).padStart(12))).join('');

/** How long each webhook took, in milliseconds, shortest first; without those that did not come. */
const waitsOf = (expected: Journal['expected'], { delivered }: Receiver): number[] => {
  const arrivals = new Map(delivered.map((one) => [deliveryName(one), one.atMilliseconds]));
  return expected
    .flatMap(({ eventType, recordId, respondedMilliseconds }) => {
      const arrived = arrivals.get(deliveryName({ type: eventType, recordId }));
      // A webhook can be here before the response that it follows from.
      return arrived === undefined ? [] : [Math.max(0, arrived - respondedMilliseconds)];
    })
    .sort((one, other) => one - other);
};

/** Prints what happened and returns what is missing, one line each; nothing is missing when all went well. */
export const report = (journal: Journal, receiver: Receiver): string[] => {
  const missing: string[] = [...journal.surprises];
  console.log(row('From response to webhook', 'expected', 'delivered', 'median', 'slowest'));
  const printRow = (label: string, expected: Journal['expected']): number => {
    const waits = waitsOf(expected, receiver);
    const median = waits[Math.floor(waits.length / 2)];
    console.log(row(label, expected.length, waits.length, milliseconds(median), milliseconds(waits.at(-1))));
    return expected.length - waits.length;
  };
  for (const [eventType, expected] of Map.groupBy(journal.expected, (one) => one.eventType)) {
    const lost = printRow(eventType, expected);
    if (lost > 0) missing.push(`${lost} of ${eventType} were not delivered`);
  }
  const lostInAll = printRow('all', journal.expected);
  const told = expectedDeliveries(journal);
  const others = receiver.delivered.filter((one) => !told.has(deliveryName(one)));
  for (const [type, events] of Map.groupBy(others, (one) => one.type)) console.log(row(type, '', events.length));
  console.log('\nRefused, as it should be:');
  for (const { attempt, status, reason } of journal.refused) console.log(`  ${attempt}: ${status} ${reason}`);
  if (receiver.wrongSignatures() > 0) missing.push(`${receiver.wrongSignatures()} webhooks had a wrong signature`);
  else console.log(`\nEvery signature was right (${receiver.delivered.length} webhooks).`);
  const wanted = journal.expected.length;
  console.log(`${wanted - lostInAll} of ${wanted} expected webhooks arrived.`);
  return missing;
};
