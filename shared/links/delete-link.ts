import { affiliates } from '../affiliates/repository.ts';
import type { deleteLink as operation } from '../contract/links.ts';
import type { BodyOf } from '../contract/operation.ts';
import { expectVersion, whileChanging } from '../table/record-store.ts';
import { type Write, writeTogether } from '../table/transaction.ts';
import { findLink } from './find-link.ts';
import { links } from './repository.ts';
import type { StoredLink } from './rules.ts';

/** Deletes a link as it was read, and takes it from its affiliate, where that is still there. */
const linkRemoval = async (programId: string, link: StoredLink): Promise<Write[]> => {
  const affiliate = await affiliates.get(programId, link.affiliateId);
  return [
    ...links.removal(programId, link),
    ...(affiliate ? [affiliates.mapEntryRemoval(programId, affiliate.id, 'links', link.id)] : []),
  ];
};

/** Deletes a link; its referrals and sales lose it in the background. 404 when there is none. Decisions, "/links". */
export const deleteLink = (
  programId: string,
  named: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
): Promise<StoredLink> =>
  whileChanging(async () => {
    const link = await findLink(programId, named);
    expectVersion(link, expectedVersions);
    await writeTogether(await linkRemoval(programId, link));
    return link;
  });
