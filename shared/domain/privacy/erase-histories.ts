import { retryFromRead } from '../../platform/table/edit.ts';
import { updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { links } from '../affiliates/link-repository.ts';
import { auditEntries, type StoredAuditEntry } from '../audit/audit-log.ts';
import { packChanges, unpackChanges } from '../audit/changes.ts';
import { StoredRowResults } from '../imports/row-results.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { type Erasing, type ErasureStep, isWrittenBefore, scanStep } from './erasing.ts';
import { countWrite } from './found.ts';
import { erased, fieldWithoutEmail, type Person, withoutEmail } from './person.ts';
import { personalFieldNames } from './personal-fields.ts';

const erasedValue = (value: unknown): unknown => {
  if (typeof value === 'string') return value === '' ? value : erased;
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
};

type Changes = ReturnType<typeof unpackChanges>;

const ownerStores = { LINK: links, PROMOTIONAL_CODE: promotionalCodes } as const;

/** Whether an entry is about a record of the person, or about a link or code of the affiliate. */
const isAbout = async (programId: string, { ids }: Person, entry: StoredAuditEntry, { affiliateId }: Changes) => {
  if (ids.has(entry.recordId) || ids.has(String(affiliateId?.from)) || ids.has(String(affiliateId?.to))) return true;
  const { recordType } = entry;
  if (recordType !== 'LINK' && recordType !== 'PROMOTIONAL_CODE') return false;
  const record = await ownerStores[recordType].get(programId, entry.recordId);
  return record?.affiliateId != null && ids.has(record.affiliateId);
};

const erasedEntry = async ({ programId, person }: Erasing, entry: StoredAuditEntry) => {
  const changes = unpackChanges(entry.action, entry.changes);
  const isOwn = await isAbout(programId, person, entry, changes);
  const erasedChanges = Object.fromEntries(
    Object.entries(changes).map(([name, { from, to }]) => {
      const value = (one: unknown) =>
        isOwn && personalFieldNames.has(name) ? erasedValue(one) : fieldWithoutEmail(name, one, person, isOwn);
      return [name, { from: value(from), to: value(to) }];
    }),
  );
  return { ...entry, changes: packChanges(entry.action, erasedChanges) };
};

const eraseEntry = async (erasing: Erasing, first: StoredAuditEntry): Promise<void> => {
  const { programId, person } = erasing;
  const readAgain = () => auditEntries.get(programId, first.id);
  await retryFromRead(first, readAgain, async (entry) => {
    const after = await erasedEntry(erasing, entry);
    if (after.changes === entry.changes) return;
    await writeTogether([
      ...auditEntries.updateWrites(programId, entry, after),
      countWrite(programId, person.erasureId, 'AUDIT'),
    ]);
  });
};

const auditStep: ErasureStep = scanStep(
  'records',
  (programId) => partition(programId, 'AUDIT'),
  async (erasing, item) => {
    const entry = auditEntries.schema.parse(item);
    if (isWrittenBefore(erasing, { updatedAt: entry.createdAt })) await eraseEntry(erasing, entry);
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
