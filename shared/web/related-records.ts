import { affiliates } from '../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { coupons } from '../domain/coupons/repository.ts';

/** By id; deleted ones as they last were. `null` is left out. */
export const affiliatesNamed = (
  programId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, StoredAffiliate>> =>
  affiliates.getManyEvenDeleted(
    programId,
    ids.flatMap((id) => id ?? []),
    { inOneTrip: true },
  );

/** A program whose responses read what their records name in one round trip. */
export const readInOneTrip = <Program extends { id: string }>(program: Program) => ({
  ...program,
  reads: {
    affiliates: async (ids: Iterable<string>) => new Map(await affiliatesNamed(program.id, [...ids])),
    coupons: (ids: Iterable<string>) => coupons.getManyEvenDeleted(program.id, ids, { inOneTrip: true }),
  },
});
