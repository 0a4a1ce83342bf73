import type { RecordKind, TrafficKind } from '../../contract/needs.ts';

export type Kind = RecordKind | TrafficKind | 'PROGRAM';

/** Needs a program id, which comes from the authenticated key: no other program's key can be built by accident. */
export type PartitionKey = string & { readonly partitionKey: unique symbol };

/** `PROGRAM#<id>#<kind>`, and for index entries and unique values `PROGRAM#<id>#<kind>#<name>[#<value>]`. */
export const partition = (programId: string, kind: Kind, ...rest: readonly string[]): PartitionKey =>
  ['PROGRAM', programId, kind, ...rest].join('#') as PartitionKey;
