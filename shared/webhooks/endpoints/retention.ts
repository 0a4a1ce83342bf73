import type { PageRequest } from '../../platform/table/page.ts';

const keptSeconds = 30 * 24 * 60 * 60;

/** When the table may forget an event and its deliveries: 30 days later, in seconds since the epoch. */
export const expiryOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000) + keptSeconds;

/** The beginning of the 30 days that events and deliveries are kept. */
export const keptSince = (now: Date): string => new Date(now.getTime() - keptSeconds * 1000).toISOString();

/** The table deletes what has expired only after a while: until then it is not answered all the same. */
export const isKept = ({ createdAt }: { createdAt: string }, now: Date): boolean => createdAt >= keptSince(now);

/** A page of what is kept. */
export const pageOfKept = (request: PageRequest, now: Date): PageRequest => {
  const since = keptSince(now);
  const isWithin = request.createdAfter !== undefined && request.createdAfter > since;
  return isWithin ? request : { ...request, createdAfter: since };
};
