import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { type Write, writeInTurn, writeTogether } from '../../platform/table/transaction.ts';

/** Of one record: what goes in one transaction with other records, and what follows one by one, the record itself last. */
export interface Deletion {
  id: string;
  together: readonly Write[];
  afterwards: readonly Write[];
}

/** A transaction takes 100 items and 4 MB: 20 codes with two unique values, and tombstones of 100 KB. */
const maxRecords = 20;
const maxWrites = 100;
const maxConcurrency = 5;

const groupsOf = (deletions: readonly Deletion[]): Deletion[][] => {
  const groups: Deletion[][] = [];
  let writes = 0;
  for (const deletion of deletions) {
    const group = groups.at(-1);
    writes += deletion.together.length;
    if (group && group.length < maxRecords && writes <= maxWrites) group.push(deletion);
    else {
      groups.push([deletion]);
      writes = deletion.together.length;
    }
  }
  return groups;
};

/** False if a record changed since it was read. */
const isWritten = async (write: () => Promise<void>): Promise<boolean> => {
  try {
    await write();
    return true;
  } catch (error) {
    if (!(error instanceof ConcurrentModificationError)) throw error;
    return false;
  }
};

/** Returns the ids of what is gone. Of a group with a record that changed, or was worked on before, all are left. */
export const deleteInGroups = async (deletions: readonly Deletion[]): Promise<ReadonlySet<string>> => {
  const gone = new Set<string>();
  await forEachConcurrent(groupsOf(deletions), maxConcurrency, async (group) => {
    const writes = group.flatMap(({ together }) => together);
    if (writes.length > 0 && !(await isWritten(() => writeTogether(writes)))) return;
    await forEachConcurrent(group, maxConcurrency, async ({ id, afterwards }) => {
      if (await isWritten(() => writeInTurn(afterwards))) gone.add(id);
    });
  });
  return gone;
};
