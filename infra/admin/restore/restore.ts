import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { accountKey, getAccount } from '../../../shared/domain/programs/accounts.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { setProgramPlan } from '../../../shared/domain/programs/repository.ts';
import { forEachConcurrent } from '../../../shared/platform/concurrency/for-each-concurrent.ts';
import { restoredAttribute } from '../../../shared/platform/table/change.ts';
import { deployedName } from '../../../shared/platform/table/client.ts';
import { getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { chunksOf, type Item, patientClient, subjectOf } from '../items.ts';
import { jobsFor, startJobs } from './jobs.ts';
import type { Source } from './source.ts';

export interface Restored {
  programs: number;
  /** Accounts that were missing, or that got their plan back. */
  accounts: number;
  items: number;
  /** Ids of existing programs, which are not changed. */
  leftAlone: string[];
  /** Keys of items that were written since the loss and are not changed; the first 100. */
  conflicts: string[];
  tokens: number;
  /** Messages that start background work again. */
  jobs: number;
}

const maxConcurrency = 25;
const itemsInChunk = 500;
const maxConflicts = 100;

/** The programs and accounts of the source, in memory: one small item each. */
const readOwners = async (source: Source, only: string | undefined) => {
  const programItems = new Map<string, Item>();
  const accounts = new Map<string, Item>();
  for await (const item of source.owners()) {
    const { pk, programId } = subjectOf(item);
    if (programId === undefined) accounts.set(pk, item);
    else if (only === undefined || programId === only) programItems.set(programId, item);
  }
  if (only !== undefined && programItems.size === 0) throw new Error(`There is no program ${only} to restore from`);
  return { programItems, accounts };
};

type Written = 'written' | 'exists' | 'conflict';

/** Puts an item unless its key exists. The workers of the stream skip it, so that it makes no event and is not counted again. */
const itemWriter = (now: Date) => {
  const client = patientClient();
  const TableName = deployedName('records');
  return async (item: Item): Promise<Written> => {
    try {
      await client.send(
        new PutItemCommand({
          TableName,
          Item: { ...item, [restoredAttribute]: { S: now.toISOString() } },
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return 'written';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item?.[restoredAttribute] ? 'exists' : 'conflict';
    }
  };
};

const programKey = (id: string) => ({ pk: partition(id, 'PROGRAM'), sk: id });

/** Sorts programs into those that the table lacks, those that an interrupted restore left unfinished, and all others. */
const divide = async (ids: Iterable<string>) => {
  const missing = new Set<string>();
  const unfinished = new Set<string>();
  const leftAlone: string[] = [];
  await forEachConcurrent([...ids], maxConcurrency, async (id) => {
    const program = await getItem('records', programKey(id));
    if (!program) missing.add(id);
    else if (program[restoredAttribute] === undefined) leftAlone.push(id);
    else unfinished.add(id);
  });
  return { missing, unfinished, leftAlone };
};

/** Gives an account its plan back if it was created by a sign-in since the loss. @returns whether it was */
const restorePlan = async ({ email, plan }: Item): Promise<boolean> => {
  const { isWritten } = await updateItem('records', accountKey(email?.S ?? ''), {
    UpdateExpression: 'SET #plan = :plan',
    ConditionExpression: `#plan = :free AND attribute_not_exists(programCount) AND attribute_not_exists(${restoredAttribute})`,
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':plan': plan?.S, ':free': 'FREE' },
  });
  return isWritten;
};

/** Makes a program's plan that of its account, and its keys work. @returns how many tokens it has */
const reconnect = async (programId: string, ownerEmail: string): Promise<number> => {
  const account = await getAccount(ownerEmail);
  if (account) {
    // It is counted again when the next program is created.
    await updateItem('records', accountKey(ownerEmail), { UpdateExpression: 'REMOVE programCount' });
    await setProgramPlan(programId, account.plan);
  }
  return (await rebuildTokensOf(programId)).tokens;
};

/** The next restore leaves the program alone. */
const markFinished = async (programId: string): Promise<void> => {
  await updateItem('records', programKey(programId), {
    UpdateExpression: `REMOVE ${restoredAttribute}`,
    ConditionExpression: 'attribute_exists(pk)',
  });
};

/**
 * Restores missing programs with all their items, and missing accounts. May be repeated after it was interrupted: a
 * program's own item is put last, and it has `restoredAt` until keys work and background work is started.
 * @param only the id of a program; all of the source if absent
 */
export const restorePrograms = async (source: Source, only: string | undefined, now: Date): Promise<Restored> => {
  const write = itemWriter(now);
  const { programItems, accounts } = await readOwners(source, only);
  const { missing, unfinished, leftAlone } = await divide(programItems.keys());
  const restored: Restored = { programs: 0, accounts: 0, items: 0, leftAlone, conflicts: [], tokens: 0, jobs: 0 };
  const put = async (item: Item): Promise<void> => {
    const written = await write(item);
    if (written === 'written') restored.items += 1;
    if (written === 'conflict' && restored.conflicts.length < maxConflicts)
      restored.conflicts.push(`${item.pk?.S} ${item.sk?.S}`);
  };
  const owners = new Set([...missing].map((id) => `ACCOUNT#${programItems.get(id)?.ownerEmail?.S}`));
  await forEachConcurrent([...accounts], maxConcurrency, async ([pk, account]) => {
    if (only !== undefined && !owners.has(pk)) return;
    const isPut = (await write(account)) === 'written';
    if (isPut) restored.items += 1;
    if (isPut || (owners.has(pk) && (await restorePlan(account)))) restored.accounts += 1;
  });

  const jobs: ReturnType<typeof jobsFor> = [];
  for await (const chunk of chunksOf(source.items(), itemsInChunk))
    await forEachConcurrent(chunk, maxConcurrency, async (item) => {
      const { programId = '', partition: kind } = subjectOf(item);
      const isExpired = item.ttl !== undefined && Number(item.ttl.N) * 1000 < now.getTime();
      if (kind === 'PROGRAM' || isExpired) return;
      if (missing.has(programId)) await put(item);
      if (missing.has(programId) || unfinished.has(programId)) jobs.push(...jobsFor(item, now));
    });

  const started = [...programItems].filter(([id]) => missing.has(id) || unfinished.has(id));
  await forEachConcurrent(started, maxConcurrency, async ([id, item]) => {
    if (missing.has(id)) await put(item);
    const tokens = await reconnect(id, item.ownerEmail?.S ?? '');
    restored.tokens += tokens;
  });
  // Not before the programs exist: their changes would make no events.
  restored.jobs = await startJobs(jobs);
  await forEachConcurrent(started, maxConcurrency, async ([id]) => {
    await markFinished(id);
    restored.programs += 1;
  });
  return restored;
};
