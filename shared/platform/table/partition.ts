import type { RecordKind, TrafficKind } from '../../contract/needs.ts';

export type Kind = RecordKind | TrafficKind | 'PROGRAM';

/**
 * A partition key. It can be made only with a program id, which comes from the authenticated key: no key of another
 * program's data can be written down by accident.
 */
export type PartitionKey = string & { readonly partitionKey: unique symbol };

/** `PROGRAM#<id>#<kind>`, and for index entries and unique values `PROGRAM#<id>#<kind>#<name>[#<value>]`. */
export const partition = (programId: string, kind: Kind, ...rest: readonly string[]): PartitionKey =>
  ['PROGRAM', programId, kind, ...rest].join('#') as PartitionKey;
