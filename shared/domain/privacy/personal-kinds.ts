import { isDeepStrictEqual } from 'node:util';
import type { StoredRecord } from '../../platform/table/keys.ts';
import type { RecordStore, recordStore } from '../../platform/table/record-store.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { enterLinkWrite } from '../affiliates/link-entry.ts';
import { links } from '../affiliates/link-repository.ts';
import type { StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { searchedIn } from '../affiliates/search.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';
import { sales } from '../sales/repository.ts';
import type { StoredSale } from '../sales/rules.ts';
import type { Found } from './found.ts';
import type { Person } from './person.ts';
import { type PersonalKind, personalRecords } from './personal-fields.ts';

export interface Personal<Stored extends StoredRecord> {
  kind: PersonalKind;
  store: RecordStore<Stored> & Pick<ReturnType<typeof recordStore<Stored>>, 'schema'>;
  isOwn: (record: Stored, person: Person) => boolean;
  /** What in an own record leads to more of the person. */
  found?: (record: Stored) => Found[];
  completed?: (record: Stored) => Stored;
  also?: (programId: string, after: Stored, now: Date) => Promise<Write[]>;
  /** Fields that a live record keeps, because other records' erasure writes them. */
  writtenElsewhere?: readonly (keyof Stored)[];
}

export interface Ownership {
  email: string | null;
  affiliateId: string | null;
  customerId: string | null;
  referralId: string | null;
}

const isNamed = ({ email }: Pick<Ownership, 'email'>, person: Person): boolean => email === person.email;

const isOfAffiliate = ({ affiliateId }: Pick<Ownership, 'affiliateId'>, { ids }: Person): boolean =>
  affiliateId !== null && ids.has(affiliateId);

const isOrder = (
  { email, customerId, referralId }: Pick<Ownership, 'email' | 'customerId' | 'referralId'>,
  person: Person,
): boolean =>
  email === null
    ? (customerId !== null && person.customerIds.has(customerId)) || (referralId !== null && person.ids.has(referralId))
    : email === person.email;

/** Whether a record is the person's, or their affiliate's. docs/behavior.md#erasing-a-person */
export const isOwnOf: Readonly<Record<PersonalKind, (record: Ownership, person: Person) => boolean>> = {
  AFFILIATE: isNamed,
  REFERRAL: isNamed,
  SALE: isOrder,
  LINK: isOfAffiliate,
  PROMOTIONAL_CODE: isOfAffiliate,
};

export const foundId = (id: string): Found => ({ kind: 'ids', id });
export const foundCustomerId = (id: string | null): Found[] => (id === null ? [] : [{ kind: 'customerIds', id }]);

export const ofAffiliate: Personal<StoredAffiliate> = {
  kind: 'AFFILIATE',
  store: affiliates,
  isOwn: isNamed,
  found: (affiliate) => [foundId(affiliate.id)],
  completed: (affiliate) => ({ ...affiliate, searchWords: searchWordsOf(searchedIn(affiliate)) }),
  writtenElsewhere: ['links'],
};

export const ofLink: Personal<StoredLink> = {
  kind: 'LINK',
  store: links,
  isOwn: isOfAffiliate,
  also: async (programId, link, now) => {
    const affiliate = await affiliates.get(programId, link.affiliateId);
    return affiliate?.links[link.id] ? [enterLinkWrite(programId, link, now)] : [];
  },
};

export const ofCode: Personal<StoredPromotionalCode> = {
  kind: 'PROMOTIONAL_CODE',
  store: promotionalCodes,
  isOwn: isOfAffiliate,
};

export const ofReferral: Personal<StoredReferral> = {
  kind: 'REFERRAL',
  store: referrals,
  isOwn: isNamed,
  found: (referral) => [foundId(referral.id), ...foundCustomerId(referral.referredUserExternalId)],
};

export const ofSale: Personal<StoredSale> = {
  kind: 'SALE',
  store: sales,
  isOwn: isOrder,
  // Responses show it as a number.
  found: (sale) => [foundId(String(Number(sale.id))), ...foundCustomerId(sale.customerId)],
  completed: (sale) => ({ ...sale, searchWords: searchWordsOf(sale) }),
};

const rulesOf = (kind: PersonalKind): Readonly<Record<string, (value: unknown, context: never) => unknown>> =>
  personalRecords[kind];

/** Undefined if it stays as it is. */
export const erasedRecord = <Stored extends StoredRecord>(
  { kind, isOwn, completed = (record) => record }: Personal<Stored>,
  record: Stored,
  person: Person,
): Stored | undefined => {
  const context = { person, isOwn: isOwn(record, person), id: record.id };
  const fields = Object.entries(rulesOf(kind)).flatMap(([name, rule]) => {
    const value: unknown = record[name as keyof Stored];
    const after = rule(value, context as never);
    return isDeepStrictEqual(value, after) ? [] : [[name, after]];
  });
  if (fields.length === 0) return undefined;
  const erased = { ...record, ...Object.fromEntries(fields) };
  return context.isOwn ? completed(erased) : erased;
};

export const foundIn = <Stored extends StoredRecord>(
  { isOwn, found = () => [] }: Personal<Stored>,
  record: Stored,
  person: Person,
): Found[] => (isOwn(record, person) ? found(record) : []);

export const remember = ({ ids, customerIds }: Person, found: readonly Found[]): void => {
  for (const { kind, id: of } of found) (kind === 'ids' ? ids : customerIds).add(of);
};
