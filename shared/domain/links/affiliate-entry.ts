import { RecordChanged } from '../../platform/table/record-store.ts';
import { updateAlone } from '../../platform/table/transaction.ts';
import { links } from '../affiliates/link-repository.ts';
import { linkEntry, type StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';

/**
 * What an affiliate's record holds of its links. A new link enters it right after its own transaction, and a deleted one
 * leaves it then: within these transactions, the links of one affiliate would conflict. Where a request dies in between,
 * the workers that every link has do it.
 */

/** Enters a link. Throws RecordChanged where the affiliate is gone or has as many links as it may. */
export const enterLink = (programId: string, link: StoredLink): Promise<void> =>
  updateAlone(affiliates.mapEntry(programId, link.affiliateId, 'links', link.id, linkEntry(link)));

/** Takes a link out; nothing where the affiliate is gone. */
export const takeOutLink = async (
  programId: string,
  { id, affiliateId }: { id: string; affiliateId: string },
): Promise<void> => {
  try {
    await updateAlone(affiliates.mapEntryRemoval(programId, affiliateId, 'links', id));
  } catch (error) {
    if (!(error instanceof RecordChanged)) throw error;
  }
};

/** Enters a link whose request died before it did. */
export const enterMissingLink = async (programId: string, link: StoredLink): Promise<void> => {
  const affiliate = await affiliates.get(programId, link.affiliateId);
  if (!affiliate || affiliate.links[link.id]) return;
  try {
    await enterLink(programId, link);
  } catch (error) {
    if (!(error instanceof RecordChanged)) throw error;
  }
  // It may have been deleted meanwhile.
  if (!(await links.get(programId, link.id))) await takeOutLink(programId, link);
};
