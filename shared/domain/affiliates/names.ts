import type * as z from 'zod';
import { affiliates } from './repository.ts';
import { StoredAffiliate } from './rules.ts';

const NamedAffiliate = StoredAffiliate.pick({ id: true, firstName: true, lastName: true, email: true });
export type NamedAffiliate = z.infer<typeof NamedAffiliate>;

/** Who affiliates are, deleted ones as they last were: one call for a hundred, and little of each, however many links it has. */
export const affiliateNames = async (
  programId: string,
  ids: Iterable<string>,
): Promise<Map<string, NamedAffiliate>> => {
  const found = await affiliates.attributesEvenDeleted(programId, ids, ['firstName', 'lastName', 'email']);
  return new Map([...found].map(([id, item]) => [id, NamedAffiliate.parse(item)]));
};
