import { allProgramsEntry } from '../../contract/needs.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { logError } from '../../platform/logs/log.ts';
import type { ScheduledRun } from '../../platform/queue/scheduled-worker.ts';
import { queryItems, scanItems, updateItem } from '../../platform/table/items.ts';
import { indexAttribute } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';

const { index, shared: key } = allProgramsEntry;
const attribute = indexAttribute(index);
const programsOfPage = 100;
const maxConcurrency = 10;
const workMilliseconds = 15_000;

const programKey = (id: string) => ({ pk: partition(id, 'PROGRAM'), sk: id });

export const pageOfPrograms = async (
  after: string | undefined,
  limit = programsOfPage,
): Promise<{ ids: string[]; next: string | undefined }> => {
  const { items, lastKey } = await queryItems('records', {
    IndexName: index,
    KeyConditionExpression: '#all = :all',
    ExpressionAttributeNames: { '#all': attribute },
    ExpressionAttributeValues: { ':all': key },
    Limit: limit,
    ...(after !== undefined && { ExclusiveStartKey: { ...programKey(after), [attribute]: key } }),
  });
  const ids = items.map(({ sk }) => String(sk));
  return { ids, next: lastKey && ids.at(-1) };
};

/** `act` must be idempotent, and may find its program deleted. A program that fails gets a message of its own. */
export const forEveryProgram = async (
  { after, programId, leave }: Pick<ScheduledRun, 'after' | 'programId' | 'leave'>,
  act: (programId: string) => Promise<void>,
  { limit = programsOfPage, now = Date.now }: { limit?: number; now?: () => number } = {},
): Promise<void> => {
  if (programId !== undefined) return act(programId);
  const end = now() + workMilliseconds;
  let position = after;
  do {
    const { ids, next } = await pageOfPrograms(position, limit);
    await forEachConcurrent(ids, maxConcurrency, async (id) => {
      try {
        await act(id);
      } catch (error) {
        logError('program left for later', error, { programId: id });
        await leave({ programId: id });
      }
    });
    position = next;
  } while (position !== undefined && now() < end);
  if (position !== undefined) await leave({ after: position });
};

/** Reads the whole table, so that it also finds programs that are not listed. */
async function* allProgramIds(): AsyncGenerator<string> {
  const programs = scanItems('records', {
    FilterExpression: '#kind = :program',
    ExpressionAttributeNames: { '#kind': 'kind' },
    ExpressionAttributeValues: { ':program': 'PROGRAM' },
  });
  for await (const { id } of programs) yield String(id);
}

/** What `build` counts in each program, added up; `none` is what it counts without programs. */
export const inAllPrograms = async <Counts extends Record<keyof Counts, number>>(
  none: Counts,
  build: (programId: string) => Promise<Counts>,
): Promise<Counts> => {
  const all = { ...none };
  for await (const programId of allProgramIds()) {
    const built = await build(programId);
    for (const name of Object.keys(all) as (keyof Counts)[])
      all[name] = (all[name] + built[name]) as Counts[keyof Counts];
  }
  return all;
};

export const listProgram = async (programId: string): Promise<boolean> => {
  const { isWritten } = await updateItem('records', programKey(programId), {
    UpdateExpression: 'SET #all = :all',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#all': attribute },
    ExpressionAttributeValues: { ':all': key },
  });
  return isWritten;
};

export const listAllPrograms = async (): Promise<{ listed: number }> => {
  let listed = 0;
  const missing = scanItems('records', {
    FilterExpression: '#kind = :program AND attribute_not_exists(#all)',
    ExpressionAttributeNames: { '#kind': 'kind', '#all': attribute },
    ExpressionAttributeValues: { ':program': 'PROGRAM' },
    ConsistentRead: true,
  });
  for await (const { sk } of missing) if (await listProgram(String(sk))) listed += 1;
  return { listed };
};
