import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { accountKey, getAccount } from '../../../shared/domain/programs/accounts.ts';
import { listProgram } from '../../../shared/domain/programs/all-programs.ts';
import { forgetLostHandle } from '../../../shared/domain/programs/handles.ts';
import { rebuildTokensOf } from '../../../shared/domain/programs/rebuild-tokens.ts';
import { programs, setProgramPlan } from '../../../shared/domain/programs/repository.ts';
import { forEachConcurrent } from '../../../shared/platform/concurrency/for-each-concurrent.ts';
import { restoredAttribute } from '../../../shared/platform/table/change.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { forgetRoom } from '../../../shared/platform/table/record-bound.ts';
import { chunksOf, type Item, kindOf, patientClient, subjectOf } from '../items.ts';
import { type AccessLists, decideAccess } from './access.ts';
import { type LeftOut, RestoreCheck } from './check.ts';
import { jobsFor, startJobs } from './jobs.ts';
import type { Source } from './source.ts';

export interface Restored {
  programs: number;
  /** Accounts that were missing, or that got their plan back. */
  accounts: number;
  items: number;
  /** What the backup has of the programs and accounts, and what of it the table has now, both read and counted. */
  kinds: ReturnType<RestoreCheck['result']>;
  /** Ids of existing programs, which are not changed. */
  leftAlone: string[];
  /** Keys of items that were written since the loss and are not changed; the first 100. */
  conflicts: string[];
  tokens: number;
  /** Messages that start background work again. */
  jobs: number;
  comesBack: AccessLists;
  keptRevoked: AccessLists;
}

export interface Extent {
  /** The id of a program; all of the backup if absent. */
  only?: string | undefined;
  /** Whether no key of the backup works again. */
  revokeKeys?: boolean | undefined;
}

const maxConcurrency = 25;
const itemsInChunk = 500;
const maxConflicts = 100;

/** The programs, accounts and what gives access, in memory: at most some 250 small items of a program. */
const readOwners = async (source: Source, only: string | undefined) => {
  const programItems = new Map<string, Item>();
  const accounts = new Map<string, Item>();
  const access: Item[] = [];
  for await (const item of source.owners()) {
    const { pk, programId } = subjectOf(item);
    if (programId === undefined) accounts.set(pk, item);
    else if (only !== undefined && programId !== only) continue;
    else if (kindOf(item) === 'PROGRAM') programItems.set(programId, item);
    else access.push(item);
  }
  if (only !== undefined && programItems.size === 0) throw new Error(`There is no program ${only} to restore from`);
  return { programItems, accounts, access };
};

type Written = 'written' | 'exists' | 'conflict';

/** Writes items. The workers of the stream skip them, so that they make no events and are not counted again. */
const itemWriter = (now: Date) => {
  const client = patientClient();
  const TableName = deployedName('records');
  /** Puts an item unless its key exists. */
  const put = async (item: Item): Promise<Written> => {
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
      const { [restoredAttribute]: restoredAt, ...existing } = error.Item ?? {};
      return restoredAt || isDeepStrictEqual(existing, item) ? 'exists' : 'conflict';
    }
  };
  /** Takes away what an interrupted restore has put. */
  const takeAway = async ({ pk = { S: '' }, sk = { S: '' } }: Item): Promise<void> => {
    const ConditionExpression = `attribute_exists(${restoredAttribute})`;
    try {
      await client.send(new DeleteItemCommand({ TableName, Key: { pk, sk }, ConditionExpression }));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };
  return { put, takeAway };
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
  const restored = await programs.get(programId, programId);
  if (restored) await forgetLostHandle(restored);
  await forgetRoom(programId, new Date());
  // A backup of an earlier version has no entry in the list of all programs.
  await listProgram(programId);
  return (await rebuildTokensOf(programId)).tokens;
};

/** The next restore leaves the program alone. */
const markFinished = async (programId: string): Promise<void> => {
  await updateItem('records', programKey(programId), {
    UpdateExpression: `REMOVE ${restoredAttribute}`,
    ConditionExpression: 'attribute_exists(pk)',
  });
};

/** An account as it is restored: sessions that have ended since the backup do not come back. */
const withoutSessions = ({ endedSessions: _, ...account }: Item, now: Date): Item => ({
  ...account,
  sessionsValidAfter: { N: String(now.getTime()) },
});

/** What one run restores, and how. */
interface Run {
  source: Source;
  now: Date;
  programItems: ReadonlyMap<string, Item>;
  /** The accounts to restore where they are missing, by their partition. */
  accounts: ReadonlyMap<string, Item>;
  missing: ReadonlySet<string>;
  /** The missing programs, and those that an interrupted restore left unfinished. */
  started: ReadonlySet<string>;
  leftOutOf: (item: Item) => LeftOut;
  put: (item: Item) => Promise<Written>;
  takeAway: (item: Item) => Promise<void>;
}

