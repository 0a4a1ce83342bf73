import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { searchEntries } from '../../platform/table/search.ts';
import { slotOf } from '../../platform/table/slots.ts';
import { isWaiting, maxLinks, StoredAffiliate } from './rules.ts';

const emailTaken = (email: string) =>
  new ApiError('already_exists', `An affiliate with the email ${email} already exists`, {
    details: [{ path: 'email', message: 'email is already in use' }],
  });

export const affiliatesWithStatus = (status: string) => ({ index: 'GSI1', parts: ['STATUS', status] }) as const;

/** Of the default group there is no index: its affiliates are found among all. */
export const affiliatesInGroup = (groupId: string) => ({ index: 'GSI2', parts: ['GROUP', groupId] }) as const;

/** Whose application nobody has decided yet. */
export const waitingAffiliates = { index: 'GSI3', parts: ['APPLICATION', 'WAITING'] } as const;

export const affiliates = recordStore({
  table: 'records',
  kind: 'AFFILIATE',
  keepsActor: true,
  schema: StoredAffiliate,
  maps: { links: maxLinks },
  indexes: ({ status, groupId, application }) => [
    affiliatesWithStatus(status),
    ...(groupId === null ? [] : [affiliatesInGroup(groupId)]),
    ...(isWaiting({ status, application }) ? [waitingAffiliates] : []),
  ],
  uniques: {
    EMAIL: ({ email }) => ({ value: email, refusal: () => emailTaken(email) }),
    WORD: searchEntries,
    SLOT: ({ waitingSlot }) => (waitingSlot === null ? undefined : slotOf(waitingSlot)),
  },
});

type Read = (key: string) => Promise<StoredAffiliate | undefined>;

/** Finds by id, email or both; 404 if there is none or they name two. */
export const findAffiliate = async (
  programId: string,
  named: { affiliateId?: string | null | undefined; affiliateEmail?: string | null | undefined },
  {
    byId = (id) => affiliates.get(programId, id),
    byEmail = (email) => affiliates.find(programId, 'EMAIL', email),
  }: { byId?: Read; byEmail?: Read } = {},
): Promise<StoredAffiliate> => {
  const found = named.affiliateId ? await byId(named.affiliateId) : await byEmail(named.affiliateEmail ?? '');
  if (!found || (named.affiliateEmail && found.email !== named.affiliateEmail))
    throw new ApiError('not_found', 'Affiliate not found');
  return found;
};

/** The affiliate of a list filter: undefined without a filter, null if nothing can match. */
export const affiliateIdOfFilter = async (
  programId: string,
  { affiliateId, affiliateEmail }: { affiliateId?: string | undefined; affiliateEmail?: string | undefined },
): Promise<string | null | undefined> => {
  if (!affiliateEmail) return affiliateId;
  const named = await affiliates.findName(programId, 'EMAIL', affiliateEmail);
  return !named || (affiliateId && affiliateId !== named.id) ? null : named.id;
};
