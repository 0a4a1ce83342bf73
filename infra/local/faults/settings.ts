/** What fails or is delayed on purpose. Only functions are affected; without settings nothing is. */
export interface FaultSettings {
  /** Which share of the writes and transactions, from 0 to 1, are refused for a conflict that never was. */
  readonly conflictShare?: number;
  /** Refuses what DynamoDB would refuse of requests that are in flight at the same time on an item of a transaction. */
  readonly conflictsInFlight?: boolean;
  /** Which share of all calls is throttled. */
  readonly throttlingShare?: number;
  /** Which share of BatchGetItem reads nothing and returns all of its keys as unprocessed. */
  readonly unprocessedShare?: number;
  /** How much longer each call takes. */
  readonly latencyMilliseconds?: number;
  /** By how much events of queues, streams and schedules are delayed. */
  readonly eventDelayMilliseconds?: number;
}

/** Every fault that goes by chance, at one share. */
export const randomFaults = (share: number): FaultSettings => ({
  conflictShare: share,
  throttlingShare: share,
  unprocessedShare: share,
});
