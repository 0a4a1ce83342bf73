import { randomInt } from 'node:crypto';
import type { createAffiliate as operation } from '../../contract/affiliates.ts';
import type { Application } from '../../contract/applications.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { type IdempotencyContext, notIdempotent } from '../../platform/table/idempotency-context.ts';
import { recordSource } from '../../platform/table/import-mark.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { withoutReads, writeTogether } from '../../platform/table/transaction.ts';
import { slugCandidates } from '../../platform/text/slug.ts';
import { groupExists, storedGroupId } from '../groups/membership.ts';
import { createLinkWrites, SlugTaken } from './link-repository.ts';
import { type StoredLink, slugForAffiliate, unusedLink } from './link-rules.ts';
import { affiliates } from './repository.ts';
import { fullName, type StoredAffiliate } from './rules.ts';
import { createTotalsWrite } from './totals.ts';

const maxSlugAttempts = 12;

interface Options extends Partial<Pick<IdempotencyContext, 'recordCreated'>> {
  /** Of somebody who waits to be approved, with the slot for it. */
  application?: Application | null;
  waitingSlot?: number | null;
}

/** 400 if email or slug is taken, 404 if there is no such group. docs/behavior.md#affiliate-records */
export const createAffiliate = async (
  programId: string,
  body: BodyOf<typeof operation>,
  now: Date,
  { recordCreated = notIdempotent.recordCreated, application = null, waitingSlot = null }: Options = {},
): Promise<StoredAffiliate> => {
  const at = now.toISOString();
  const lastName = body.lastName ?? '';
  const name = fullName({ firstName: body.firstName, lastName });
  const slugs = body.affiliateLink
    ? [body.affiliateLink]
    : slugCandidates(await slugForAffiliate(name, body.email), () => randomInt(1000, 1_000_000));
  const fields = { createdAt: at, updatedAt: at, version: 1 };
  const groupId = storedGroupId(programId, body.groupId ?? null);
  let attempts = 0;
  for (const slug of slugs) {
    const affiliateId = newRecordId(now);
    const link: StoredLink = { ...fields, ...unusedLink, id: newRecordId(now), link: slug, affiliateId };
    const affiliate: StoredAffiliate = {
      ...fields,
      id: affiliateId,
      firstName: body.firstName,
      lastName,
      email: body.email,
      status: application || (body.affiliateStatus ?? body.status) === 'inactive' ? 'INACTIVE' : 'ACTIVE',
      commissionRate: body.commissionRate ?? null,
      payoutEmail: body.payoutEmail ?? null,
      paymentMethod: body.paymentMethod ?? null,
      externalId: body.externalId ?? null,
      groupId,
      groupSince: null,
      source: application ? 'PORTAL' : recordSource(),
      application,
      waitingSlot,
      links: { [link.id]: { link: slug, createdAt: at, updatedAt: at } },
      searchWords: searchWordsOf({ name, email: body.email }),
      metadata: body.metadata ?? {},
    };
    try {
      await writeTogether([
        ...affiliates.createWrites(programId, affiliate),
        createTotalsWrite(programId, affiliateId),
        ...withoutReads(createLinkWrites(programId, link, affiliate)),
        ...groupExists(programId, groupId),
        ...recordCreated(affiliateId),
      ]);
      return affiliate;
    } catch (error) {
      attempts += 1;
      if (!(error instanceof SlugTaken) || body.affiliateLink || attempts === maxSlugAttempts) throw error;
    }
  }
  throw new Error('No slug was left to try');
};
