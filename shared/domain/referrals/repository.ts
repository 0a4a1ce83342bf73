import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { StoredReferral } from './rules.ts';

/** Thrown for a taken email: the same referral sent again, or another one. */
export class ReferralEmailTaken extends ApiError {
  constructor(email: string) {
    super('already_exists', `A referral with the email ${email} already exists`, {
      details: [{ path: 'email', message: 'email is already in use' }],
    });
  }
}

const externalIdTaken = (externalId: string) =>
  new ApiError('already_exists', `A referral with the referredUserExternalId ${externalId} already exists`, {
    details: [{ path: 'referredUserExternalId', message: 'referredUserExternalId is already in use' }],
  });

export const referralsOfAffiliate = (affiliateId: string) =>
  ({ index: 'GSI1', parts: ['AFFILIATE', affiliateId] }) as const;
export const referralsWithStatus = (status: string) => ({ index: 'GSI2', parts: ['STATUS', status] }) as const;
export const referralsOfLink = (linkId: string) => ({ index: 'GSI3', parts: ['LINK', linkId] }) as const;

export const referrals = recordStore({
  table: 'records',
  kind: 'REFERRAL',
  keepsActor: true,
  schema: StoredReferral,
  indexes: ({ affiliateId, subscriptionStatus, affiliateLinkId }) => [
    referralsWithStatus(subscriptionStatus),
    ...(affiliateId === null ? [] : [referralsOfAffiliate(affiliateId)]),
    ...(affiliateLinkId === null ? [] : [referralsOfLink(affiliateLinkId)]),
  ],
  uniques: {
    EMAIL: ({ email }) => ({ value: email, refusal: () => new ReferralEmailTaken(email) }),
    EXTERNAL_ID: ({ referredUserExternalId: id }) =>
      id === null ? undefined : { value: id, refusal: () => externalIdTaken(id) },
  },
});
