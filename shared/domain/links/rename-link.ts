import { ApiError } from '../../contract/errors.ts';
import type { updateLink as operation } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { links, SlugTaken } from '../affiliates/link-repository.ts';
import { linkEntry, type StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { findLink } from './find-link.ts';

/** The renamed link with its affiliate. 404 if there is none, 400 if the slug is taken. docs/behavior.md#link-text */
export const renameLink = (
  programId: string,
  { newLink, ...named }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<{ link: StoredLink; affiliate: StoredAffiliate }> =>
  retryOnConflict(async () => {
    const link = await findLink(programId, named);
    expectVersion(link, expectedVersions);
    const affiliate = await affiliates.get(programId, link.affiliateId);
    // Its affiliate was deleted, so the link will be too.
    if (!affiliate) throw new ApiError('not_found', 'Link not found');
    const renamed: StoredLink = { ...link, link: newLink, updatedAt: now.toISOString() };
    try {
      await writeTogether([
        ...links.updateWrites(programId, link, renamed),
        affiliates.setMapEntryWrite(programId, link.affiliateId, 'links', link.id, linkEntry(renamed)),
      ]);
    } catch (error) {
      throw error instanceof SlugTaken ? new SlugTaken(newLink, 'newLink') : error;
    }
    return { link: { ...renamed, version: link.version + 1 }, affiliate };
  });