/** @returns how many were missing, or got their plan back */
const restoreAccounts = async ({ accounts, missing, programItems, put, now }: Run): Promise<number> => {
  const owners = new Set([...missing].map((id) => `ACCOUNT#${programItems.get(id)?.ownerEmail?.S}`));
  let restored = 0;
  await forEachConcurrent([...accounts], maxConcurrency, async ([pk, account]) => {
    const isPut = (await put(withoutSessions(account, now))) === 'written';
    if (isPut || (owners.has(pk) && (await restorePlan(account)))) restored += 1;
  });
  return restored;
};

const isOfStarted = ({ started }: Run, item: Item): boolean => started.has(subjectOf(item).programId ?? '');

/** Restores all items but those of the programs themselves. @returns the background work that may be unfinished */
const restoreItems = async (run: Run): Promise<ReturnType<typeof jobsFor>> => {
  const jobs: ReturnType<typeof jobsFor> = [];
  for await (const chunk of chunksOf(run.source.items(), itemsInChunk))
    await forEachConcurrent(chunk, maxConcurrency, async (item) => {
      if (!isOfStarted(run, item) || kindOf(item) === 'PROGRAM') return;
      const leftOut = run.leftOutOf(item);
      if (leftOut === 'revoked') await run.takeAway(item);
      if (leftOut) return;
      await run.put(item);
      jobs.push(...jobsFor(item, run.now));
    });
  return jobs;
};

/** Reads the backup again, and counts what the table has of it. Throws if something is missing. */
const countRestored = async (run: Run): Promise<Restored['kinds']> => {
  const check = new RestoreCheck('records');
  const isExpected = (item: Item): boolean =>
    isOfStarted(run, item)
      ? kindOf(item) !== 'PROGRAM'
      : run.accounts.has(item.pk?.S ?? '') && kindOf(item) === 'ACCOUNT';
  for await (const chunk of chunksOf(run.source.items(), itemsInChunk))
    await check.add(chunk.filter(isExpected).map((item) => ({ item, leftOut: run.leftOutOf(item) })));
  return check.result();
};

/** @returns how many tokens there are */
const restorePrograms = async ({ started, missing, programItems, put }: Run): Promise<number> => {
  let tokens = 0;
  await forEachConcurrent([...started], maxConcurrency, async (id) => {
    const item = programItems.get(id) ?? {};
    if (missing.has(id)) await put(item);
    const ofProgram = await reconnect(id, item.ownerEmail?.S ?? '');
    tokens += ofProgram;
  });
  return tokens;
};

/**
 * Restores missing programs with all their items, and missing accounts. May be repeated after it was interrupted: a
 * program's own item is put last, once all others were counted in the table, and it has `restoredAt` until keys work and
 * background work is started. docs/operations.md#restore
 */
export const restore = async (source: Source, { only, revokeKeys = false }: Extent, now: Date): Promise<Restored> => {
  await source.check();
  const { programItems, accounts: allAccounts, access } = await readOwners(source, only);
  const { missing, unfinished, leftAlone } = await divide(programItems.keys());
  const started = new Set([...missing, ...unfinished]);
  const { isRevoked, comesBack, keptRevoked } = await decideAccess(access, started, revokeKeys, now);
  const owners = new Set([...started].map((id) => `ACCOUNT#${programItems.get(id)?.ownerEmail?.S}`));
  const accounts = new Map([...allAccounts].filter(([pk]) => only === undefined || owners.has(pk)));
  const writer = itemWriter(now);
  const conflicts: string[] = [];
  let items = 0;
  const put = async (item: Item): Promise<Written> => {
    const written = await writer.put(item);
    if (written === 'written') items += 1;
    if (written === 'conflict' && kindOf(item) !== 'ACCOUNT' && conflicts.length < maxConflicts)
      conflicts.push(`${item.pk?.S} ${item.sk?.S}`);
    return written;
  };
  const leftOutOf = (item: Item): LeftOut => {
    if (isRevoked(item)) return 'revoked';
    return item.ttl !== undefined && Number(item.ttl.N) * 1000 < now.getTime() ? 'expired' : undefined;
  };
  const run: Run = {
    source,
    now,
    programItems,
    accounts,
    missing,
    started,
    leftOutOf,
    put,
    takeAway: writer.takeAway,
  };

  const restoredAccounts = await restoreAccounts(run);
  const jobs = await restoreItems(run);
  const kinds = await countRestored(run);
  const tokens = await restorePrograms(run);
  // Not before the programs exist: their changes would make no events.
  await startJobs(jobs);
  await forEachConcurrent([...started], maxConcurrency, markFinished);
  return {
    programs: started.size,
    accounts: restoredAccounts,
    items,
    kinds,
    leftAlone,
    conflicts,
    tokens,
    jobs: jobs.length,
    comesBack,
    keptRevoked,
  };
};
