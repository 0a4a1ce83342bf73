import { uuid } from '../../contract/fields.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import { links } from './link-repository.ts';
import { affiliates } from './repository.ts';
import { type AffiliateWithTotals, readTotals, withTotals } from './totals.ts';

/** Whose link has this slug. One read, or two for a link from before its slug kept the affiliate. */
export const affiliateOfSlug = async (
  programId: string,
  slug: string,
): Promise<{ linkId: string; affiliateId: string } | undefined> => {
  const found = await links.findName(programId, 'SLUG', slug.toLowerCase());
  if (!found) return undefined;
  const { id: linkId, affiliateId } = found;
  if (typeof affiliateId === 'string') return { linkId, affiliateId };
  const link = await links.get(programId, linkId);
  return link && { linkId, affiliateId: link.affiliateId };
};

const readWithTotals = async (programId: string, id: string): Promise<AffiliateWithTotals | undefined> => {
  const totals = begin(readTotals(programId, [id]));
  const affiliate = await affiliates.get(programId, id);
  return affiliate && (await withTotals(programId, [affiliate], await totals))[0];
};

const findBySlug = async (programId: string, slug: string): Promise<AffiliateWithTotals | undefined> => {
  const found = await affiliateOfSlug(programId, slug);
  return found && readWithTotals(programId, found.affiliateId);
};

const findByEmail = async (programId: string, email: string): Promise<AffiliateWithTotals | undefined> => {
  const found = await affiliates.findName(programId, 'EMAIL', email);
  return found && readWithTotals(programId, found.id);
};

/** The affiliate with this id, or else the one with a link of this slug, which may have the form of an id. */
const findByIdOrSlug = async (programId: string, idOrSlug: string): Promise<AffiliateWithTotals | undefined> => {
  const byId = uuid.safeParse(idOrSlug).success ? await readWithTotals(programId, idOrSlug) : undefined;
  return byId ?? findBySlug(programId, idOrSlug);
};

/** By `email`, by the slug of a `link`, or by an `id` that may be such a slug too. */
export const findAffiliate = (
  programId: string,
  name: 'id' | 'email' | 'link',
  value: string,
): Promise<AffiliateWithTotals | undefined> => {
  if (name === 'email') return findByEmail(programId, value);
  return name === 'link' ? findBySlug(programId, value) : findByIdOrSlug(programId, value);
};
