import type { updateAffiliate as operation } from '../../contract/affiliates.ts';
import { fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { editRecord, sentFields } from '../../platform/table/edit.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { withoutReads } from '../../platform/table/transaction.ts';
import { groupExists, storedGroupId } from '../groups/membership.ts';
import { createLinkWrites } from './link-repository.ts';
import { linkEntry, type StoredLink, unusedLink } from './link-rules.ts';
import { affiliates, findAffiliate } from './repository.ts';
import { maxLinks, type StoredAffiliate } from './rules.ts';
import { searchedIn } from './search.ts';

type Body = BodyOf<typeof operation>;

const storedStatus = { active: 'ACTIVE', inactive: 'INACTIVE', banned: 'BANNED' } as const;

const addedLink = (affiliate: StoredAffiliate, slug: string | undefined, now: Date): StoredLink | undefined => {
  const has = Object.values(affiliate.links).some(({ link }) => link.toLowerCase() === slug?.toLowerCase());
  if (slug === undefined || has) return undefined;
  if (Object.keys(affiliate.links).length >= maxLinks)
    throw fieldError('affiliateLink', `The affiliate already has ${maxLinks} links`);
  const at = now.toISOString();
  const fields = { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1 };
  return { ...unusedLink, ...fields, link: slug, affiliateId: affiliate.id };
};

/** When an affiliate changes its group, it says since when it is there. docs/behavior.md#moving-affiliates */
export const inGroup = (affiliate: StoredAffiliate, groupId: string | null, now: Date) =>
  affiliate.groupId === groupId ? {} : { groupId, groupSince: now.toISOString() };

/** Whoever becomes active is approved, by whichever way. docs/behavior.md#applications */
const withStatus = (affiliate: StoredAffiliate, status: StoredAffiliate['status'], now: Date) => {
  const { application } = affiliate;
  const isApproved = status === 'ACTIVE' && application !== null && application.status !== 'APPROVED';
  const waitingSlot = status === affiliate.status ? affiliate.waitingSlot : null;
  if (!isApproved) return { status, waitingSlot };
  return {
    status,
    waitingSlot,
    application: { ...application, status: 'APPROVED' as const, decidedAt: now.toISOString(), message: null },
  };
};

interface Changes {
  link: StoredLink | undefined;
  /** Undefined if it stays. */
  groupId: string | null | undefined;
  now: Date;
}

const changedAffiliate = (affiliate: StoredAffiliate, body: Body, { link, groupId, now }: Changes) => {
  const { affiliateId: _id, emailAddress: _email, affiliateLink: _link, groupId: _group, lastName, ...rest } = body;
  const { affiliateStatus, status = affiliateStatus, ...fields } = rest;
  const given = sentFields(fields);
  const changed: StoredAffiliate = { ...affiliate, ...given, updatedAt: now.toISOString() };
  if (status) Object.assign(changed, withStatus(affiliate, storedStatus[status], now));
  if (lastName !== undefined) changed.lastName = lastName ?? '';
  changed.searchWords = searchWordsOf(searchedIn(changed));
  if (groupId !== undefined) Object.assign(changed, inGroup(affiliate, groupId, now));
  if (link) changed.links = { ...affiliate.links, [link.id]: linkEntry(link) };
  return changed;
};

const namedIn = ({ affiliateId, emailAddress }: Body) => ({ affiliateId, affiliateEmail: emailAddress });

/** Calls `onFound` with the id before the affiliate is written. 404, or 400 if email or link is taken. docs/behavior.md#affiliate-records */
export const updateAffiliate = (
  programId: string,
  body: Body,
  expectedVersions: readonly number[] | undefined,
  now: Date,
  onFound: OnFound<string> = readNothingBeside,
): Promise<StoredAffiliate> =>
  editRecord(
    affiliates,
    { programId, find: () => findAffiliate(programId, namedIn(body)), noun: 'Affiliate', expectedVersions },
    (affiliate) => {
      onFound(affiliate.id);
      const link = addedLink(affiliate, body.affiliateLink, now);
      const groupId = body.groupId === undefined ? undefined : storedGroupId(programId, body.groupId);
      const after = changedAffiliate(affiliate, body, { link, groupId, now });
      return {
        after,
        writes: [
          ...(link ? withoutReads(createLinkWrites(programId, link, after)) : []),
          ...groupExists(programId, groupId ?? null),
        ],
      };
    },
  );
