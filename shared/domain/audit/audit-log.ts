import * as z from 'zod';
import { actorFrom, causeFrom, causeText } from '../../contract/actor.ts';
import { type AuditEntry, type AuditRecordType, auditActions, auditRecordTypes } from '../../contract/audit-log.ts';
import { type IndexEntry, storedFields } from '../../platform/table/keys.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { unpackChanges } from './changes.ts';

const keptSeconds = 400 * 24 * 60 * 60;

export const auditExpiryOf = (createdAt: string): number => Math.floor(Date.parse(createdAt) / 1000) + keptSeconds;

export const StoredAuditEntry = z.object({
  ...storedFields,
  ttl: z.number(),
  action: z.enum(auditActions),
  recordType: z.enum(auditRecordTypes),
  recordId: z.string(),
  /** Who made the change, and the request, as its item says it. */
  by: z.string().nullable(),
  req: z.string().nullable(),
  changes: z.string(),
});
export type StoredAuditEntry = z.infer<typeof StoredAuditEntry>;

export interface AuditFilters {
  recordType?: AuditRecordType | undefined;
  recordId?: string | undefined;
  actor?: string | undefined;
}

const entriesOfRecord = (recordId: string) => ({ index: 'GSI1', parts: ['RECORD', recordId] }) as const;
const entriesOfActor = (actor: string) => ({ index: 'GSI2', parts: ['ACTOR', actor] }) as const;
const entriesOfType = (recordType: string) => ({ index: 'GSI3', parts: ['TYPE', recordType] }) as const;

const actorIdOf = ({ by }: Pick<StoredAuditEntry, 'by'>): string | undefined => actorFrom(by)?.id;

export const auditEntries = recordStore({
  table: 'records',
  kind: 'AUDIT',
  schema: StoredAuditEntry,
  indexes: (entry) => {
    const actor = actorIdOf(entry);
    return [
      entriesOfRecord(entry.recordId),
      ...(actor === undefined ? [] : [entriesOfActor(actor)]),
      entriesOfType(entry.recordType),
    ];
  },
  // Two states of the largest record.
  isUnbounded: true,
});

/** A record has few entries, an actor often many, and a type most. */
const narrowest = ({ recordId, actor, recordType }: AuditFilters): IndexEntry | undefined => {
  if (recordId !== undefined) return entriesOfRecord(recordId);
  if (actor !== undefined) return entriesOfActor(actor);
  return recordType && entriesOfType(recordType);
};

const keptSince = (now: Date): string => new Date(now.getTime() - keptSeconds * 1000).toISOString();

/** Newest first, without what is older than 400 days. docs/behavior.md#audit-log */
export const listAuditEntries = (
  programId: string,
  filters: AuditFilters,
  request: PageRequest,
  now: Date,
): Promise<Page<StoredAuditEntry>> => {
  const { recordId, actor, recordType } = filters;
  const fits = (entry: StoredAuditEntry) =>
    (recordId === undefined || entry.recordId === recordId) &&
    (actor === undefined || actorIdOf(entry) === actor) &&
    (recordType === undefined || entry.recordType === recordType);
  const since = keptSince(now);
  const createdAfter = request.createdAfter && request.createdAfter > since ? request.createdAfter : since;
  return auditEntries.page(programId, { ...request, createdAfter }, narrowest(filters), fits);
};

/** Undefined if there is none, or it is older than 400 days: TTL deletes late. */
export const readAuditEntry = async (
  programId: string,
  id: string,
  now: Date,
): Promise<StoredAuditEntry | undefined> => {
  const entry = await auditEntries.get(programId, id);
  return entry && entry.createdAt >= keptSince(now) ? entry : undefined;
};

/** As the API shows an entry; its version is that of its ETag. */
export const auditResponse = (entry: StoredAuditEntry): AuditEntry & { version: number } => {
  const { id, createdAt, updatedAt, version, action, recordType, recordId, by, changes } = entry;
  return {
    id,
    createdAt,
    updatedAt,
    version,
    actor: actorFrom(by),
    cause: causeFrom(causeText(entry)),
    action,
    recordType,
    recordId,
    changes: unpackChanges(action, changes),
  };
};
