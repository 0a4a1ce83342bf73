import { fieldError } from '../../contract/errors.ts';
import type { createLink as operation } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { RecordChanged, whileChanging } from '../../platform/table/record-store.ts';
import { notRepeatable } from '../../platform/table/repetition.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { links, SlugTaken } from '../affiliates/link-repository.ts';
import { type StoredLink, unusedLink } from '../affiliates/link-rules.ts';
import { findAffiliate } from '../affiliates/repository.ts';
import { mostLinks } from '../affiliates/rules.ts';
import { enterLink } from './affiliate-entry.ts';

/**
 * Creates a link of an affiliate. 404 when there is no such affiliate, 400 when the slug is taken or the affiliate has
 * its 100 links. Decisions, "/links".
 */
export const createLink = (
  programId: string,
  body: BodyOf<typeof operation>,
  now: Date,
  { note } = notRepeatable,
): Promise<StoredLink> =>
  whileChanging(async () => {
    const affiliate = await findAffiliate(programId, body);
    if (Object.keys(affiliate.links).length >= mostLinks)
      throw fieldError('link', `The affiliate already has ${mostLinks} links`);
    const at = now.toISOString();
    const fields = { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1 };
    const link: StoredLink = { ...unusedLink, ...fields, link: body.link, affiliateId: affiliate.id };
    try {
      await writeTogether([...links.creation(programId, link), ...note(link.id)]);
    } catch (error) {
      throw error instanceof SlugTaken ? new SlugTaken(body.link, 'link') : error;
    }
    try {
      await enterLink(programId, link);
    } catch (error) {
      // The affiliate was deleted, or others took its last links: the next round says which.
      if (error instanceof RecordChanged) await writeTogether(links.removal(programId, link));
      throw error;
    }
    return link;
  });
