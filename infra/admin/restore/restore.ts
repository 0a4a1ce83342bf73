import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { accountKey, getAccount } from '../../../shared/domain/programs/accounts.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { programs, setProgramPlan } from '../../../shared/domain/programs/repository.ts';
import { forEachConcurrent } from '../../../shared/platform/concurrency/for-each-concurrent.ts';
import { restoredAttribute } from '../../../shared/platform/table/change.ts';
import { deployedName } from '../../../shared/platform/table/client.ts';
import { updateItem } from '../../../shared/platform/table/items.ts';
import { type Item, patientClient, subjectOf } from '../items.ts';
import { jobsFor, startJobs } from './jobs.ts';
import type { Source } from './source.ts';

/** What a restore came to. */
export interface Restored {
  programs: number;
  accounts: number;
  items: number;
  /** Programs that exist: nothing of them was touched. */
  leftAlone: string[];
  /** Keys that somebody has written since; they stay as they are. The first hundred. */
  conflicts: string[];
  tokens: number;
  /** Background work that was started again. */
  jobs: number;
}

const maxConcurrency = 25;
const itemsInChunk = 500;
const maxConflicts = 100;

/** What the source has of programs and accounts, in memory: one small item for each. */
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

const isNewAccount =
  'sk = :account AND #plan = :free AND attribute_not_exists(programCount) AND attribute_not_exists(#restored)';

type Written = 'written' | 'there' | 'conflict';

/** Puts items that are missing, marked so that their changes are no events and are not counted again. */
const itemWriter = (now: Date) => {
  const client = patientClient();
  const TableName = deployedName('records');
  return async (item: Item): Promise<Written> => {
    try {
      await client.send(
        new PutItemCommand({
          TableName,
          Item: { ...item, [restoredAttribute]: { S: now.toISOString() } },
          // Whoever signed in since the loss got a new account, on the FREE plan and without a program.
          ConditionExpression: `attribute_not_exists(pk) OR (${isNewAccount})`,
          ExpressionAttributeNames: { '#plan': 'plan', '#restored': restoredAttribute },
          ExpressionAttributeValues: { ':account': { S: 'ACCOUNT' }, ':free': { S: 'FREE' } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return 'written';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item?.[restoredAttribute] || item.sk?.S === 'ACCOUNT' ? 'there' : 'conflict';
    }
  };
};

/** Programs of the source that the table lacks, and those that it has. */
const divide = async (ids: Iterable<string>) => {
  const missing = new Set<string>();
  const leftAlone: string[] = [];
  await forEachConcurrent([...ids], maxConcurrency, async (id) => {
    if (await programs.get(id, id)) leftAlone.push(id);
    else missing.add(id);
  });
  return { missing, leftAlone };
};

const inChunks = async (items: AsyncIterable<Item>, work: (item: Item) => Promise<void>): Promise<void> => {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < itemsInChunk) continue;
    await forEachConcurrent(chunk, maxConcurrency, work);
    chunk = [];
  }
  await forEachConcurrent(chunk, maxConcurrency, work);
};

/** Makes a program agree with an account that went on without it, and its keys work. @returns how many tokens it has */
const reconnect = async (programId: string, ownerEmail: string): Promise<number> => {
  const account = await getAccount(ownerEmail);
  if (account) {
    // It is counted again when the next program is created.
    await updateItem('records', accountKey(ownerEmail), { UpdateExpression: 'REMOVE programCount' });
    await setProgramPlan(programId, account.plan);
  }
  return (await rebuildTokensOf(programId)).tokens;
};

/**
 * Brings back programs that are missing, whole, and the accounts of their owners. A program's own item comes last: with
 * it the program is complete and is left alone from then on, so a restore may be repeated after it was interrupted.
 * @param only the id of a program; all of the source if absent
 */
export const restorePrograms = async (source: Source, only: string | undefined, now: Date): Promise<Restored> => {
  const write = itemWriter(now);
  const { programItems, accounts } = await readOwners(source, only);
  const { missing, leftAlone } = await divide(programItems.keys());
  const restored: Restored = { programs: 0, accounts: 0, items: 0, leftAlone, conflicts: [], tokens: 0, jobs: 0 };
  const put = async (item: Item): Promise<Written> => {
    const written = await write(item);
    if (written === 'written') restored.items += 1;
    if (written === 'conflict' && restored.conflicts.length < maxConflicts)
      restored.conflicts.push(`${item.pk?.S} ${item.sk?.S}`);
    return written;
  };
  const missingItems = [...programItems].flatMap(([id, item]) => (missing.has(id) ? [item] : []));
  const owners = new Set(missingItems.map(({ ownerEmail }) => `ACCOUNT#${ownerEmail?.S}`));
  const wanted = [...accounts].filter(([pk]) => only === undefined || owners.has(pk));
  await forEachConcurrent(wanted, maxConcurrency, async ([, account]) => {
    if ((await put(account)) === 'written') restored.accounts += 1;
  });

  const jobs: ReturnType<typeof jobsFor> = [];
  await inChunks(source.items(), async (item) => {
    const { programId, partition } = subjectOf(item);
    const isExpired = item.ttl !== undefined && Number(item.ttl.N) * 1000 < now.getTime();
    if (programId === undefined || !missing.has(programId) || partition === 'PROGRAM' || isExpired) return;
    await put(item);
    jobs.push(...jobsFor(item, now));
  });
  restored.jobs = await startJobs(jobs);
  await forEachConcurrent(missingItems, maxConcurrency, async (item) => {
    await put(item);
    restored.programs += 1;
    const tokens = await reconnect(subjectOf(item).programId ?? '', item.ownerEmail?.S ?? '');
    restored.tokens += tokens;
  });
  return restored;
};
