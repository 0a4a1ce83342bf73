import { fieldError } from '../../contract/errors.ts';
import type { createLink as operation } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { notIdempotent } from '../../platform/table/idempotency-context.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { refuseForeignDestination } from './link-destination.ts';
import { enterLink } from './link-entry.ts';
import { createLinkWrites, links, SlugTaken } from './link-repository.ts';
import { type StoredLink, unusedLink } from './link-rules.ts';
import { findAffiliate } from './repository.ts';
import { maxLinks, type StoredAffiliate } from './rules.ts';

/** Calls `onFound` with the affiliate. 404 without the affiliate, 400 if the slug is taken or it has 100 links. docs/behavior.md#link-text */
export const createLink = (
  programId: string,
  body: BodyOf<typeof operation>,
  now: Date,
  { recordCreated } = notIdempotent,
  onFound: OnFound<StoredAffiliate> = readNothingBeside,
): Promise<StoredLink> =>
  retryOnConflict(async () => {
    const [affiliate] = await Promise.all([
      findAffiliate(programId, body),
      refuseForeignDestination(programId, body.destinationUrl),
    ]);
    onFound(affiliate);
    if (Object.keys(affiliate.links).length >= maxLinks)
      throw fieldError('link', `The affiliate already has ${maxLinks} links`);
    const at = now.toISOString();
    const fields = { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1 };
    const { link: slug, destinationUrl = null } = body;
    const link: StoredLink = { ...unusedLink, ...fields, link: slug, destinationUrl, affiliateId: affiliate.id };
    try {
      await writeTogether([...createLinkWrites(programId, link, affiliate), ...recordCreated(link.id)]);
    } catch (error) {
      throw error instanceof SlugTaken ? new SlugTaken(body.link, 'link') : error;
    }
    try {
      await enterLink(programId, link, now);
    } catch (error) {
      // The affiliate was deleted or is full: the retry finds out which.
      if (error instanceof ConcurrentModificationError) await writeTogether(links.deleteWrites(programId, link));
      throw error;
    }
    return link;
  });
