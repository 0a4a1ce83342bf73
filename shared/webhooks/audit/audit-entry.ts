import { type EventProgram, originOf, type Verb } from '../../../events/origin.ts';
import { actorText, causeText } from '../../contract/actor.ts';
import type { AuditAction } from '../../contract/audit-log.ts';
import { auditExpiryOf, type StoredAuditEntry } from '../../domain/audit/audit-log.ts';
import { changesBetween, packChanges } from '../../domain/audit/changes.ts';
import type { Change } from '../../platform/table/change.ts';
import { derivedId } from '../../platform/table/derived-id.ts';
import type { StoredRecord } from '../../platform/table/keys.ts';
import { type AuditedState, auditOf } from './audited.ts';

const actionOf = { created: 'CREATED', updated: 'UPDATED', deleted: 'DELETED' } as const satisfies Record<
  Verb,
  AuditAction
>;

const deletionWorker = actorText({ type: 'SYSTEM', id: 'finish-deletion' });

/** Longer than any request or worker runs: a record that is imported has a time of its own. */
const maxAgeMilliseconds = 5 * 60 * 1000;

/** The time that the record gives, if the change may have been made then, else the second in which the table knew of it. */
const timeOf = (given: string, noticedAt: Date): string =>
  Math.abs(noticedAt.getTime() - Date.parse(given)) <= maxAgeMilliseconds ? given : noticedAt.toISOString();

/**
 * Of what a worker deleted without a tombstone: in the second that the table knows, after what it follows from. The tombstone of
 * another parent, which may come later, must not move it.
 */
const timeOfCascade = (timestamp: string, { updatedAt }: StoredRecord, noticedAt: Date): string => {
  const [given, noticed, edited] = [Date.parse(timestamp), noticedAt.getTime(), Date.parse(updatedAt)];
  const known = given < noticed + 1000 ? given : Math.max(noticed, edited);
  return new Date(known + 1).toISOString();
};

/** Always the same for a change, however often and late it is derived. */
const originOfEntry = async (change: Change, verb: Verb, { record }: AuditedState, program: EventProgram) => {
  const { timestamp, by, req, isOfParent } = await originOf(change, verb, record, program);
  const { before, after, noticedAt } = change;
  if (isOfParent)
    return { at: timeOfCascade(timestamp, record, noticedAt), by: deletionWorker, req: causeText({ by, req }) };
  const isTimed = verb !== 'updated' || before?.updatedAt !== after?.updatedAt;
  return { at: isTimed ? timeOf(timestamp, noticedAt) : noticedAt.toISOString(), by, req };
};

/**
 * What a change adds to the audit log: undefined where it is none of a public field, of counters, or of a kind that is not
 * audited. `changeId` is that of the stream, so that a repeated change has the same entry. docs/behavior.md#audit-log
 */
export const auditEntryOf = async (
  change: Change,
  changeId: string,
  program: EventProgram,
): Promise<StoredAuditEntry | undefined> => {
  const audit = auditOf(change.kind);
  if (!audit) return undefined;
  const after = change.after && audit.stateOf(change.after, program);
  const before = change.before
    ? audit.stateOf(change.before, program)
    : change.after && audit.unstoredOf(change.after, program);
  const state = after ?? before;
  if (!state) return undefined;
  const changes = changesBetween(before?.fields, after?.fields);
  // Every edit raises the version; counters leave it.
  const isEdit = before?.record.version !== after?.record.version;
  const names = Object.keys(changes).filter((name) => isEdit || audit.withoutVersion.includes(name));
  if (names.length === 0) return undefined;
  const verb: Verb = !before ? 'created' : after ? 'updated' : 'deleted';
  const { at, by, req } = await originOfEntry(change, verb, state, program);
  const action = actionOf[verb];
  return {
    id: derivedId(new Date(at), change.programId, 'AUDIT', changeId),
    createdAt: at,
    updatedAt: at,
    version: 1,
    ttl: auditExpiryOf(at),
    action,
    recordType: state.recordType,
    recordId: state.recordId,
    by: typeof by === 'string' ? by : null,
    req: typeof req === 'string' ? req : null,
    changes: packChanges(
      action,
      Object.fromEntries(names.map((name) => [name, changes[name] ?? { from: null, to: null }])),
    ),
  };
};
