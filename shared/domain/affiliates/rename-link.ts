import { requireRecord } from '../../contract/errors.ts';
import type { updateLink as operation } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { findLink } from './find-link.ts';
import { refuseForeignDestination } from './link-destination.ts';
import { enterLinkWrite } from './link-entry.ts';
import { links, SlugTaken } from './link-repository.ts';
import type { StoredLink } from './link-rules.ts';
import { affiliates } from './repository.ts';
import type { StoredAffiliate } from './rules.ts';

/** The renamed link with its affiliate. Calls `onFound` with the link's id before it is written. 404 if there is none, 400 if the slug is taken. docs/behavior.md#link-text */
export const renameLink = (
  programId: string,
  { newLink, destinationUrl, ...named }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
  onFound: OnFound<string> = readNothingBeside,
): Promise<{ link: StoredLink; affiliate: StoredAffiliate }> =>
  retryOnConflict(async () => {
    const [link] = await Promise.all([findLink(programId, named), refuseForeignDestination(programId, destinationUrl)]);
    expectVersion(link, expectedVersions);
    onFound(link.id);
    const reading = begin(affiliates.get(programId, link.affiliateId));
    const changed = {
      ...(newLink !== undefined && { link: newLink }),
      ...(destinationUrl !== undefined && { destinationUrl }),
    };
    const renamed: StoredLink = { ...link, ...changed, updatedAt: now.toISOString() };
    try {
      await writeTogether([...links.updateWrites(programId, link, renamed), enterLinkWrite(programId, renamed, now)]);
    } catch (error) {
      // Its affiliate was deleted, so the link will be too.
      if (error instanceof ConcurrentModificationError) requireRecord(await reading, 'Link');
      throw error instanceof SlugTaken ? new SlugTaken(renamed.link, 'newLink') : error;
    }
    const affiliate = requireRecord(await reading, 'Link');
    return { link: { ...renamed, version: link.version + 1 }, affiliate };
  });
