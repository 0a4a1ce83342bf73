import type { AuditAction } from '../../shared/contract/audit-log.ts';
import { unpackChanges } from '../../shared/domain/audit/changes.ts';
import { erasePerson } from '../../shared/domain/privacy/erase-person.ts';
import { readErasure, startErasure } from '../../shared/domain/privacy/start-erasure.ts';
import { queryAllItems, scanItems } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { eventSteps } from '../../shared/webhooks/privacy/erase-events.ts';
import { now } from './domain.ts';

// The work of an erasure, done by the test itself, with the waits between its messages skipped.

export interface WorkOptions {
  /** What each message does before it works. */
  before?: (pass: string) => Promise<unknown>;
  onFailure?: (error: unknown) => void;
  /** How often each message comes. */
  copies?: number;
}

const rethrow = (error: unknown): never => {
  throw error;
};

/** Delivers the messages of an erasure until none is left; one whose work fails comes again. */
export const workOnErasure = async (
  programId: string,
  erasureId: string,
  { before = async () => {}, onFailure = rethrow, copies = 1 }: WorkOptions = {},
) => {
  let clock = now.getTime() + 1000;
  const message = { programId, erasureId };
  const delays: number[] = [];
  const work = async () => {
    let isSent = false;
    const send = async (_next: object, delaySeconds = 0) => {
      isSent = true;
      clock += delaySeconds * 1000;
      if (delaySeconds > 0) delays.push(delaySeconds);
    };
    try {
      await erasePerson(message, { send, now: () => new Date(clock++), eventSteps });
    } catch (error) {
      onFailure(error);
      return true;
    }
    return isSent;
  };
  for (let isLeft = true; isLeft; ) {
    await before((await readErasure(programId, erasureId)).pass);
    isLeft = (await Promise.all(Array.from({ length: copies }, work))).some(Boolean);
  }
  return delays;
};

/** Erases the person with that email. */
export const erase = async (programId: string, email: string, options?: WorkOptions) => {
  const { id } = await startErasure(programId, email, now);
  await workOnErasure(programId, id, options);
  return readErasure(programId, id);
};

/** What is compressed in the table, as the audit log shows it. */
const withChanges = (item: Record<string, unknown>) =>
  typeof item.changes === 'string' && typeof item.action === 'string'
    ? { ...item, changes: unpackChanges(item.action as AuditAction, item.changes) }
    : item;

/** With sorted keys, whose order the database does not keep. */
const textOf = (item: Record<string, unknown>): string =>
  JSON.stringify(withChanges(item), (_, value) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });

/** Items of both tables, of a program or of all, that hold one of the texts, whatever its case. */
export const itemsWith = async (texts: readonly string[], programId?: string): Promise<string[]> => {
  const sought = texts.map((text) => text.toLowerCase());
  const found: string[] = [];
  const ofProgram = programId !== undefined && {
    FilterExpression: 'contains(pk, :program)',
    ExpressionAttributeValues: { ':program': programId },
  };
  for (const table of ['records', 'traffic'] as const) {
    for await (const item of scanItems(table, { ...ofProgram })) {
      const text = textOf(item);
      if (sought.some((one) => text.toLowerCase().includes(one))) found.push(text);
    }
  }
  return found;
};

/** The items of a kind, as the table has them. */
export const itemsOf = async (
  programId: string,
  ...kind: Parameters<typeof partition> extends [string, ...infer Rest] ? Rest : never
) => {
  const items: Record<string, unknown>[] = [];
  const query = { KeyConditionExpression: 'pk = :pk', ConsistentRead: true };
  for await (const item of queryAllItems('records', {
    ...query,
    ExpressionAttributeValues: { ':pk': partition(programId, ...kind) },
  }))
    items.push(item);
  return items;
};
