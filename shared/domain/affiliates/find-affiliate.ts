import { uuid } from '../../contract/fields.ts';
import { links } from './link-repository.ts';
import { affiliates } from './repository.ts';
import type { StoredAffiliate } from './rules.ts';

const findBySlug = async (programId: string, slug: string): Promise<StoredAffiliate | undefined> => {
  const link = await links.find(programId, 'SLUG', slug.toLowerCase());
  return link && affiliates.get(programId, link.affiliateId);
};

/** The affiliate with this id, or else the one with a link of this slug, which may have the form of an id. */
const findAffiliateByIdOrSlug = async (programId: string, idOrSlug: string): Promise<StoredAffiliate | undefined> => {
  const byId = uuid.safeParse(idOrSlug).success ? await affiliates.get(programId, idOrSlug) : undefined;
  if (byId) return byId;
  return findBySlug(programId, idOrSlug);
};

/** By `email`, by the slug of a `link`, or by an `id` that may be such a slug too. */
export const findAffiliate = async (
  programId: string,
  name: 'id' | 'email' | 'link',
  value: string,
): Promise<StoredAffiliate | undefined> => {
  if (name === 'email') return affiliates.find(programId, 'EMAIL', value);
  return name === 'link' ? findBySlug(programId, value) : findAffiliateByIdOrSlug(programId, value);
};
