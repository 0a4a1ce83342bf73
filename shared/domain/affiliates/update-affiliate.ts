import type { updateAffiliate as operation } from '../../contract/affiliates.ts';
import { fieldError } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { links } from './link-repository.ts';
import { linkEntry, type StoredLink, unusedLink } from './link-rules.ts';
import { affiliates, findAffiliate } from './repository.ts';
import { mostLinks, type StoredAffiliate } from './rules.ts';

type Body = BodyOf<typeof operation>;

const storedStatus = { active: 'ACTIVE', inactive: 'INACTIVE', banned: 'BANNED' } as const;

const addedLink = (affiliate: StoredAffiliate, slug: string | undefined, now: Date): StoredLink | undefined => {
  const has = Object.values(affiliate.links).some(({ link }) => link.toLowerCase() === slug?.toLowerCase());
  if (slug === undefined || has) return undefined;
  if (Object.keys(affiliate.links).length >= mostLinks)
    throw fieldError('affiliateLink', `The affiliate already has ${mostLinks} links`);
  const at = now.toISOString();
  const fields = { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1 };
  return { ...unusedLink, ...fields, link: slug, affiliateId: affiliate.id };
};

const changedAffiliate = (affiliate: StoredAffiliate, body: Body, link: StoredLink | undefined, now: Date) => {
  const { affiliateId: _id, emailAddress: _email, affiliateLink: _link, affiliateStatus, lastName, ...fields } = body;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const changed: StoredAffiliate = { ...affiliate, ...given, updatedAt: now.toISOString() };
  if (affiliateStatus) changed.status = storedStatus[affiliateStatus];
  if (lastName !== undefined) changed.lastName = lastName ?? '';
  if (link) changed.links = { ...affiliate.links, [link.id]: linkEntry(link) };
  return changed;
};

/** 404, or 400 if email or link is taken. docs/behavior.md#affiliate-records */
export const updateAffiliate = (
  programId: string,
  body: Body,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredAffiliate> =>
  whileChanging(async () => {
    const named = { affiliateId: body.affiliateId, affiliateEmail: body.emailAddress };
    const affiliate = await findAffiliate(programId, named);
    expectVersion(affiliate, expectedVersions);
    const link = addedLink(affiliate, body.affiliateLink, now);
    const changed = changedAffiliate(affiliate, body, link, now);
    await writeTogether([
      ...affiliates.change(programId, affiliate, changed),
      ...(link ? links.creation(programId, link) : []),
    ]);
    return { ...changed, version: affiliate.version + 1 };
  });
