import { ApiError } from '../../contract/errors.ts';
import type { QueryOf } from '../../contract/operation.ts';
import type { listReferrals as operation } from '../../contract/referrals.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { affiliateIdOfFilter } from '../affiliates/repository.ts';
import { referrals, referralsOfAffiliate, referralsWithStatus } from './repository.ts';
import type { StoredReferral } from './rules.ts';

export const findReferral = async (
  programId: string,
  { name, value }: { name: 'id' | 'email' | 'externalId'; value: string },
): Promise<StoredReferral> => {
  const uniqueNames = { email: 'EMAIL', externalId: 'EXTERNAL_ID' } as const;
  const referral =
    name === 'id' ? await referrals.get(programId, value) : await referrals.find(programId, uniqueNames[name], value);
  if (!referral) throw new ApiError('not_found', 'Referral not found');
  return referral;
};

/** An email is unique, so that filter finds at most one. */
export const listReferrals = async (
  programId: string,
  query: Pick<QueryOf<typeof operation>, 'email' | 'status' | 'affiliateId' | 'affiliateEmail'>,
  request: PageRequest,
): Promise<Page<StoredReferral>> => {
  const { email, status } = query;
  const affiliateId = await affiliateIdOfFilter(programId, query);
  if (affiliateId === null) return new Page([], undefined);
  const { createdAfter = '', createdBefore = '9', updatedAfter = '' } = request;
  const keep = (referral: StoredReferral) =>
    (!affiliateId || referral.affiliateId === affiliateId) && (!status || referral.subscriptionStatus === status);
  if (email) {
    const referral = await referrals.find(programId, 'EMAIL', email);
    const isThere =
      referral &&
      keep(referral) &&
      referral.createdAt >= createdAfter &&
      referral.createdAt < createdBefore &&
      referral.updatedAt > updatedAfter;
    return new Page(isThere && !request.after ? [{ item: referral, position: referral.id }] : [], undefined);
  }
  const index = affiliateId ? referralsOfAffiliate(affiliateId) : status && referralsWithStatus(status);
  return referrals.page(programId, request, index || undefined, keep);
};
