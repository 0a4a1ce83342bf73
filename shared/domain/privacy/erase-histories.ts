import * as z from 'zod';
import { retryFromRead } from '../../platform/table/edit.ts';
import { updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { isQuietEditBy } from '../../platform/table/quiet-writes.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { links } from '../affiliates/link-repository.ts';
import { auditEntries, type StoredAuditEntry } from '../audit/audit-log.ts';
import { packChanges, unpackChanges } from '../audit/changes.ts';
import { StoredRowResults } from '../imports/row-results.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { type Erasing, type ErasureStep, isWrittenBefore, scanStep } from './erasing.ts';
import { countWrite, type Found, foundWrites } from './found.ts';
import { erased, fieldWithoutEmail, isEmailOf, type Person, withoutEmail } from './person.ts';
import { type PersonalKind, personalFieldNames } from './personal-fields.ts';
import { foundCustomerId, foundId, isOwnOf, remember } from './personal-kinds.ts';

const erasedValue = (value: unknown): unknown => {
  if (typeof value === 'string') return value === '' ? value : erased;
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
};

type Changes = ReturnType<typeof unpackChanges>;

const ownerStores = { LINK: links, PROMOTIONAL_CODE: promotionalCodes } as const;

const isOwned = (recordType: string): recordType is keyof typeof ownerStores => Object.hasOwn(ownerStores, recordType);

/** Whether an entry is about a record of the person, or about a link or code of the affiliate. */
const isAbout = async (programId: string, { ids }: Person, entry: StoredAuditEntry, { affiliateId }: Changes) => {
  if (ids.has(entry.recordId)) return true;
  if (!isOwned(entry.recordType)) return false;
  if (ids.has(String(affiliateId?.from)) || ids.has(String(affiliateId?.to))) return true;
  const record = await ownerStores[entry.recordType].get(programId, entry.recordId);
  return record?.affiliateId != null && ids.has(record.affiliateId);
};

const textOrNull = z.string().nullable().catch(null);
const LastState = z.object({
  email: textOrNull,
  affiliateId: textOrNull,
  customerId: textOrNull,
  referralId: textOrNull,
  referredUserExternalId: textOrNull,
});

const isPersonal = (recordType: string): recordType is PersonalKind => Object.hasOwn(isOwnOf, recordType);

/** The entry of a deletion has the last state of a record, which may be nowhere else, and leads to the other entries about it. */
const foundInEntry = (
  { action, recordType, recordId }: StoredAuditEntry,
  changes: Changes,
  person: Person,
): Found[] => {
  if (action !== 'DELETED' || !isPersonal(recordType)) return [];
  const last = LastState.parse(Object.fromEntries(Object.entries(changes).map(([name, { from }]) => [name, from])));
  if (!isOwnOf[recordType](last, person)) return [];
  // The customer of a code may be anybody.
  const customerIds = isOwned(recordType) ? [] : [last.customerId, last.referredUserExternalId];
  const found = [foundId(recordId), ...customerIds.flatMap(foundCustomerId)];
  return found.filter(({ kind, id }) => !person[kind].has(id));
};

const erasedEntry = (entry: StoredAuditEntry, changes: Changes, person: Person, isOwn: boolean): StoredAuditEntry => {
  // A record may have had the person's email only before or after the change.
  const isOfPerson = (side: 'from' | 'to') =>
    isOwn || (isPersonal(entry.recordType) && isEmailOf(person, changes.email?.[side]));
  const [before, after] = [isOfPerson('from'), isOfPerson('to')];
  const erasedChanges = Object.fromEntries(
    Object.entries(changes).map(([name, { from, to }]) => {
      const value = (one: unknown, isTheirs: boolean) =>
        isTheirs && personalFieldNames.has(name) ? erasedValue(one) : fieldWithoutEmail(name, one, person, isTheirs);
      return [name, { from: value(from, before), to: value(to, after) }];
    }),
  );
  return { ...entry, changes: packChanges(entry.action, erasedChanges) };
};

const eraseEntry = async (erasing: Erasing, first: StoredAuditEntry, isCounted: boolean): Promise<void> => {
  const { programId, person } = erasing;
  const readAgain = () => auditEntries.get(programId, first.id);
  await retryFromRead(first, readAgain, async (entry) => {
    const changes = unpackChanges(entry.action, entry.changes);
    const found = foundInEntry(entry, changes, person);
    const isOwn = found.length > 0 || (await isAbout(programId, person, entry, changes));
    const after = erasedEntry(entry, changes, person, isOwn);
    if (after.changes === entry.changes && found.length === 0) return;
    await writeTogether([
      ...auditEntries.updateWrites(programId, entry, after),
      ...(await foundWrites(programId, person.erasureId, found)),
      ...(isCounted ? [] : [countWrite(programId, person.erasureId, 'AUDIT')]),
    ]);
    remember(person, found);
  });
};

const auditStep: ErasureStep = scanStep(
  'records',
  (programId) => partition(programId, 'AUDIT'),
  async (erasing, item) => {
    const entry = auditEntries.schema.parse(item);
    if (!isWrittenBefore(erasing, { updatedAt: entry.createdAt })) return;
    await eraseEntry(erasing, entry, isQuietEditBy(erasing.person.erasureId, item));
  },
);

/** Refused rows of imports may say an email. */
const importStep: ErasureStep = scanStep(
  'records',
  (programId) => partition(programId, 'IMPORT', 'ROWS'),
  async ({ programId, person }, item) => {
    const { sk, problems } = StoredRowResults.parse(item);
    const without = problems.map((problem) => ({ ...problem, message: withoutEmail(problem.message, person) }));
    if (without.every(({ message }, at) => message === problems[at]?.message)) return;
    await updateItem(
      'records',
      { pk: partition(programId, 'IMPORT', 'ROWS'), sk },
      {
        UpdateExpression: 'SET problems = :problems',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':problems': without },
      },
    );
  },
);

/** What was changed of the person, and what imports have said of them. docs/behavior.md#erasing-a-person */
export const historySteps: readonly ErasureStep[] = [auditStep, importStep];
