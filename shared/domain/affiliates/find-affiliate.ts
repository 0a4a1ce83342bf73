import { uuid } from '../../contract/fields.ts';
import { links } from './link-repository.ts';
import { affiliates } from './repository.ts';
import type { StoredAffiliate } from './rules.ts';

/** The affiliate with this id, or else the one with a link of this slug, which may have the form of an id. */
export const findAffiliateByIdOrSlug = async (
  programId: string,
  idOrSlug: string,
): Promise<StoredAffiliate | undefined> => {
  const byId = uuid.safeParse(idOrSlug).success ? await affiliates.get(programId, idOrSlug) : undefined;
  if (byId) return byId;
  const link = await links.find(programId, 'SLUG', idOrSlug.toLowerCase());
  return link && affiliates.get(programId, link.affiliateId);
};
