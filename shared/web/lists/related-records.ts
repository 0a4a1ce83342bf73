import { affiliates } from '../../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import type { Page } from '../../platform/table/page.ts';

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

/** A list with its affiliates. With a filter by email there is only one, which is read beside the list. */
export const listWithAffiliates = async <Item extends { affiliateId: string | null }>(
  programId: string,
  affiliateEmail: string | undefined,
  reading: Promise<Page<Item>>,
): Promise<{ found: Page<Item>; byId: ReadonlyMap<string, StoredAffiliate> }> => {
  if (!affiliateEmail) {
    const found = await reading;
    const ids = found.items.map(({ affiliateId }) => affiliateId);
    return { found, byId: await affiliatesNamed(programId, ids) };
  }
  const [found, one] = await Promise.all([reading, affiliates.find(programId, 'EMAIL', affiliateEmail)]);
  return { found, byId: new Map(one ? [[one.id, one]] : []) };
};

/** For responses that read coupons and affiliates, deleted ones too, in one round trip. */
export const readInOneTrip = <Program extends { id: string }>(program: Program) => ({
  ...program,
  reads: {
    affiliates: async (ids: Iterable<string>) => new Map(await affiliatesNamed(program.id, [...ids])),
    coupons: (ids: Iterable<string>) => coupons.getManyEvenDeleted(program.id, ids, { inOneTrip: true }),
  },
});
