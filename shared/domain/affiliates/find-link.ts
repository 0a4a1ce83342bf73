import { ApiError } from '../../contract/errors.ts';
import { links } from './link-repository.ts';
import type { StoredLink } from './link-rules.ts';

/** By id, slug (case-insensitive) or both; 404 if there is none or they name two. */
export const findLink = async (
  programId: string,
  { id, link: slug }: { id?: string | undefined; link?: string | undefined },
): Promise<StoredLink> => {
  const found = id ? await links.get(programId, id) : await links.find(programId, 'SLUG', slug?.toLowerCase() ?? '');
  const isOther = slug !== undefined && found?.link.toLowerCase() !== slug.toLowerCase();
  if (!found || isOther) throw new ApiError('not_found', 'Link not found');
  return found;
};
