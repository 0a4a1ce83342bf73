import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { updateAlone, type Write, writeTogether } from '../../platform/table/transaction.ts';
import { links } from './link-repository.ts';
import { linkEntry, type StoredLink } from './link-rules.ts';
import { affiliates } from './repository.ts';
import { maxLinks, type StoredAffiliate } from './rules.ts';

/** Outside the link's transaction, where links would conflict. If the request dies, the link's worker does it. docs/behavior.md#links-and-their-affiliate */
export const enterLink = (programId: string, link: StoredLink, now: Date): Promise<void> =>
  updateAlone(enterLinkWrite(programId, link, now));

export const enterLinkWrite = (programId: string, link: StoredLink, now: Date): Write =>
  affiliates.setMapEntryWrite(programId, link.affiliateId, {
    attribute: 'links',
    name: link.id,
    value: linkEntry(link),
    now,
  });

export const takeOutLink = async (
  programId: string,
  { id, affiliateId }: { id: string; affiliateId: string },
  now: Date,
): Promise<void> => {
  try {
    await updateAlone(affiliates.deleteMapEntryWrite(programId, affiliateId, { attribute: 'links', name: id, now }));
  } catch (error) {
    // The affiliate is gone, or the link's worker or request did it before.
    if (!(error instanceof ConcurrentModificationError)) throw error;
  }
};

/**
 * Adds the entry only if link and affiliate are unchanged since they were read, so that a deletion or rename is not undone;
 * otherwise throws ConcurrentModificationError. Does nothing if the affiliate is deleted, has the entry or already has 100 links.
 */
export const enterMissingLink = async (
  programId: string,
  link: StoredLink,
  now: Date,
): Promise<StoredAffiliate | undefined> => {
  const affiliate = await affiliates.get(programId, link.affiliateId);
  if (!affiliate || affiliate.links[link.id] || Object.keys(affiliate.links).length >= maxLinks) return affiliate;
  const changed = () => new ConcurrentModificationError(`LINK ${link.id} changed`);
  const entered = { ...affiliate.links, [link.id]: linkEntry(link) };
  await writeTogether([
    links.existsCheck(programId, link.id, changed, { version: link.version }),
    ...affiliates.updateWrites(programId, affiliate, { ...affiliate, links: entered, updatedAt: now.toISOString() }),
  ]);
  return affiliate;
};
