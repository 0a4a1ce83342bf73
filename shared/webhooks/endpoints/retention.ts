import type { PageRequest } from '../../platform/table/page.ts';

const keptSeconds = 30 * 24 * 60 * 60;

/** In seconds since the epoch. docs/behavior.md#kept-events */
export const expiryOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000) + keptSeconds;

export const keptSince = (now: Date): string => new Date(now.getTime() - keptSeconds * 1000).toISOString();

/** TTL deletes late; expired records are hidden until then. */
export const isKept = ({ createdAt }: { createdAt: string }, now: Date): boolean => createdAt >= keptSince(now);

export const pageOfKept = (request: PageRequest, now: Date): PageRequest => {
  const since = keptSince(now);
  const isWithin = request.createdAfter !== undefined && request.createdAfter > since;
  return isWithin ? request : { ...request, createdAfter: since };
};
