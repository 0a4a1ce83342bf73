import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { queryAllItems, updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { customerOf, setFirstSale } from '../attribution/customers.ts';
import { allProgramIds } from '../programs/all-programs.ts';
import { sales } from './repository.ts';
import type { StoredSale } from './rules.ts';

export interface BuiltCommissions {
  programs: number;
  sales: number;
}

const atATime = 10;

/** The totals worker counts a sale for the tiers of its affiliate when it sees this change of it, exactly once. */
const markCounted = async (programId: string, { id, createdAt }: StoredSale): Promise<boolean> => {
  const { isWritten } = await updateItem('records', sales.keyOf(programId, id), {
    UpdateExpression: 'SET payableAt = :createdAt',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(payableAt)',
    ExpressionAttributeValues: { ':createdAt': createdAt },
  });
  return isWritten;
};

/** For sales from before there were groups; may be repeated. docs/operations.md#build-what-commissions-depend-on */
export const buildCommissionsOf = async (programId: string): Promise<BuiltCommissions> => {
  let marked = 0;
  const build = async (sale: StoredSale): Promise<void> => {
    const customer = customerOf(sale);
    if (customer !== undefined) await setFirstSale(programId, customer, sale.createdAt);
    if (await markCounted(programId, sale)) marked += 1;
  };
  let waiting: StoredSale[] = [];
  const work = async (): Promise<void> => {
    await forEachConcurrent(waiting, atATime, build);
    waiting = [];
  };
  const unmarked = queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: 'attribute_not_exists(payableAt)',
    ExpressionAttributeValues: { ':pk': partition(programId, 'SALE') },
  });
  for await (const item of unmarked) {
    waiting.push(sales.schema.parse(item));
    if (waiting.length === atATime) await work();
  }
  await work();
  return { programs: 1, sales: marked };
};

export const buildAllCommissions = async (): Promise<BuiltCommissions> => {
  const all: BuiltCommissions = { programs: 0, sales: 0 };
  for await (const programId of allProgramIds()) {
    all.programs += 1;
    all.sales += (await buildCommissionsOf(programId)).sales;
  }
  return all;
};
