import type { deleteLink as operation } from '../../contract/links.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { expectVersion, retryOnConflict } from '../../platform/table/edit.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { findLink } from './find-link.ts';
import { takeOutLink } from './link-entry.ts';
import { links } from './link-repository.ts';
import type { StoredLink } from './link-rules.ts';

/** 404 if there is none. docs/behavior.md#deleting-a-link */
export const deleteLink = (
  programId: string,
  named: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredLink> =>
  retryOnConflict(async () => {
    const link = await findLink(programId, named);
    expectVersion(link, expectedVersions);
    await writeTogether([...links.deleteWrites(programId, link), links.deletionWrite(programId, link.id, now)]);
    await takeOutLink(programId, link, now);
    return link;
  });
