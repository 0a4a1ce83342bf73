import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';

/** What one action has asked the tables for, one round trip after the other. */
export interface RoundTrips {
  /** The names of the calls that were under way at the same time. */
  trips: string[][];
  /** The partitions of the items that queries found, such as `PROGRAM#…#SALE`, one for each item. */
  found: string[];
}

const partitionsIn = (response: object): string[] =>
  'Items' in response ? (response.Items as { pk: string }[]).map(({ pk }) => pk) : [];

/**
 * Does something in this process, and returns how often it waited for the tables. Calls that are under way together get
 * their responses together, so that what counts is which call waits for which, and not how quick each of them is.
 */
export const roundTripsOf = async (act: () => Promise<unknown>): Promise<RoundTrips> => {
  const recorded: RoundTrips = { trips: [], found: [] };
  const send = documents.send.bind(documents);
  let underWay: Promise<unknown>[] = [];
  let end: Promise<void> | undefined;
  const finishTrip = async (): Promise<void> => {
    for (let known = -1; known < underWay.length; await turn()) {
      known = underWay.length;
      await Promise.allSettled(underWay);
    }
    underWay = [];
    end = undefined;
  };
  const waiting = async (command: Parameters<typeof send>[0]) => {
    if (!end) recorded.trips.push([]);
    recorded.trips.at(-1)?.push(command.constructor.name);
    const response = send(command);
    underWay.push(response);
    end ??= finishTrip();
    await end;
    recorded.found.push(...partitionsIn(await response));
    return response;
  };
  const spy = vi.spyOn(documents, 'send').mockImplementation(waiting as typeof documents.send);
  try {
    await act();
  } finally {
    spy.mockRestore();
  }
  return recorded;
};
