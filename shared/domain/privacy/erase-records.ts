import { isDeepStrictEqual } from 'node:util';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { deleteItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError, type StoredRecord } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { quietAttribute, quietMark } from '../../platform/table/quiet-writes.ts';
import type { RecordStore, recordStore } from '../../platform/table/record-store.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { UpdateParts } from '../../platform/table/update-parts.ts';
import { enterLinkWrite } from '../affiliates/link-entry.ts';
import { links } from '../affiliates/link-repository.ts';
import type { StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { searchedIn } from '../affiliates/search.ts';
import { moveCustomer } from '../attribution/customers.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { referrals } from '../referrals/repository.ts';
import type { StoredReferral } from '../referrals/rules.ts';
import { sales } from '../sales/repository.ts';
import type { StoredSale } from '../sales/rules.ts';
import { type Erasing, type ErasureStep, isWrittenBefore, scanStep } from './erasing.ts';
import { countWrite, type Found, foundWrite } from './found.ts';
import { erasedEmail, type Person } from './person.ts';
import { type PersonalKind, personalRecords } from './personal-fields.ts';

interface Personal<Stored extends StoredRecord> {
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

const id = (of: string): Found => ({ kind: 'ids', id: of });
const customerId = (of: string | null): Found[] => (of === null ? [] : [{ kind: 'customerIds', id: of }]);

const ofAffiliate: Personal<StoredAffiliate> = {
  kind: 'AFFILIATE',
  store: affiliates,
  isOwn: ({ email }, person) => email === person.email,
  found: (affiliate) => [id(affiliate.id)],
  completed: (affiliate) => ({ ...affiliate, searchWords: searchWordsOf(searchedIn(affiliate)) }),
  writtenElsewhere: ['links'],
};

const ofLink: Personal<StoredLink> = {
  kind: 'LINK',
  store: links,
  isOwn: ({ affiliateId }, { ids }) => ids.has(affiliateId),
  also: async (programId, link, now) => {
    const affiliate = await affiliates.get(programId, link.affiliateId);
    return affiliate?.links[link.id] ? [enterLinkWrite(programId, link, now)] : [];
  },
};

const ofCode: Personal<StoredPromotionalCode> = {
  kind: 'PROMOTIONAL_CODE',
  store: promotionalCodes,
  isOwn: ({ affiliateId }, { ids }) => affiliateId !== null && ids.has(affiliateId),
};

const ofReferral: Personal<StoredReferral> = {
  kind: 'REFERRAL',
  store: referrals,
  isOwn: ({ email }, person) => email === person.email,
  found: (referral) => [id(referral.id), ...customerId(referral.referredUserExternalId)],
};

const ofSale: Personal<StoredSale> = {
  kind: 'SALE',
  store: sales,
  isOwn: ({ email, customerId, referralId }, person) =>
    email === null
      ? (customerId !== null && person.customerIds.has(customerId)) ||
        (referralId !== null && person.ids.has(referralId))
      : email === person.email,
  // Responses show it as a number.
  found: (sale) => [id(String(Number(sale.id))), ...customerId(sale.customerId)],
  completed: (sale) => ({ ...sale, searchWords: searchWordsOf(sale) }),
};

const rulesOf = (kind: PersonalKind): Readonly<Record<string, (value: unknown, context: never) => unknown>> =>
  personalRecords[kind];

/** The record after the erasure, or undefined if it stays as it is. */
const erasedRecord = <Stored extends StoredRecord>(
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

const remember = ({ ids, customerIds }: Person, found: readonly Found[]): void => {
  for (const { kind, id: of } of found) (kind === 'ids' ? ids : customerIds).add(of);
};

const foundIn = <Stored extends StoredRecord>(
  { isOwn, found = () => [] }: Personal<Stored>,
  record: Stored,
  person: Person,
): Found[] => (isOwn(record, person) ? found(record) : []);

const foundWrites = (programId: string, erasureId: string, found: readonly Found[]): Promise<Write[]> =>
  Promise.all(found.map((one) => foundWrite(programId, erasureId, one)));

/** In one transaction with what it has found, because afterwards the record shows it no more. */
const eraseRecord = <Stored extends StoredRecord>(
  personal: Personal<Stored>,
  erasing: Erasing,
  first: Stored,
): Promise<void> => {
  const { programId, person, now } = erasing;
  const { store, kind, also, writtenElsewhere = [] } = personal;
  let read: Stored | undefined = first;
  return retryOnConflict(async () => {
    const record = read ?? (await store.get(programId, first.id));
    read = undefined;
    if (!record || !isWrittenBefore(erasing, record)) return;
    const erased = erasedRecord(personal, record, person);
    if (!erased) return;
    const elsewhere = Object.fromEntries(writtenElsewhere.map((name) => [name, record[name]]));
    const after = { ...erased, ...elsewhere, updatedAt: now.toISOString() };
    const found = foundIn(personal, record, person);
    await writeTogether([
      ...store.updateWrites(programId, record, after),
      ...((await also?.(programId, after, now)) ?? []),
      ...(await foundWrites(programId, person.erasureId, found)),
      countWrite(programId, person.erasureId, kind),
    ]);
    remember(person, found);
  });
};

const liveStep = <Stored extends StoredRecord>(personal: Personal<Stored>): ErasureStep =>
  scanStep(
    'records',
    (programId) => partition(programId, personal.kind),
    async (erasing, item) => {
      const record = personal.store.schema.parse(item);
      if (erasedRecord(personal, record, erasing.person)) await eraseRecord(personal, erasing, record);
    },
  );

/** Nothing but an erasure changes a tombstone. */
const tombstoneWrite = (item: Record<string, unknown>, before: object, after: object): Write => {
  const parts = new UpdateParts(Number(item.version));
  for (const [name, value] of Object.entries(after))
    if (!isDeepStrictEqual(value, new Map(Object.entries(before)).get(name))) parts.set(name, value);
  parts.expect('email' in before ? 'email' : 'id', 'email' in before ? before.email : item.id);
  parts.set(quietAttribute, quietMark());
  return {
    Update: { TableName: deployedName('records'), Key: { pk: item.pk, sk: item.sk }, ...parts.expressions },
    refusal: () => new ConcurrentModificationError('The tombstone expired, or was erased meanwhile'),
  };
};

const tombstoneStep = <Stored extends StoredRecord>(personal: Personal<Stored>): ErasureStep =>
  scanStep(
    'records',
    (programId) => partition(programId, 'TOMBSTONE', personal.kind),
    async (erasing, item) => {
      const { programId, person } = erasing;
      const { data: record } = personal.store.schema.safeParse(item);
      const erased = record && erasedRecord(personal, record, person);
      if (!erased || !isWrittenBefore(erasing, record)) return;
      const found = foundIn(personal, record, person);
      try {
        await writeTogether([
          tombstoneWrite(item, record, erased),
          ...(await foundWrites(programId, person.erasureId, found)),
          countWrite(programId, person.erasureId, 'TOMBSTONE'),
        ]);
      } catch (error) {
        // Another message has erased it, or it is no more.
        if (!(error instanceof ConcurrentModificationError)) throw error;
      }
      remember(person, found);
    },
  );

const formerNames: ErasureStep = scanStep(
  'records',
  (programId) => partition(programId, 'AFFILIATE', 'NAME'),
  async ({ programId, person }, item) => {
    if (!person.ids.has(String(item.id))) return;
    await deleteItem('records', { pk: partition(programId, 'AFFILIATE', 'NAME'), sk: String(item.sk) });
  },
);

/** The orders are counted for nobody, so that they are no orders of whoever has the email next. docs/behavior.md#first-orders */
const customers: ErasureStep = async ({ programId, person, writtenBefore }) => {
  const names = [person.email, ...[...person.customerIds].map((of) => `ID ${of}`)];
  for (const name of names) await moveCustomer(programId, name, erasedEmail(person.erasureId), writtenBefore);
  return undefined;
};

/** Affiliates and referrals first, because their ids lead to links, codes and sales. */
export const recordSteps: readonly ErasureStep[] = [
  liveStep(ofAffiliate),
  tombstoneStep(ofAffiliate),
  liveStep(ofReferral),
  tombstoneStep(ofReferral),
  liveStep(ofSale),
  tombstoneStep(ofSale),
  liveStep(ofLink),
  tombstoneStep(ofLink),
  liveStep(ofCode),
  tombstoneStep(ofCode),
  customers,
  formerNames,
];
