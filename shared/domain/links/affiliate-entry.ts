import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { updateAlone, writeTogether } from '../../platform/table/transaction.ts';
import { links } from '../affiliates/link-repository.ts';
import { linkEntry, type StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import { maxLinks } from '../affiliates/rules.ts';

/** Outside the link's transaction, where links would conflict. If the request dies, the link's worker does it. */

export const enterLink = (programId: string, link: StoredLink): Promise<void> =>
  updateAlone(affiliates.setMapEntryWrite(programId, link.affiliateId, 'links', link.id, linkEntry(link)));

export const takeOutLink = async (
  programId: string,
  { id, affiliateId }: { id: string; affiliateId: string },
): Promise<void> => {
  try {
    await updateAlone(affiliates.deleteMapEntryWrite(programId, affiliateId, 'links', id));
  } catch (error) {
    if (!(error instanceof ConcurrentModificationError)) throw error;
  }
};

/**
 * Adds the entry only if the link is unchanged since it was read, so that a deletion or rename is not undone; otherwise throws
 * ConcurrentModificationError. Does nothing if the affiliate is deleted or already has 100 links.
 */
export const enterMissingLink = async (programId: string, link: StoredLink): Promise<void> => {
  const affiliate = await affiliates.get(programId, link.affiliateId);
  if (!affiliate || affiliate.links[link.id] || Object.keys(affiliate.links).length >= maxLinks) return;
  const changed = () => new ConcurrentModificationError(`LINK ${link.id} changed`);
  await writeTogether([
    links.existsCheck(programId, link.id, changed, { version: link.version }),
    affiliates.setMapEntryWrite(programId, link.affiliateId, 'links', link.id, linkEntry(link)),
  ]);
};
