import { affiliates } from '../shared/domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../shared/domain/affiliates/rules.ts';
import { readFirstSales } from '../shared/domain/affiliates/totals.ts';
import { coupons } from '../shared/domain/coupons/repository.ts';
import type { StoredCoupon } from '../shared/domain/coupons/rules.ts';
import { groupsOf } from '../shared/domain/groups/repository.ts';
import type { StoredGroups } from '../shared/domain/groups/rules.ts';
import type { StoredProgram } from '../shared/domain/programs/repository.ts';
import { promotionalCodes } from '../shared/domain/promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../shared/domain/promotional-codes/rules.ts';
import { type Deletion, readDeletions } from '../shared/platform/table/reads.ts';
import { type ReadMany, sharedReads } from '../shared/platform/table/shared-reads.ts';

/** What the events of one program nest in their data, deleted records included. */
export interface NestedReads {
  affiliates: ReadMany<StoredAffiliate>;
  coupons: ReadMany<StoredCoupon>;
  codes: ReadMany<StoredPromotionalCode>;
  groups: () => Promise<StoredGroups>;
  /** By kind and id. */
  deletions: ReadMany<Deletion>;
  /** The ids of first sales that are known, by affiliate. */
  firstSales: ReadMany<string>;
}

const once = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  let reading: Promise<Value> | undefined;
  return () => (reading ??= read());
};

/** A program with the reads of one batch of its changes. */
export const withNestedReads = (program: StoredProgram): StoredProgram & { reads: NestedReads } => ({
  ...program,
  reads: {
    affiliates: sharedReads((ids) => affiliates.getManyEvenDeleted(program.id, ids)),
    coupons: sharedReads((ids) => coupons.getManyEvenDeleted(program.id, ids)),
    codes: sharedReads((ids) => promotionalCodes.getManyEvenDeleted(program.id, ids)),
    groups: once(() => groupsOf(program.id)),
    deletions: sharedReads((names) => readDeletions(program.id, names)),
    firstSales: sharedReads((ids) => readFirstSales(program.id, ids)),
  },
});
