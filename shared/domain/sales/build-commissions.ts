import { forEachAsRead } from '../../platform/concurrency/for-each-concurrent.ts';
import { queryAllItems, updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import { customerOf, setFirstSale } from '../attribution/customers.ts';
import { inAllPrograms } from '../programs/all-programs.ts';
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
  const unmarked = queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: 'attribute_not_exists(payableAt)',
    ExpressionAttributeValues: { ':pk': partition(programId, 'SALE') },
  });
  await forEachAsRead(unmarked, atATime, async (item) => {
    const sale = sales.schema.parse(item);
    const customer = customerOf(sale);
    if (customer !== undefined) await setFirstSale(programId, customer, sale.createdAt);
    if (await markCounted(programId, sale)) marked += 1;
  });
  return { programs: 1, sales: marked };
};

export const buildAllCommissions = (): Promise<BuiltCommissions> =>
  inAllPrograms({ programs: 0, sales: 0 }, buildCommissionsOf);
