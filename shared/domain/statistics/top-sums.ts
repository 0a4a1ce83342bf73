import { queryItems } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Period } from '../../platform/time/days.ts';
import { added, type Sums, sumsIn } from './read-statistics.ts';

export interface TopSums extends Sums {
  readonly id: string;
}

export interface Top {
  readonly sums: readonly TopSums[];
  /** The first day that is in them: later than that of the period where this has too much to read. */
  readonly since: string;
}

const maxRead = 2000;

const compare = (one: TopSums, other: TopSums): number =>
  Number(other.revenueMinor - one.revenueMinor) || other.sales - one.sales || other.clicks - one.clicks;

/** Who brought most revenue in a period, else sales, else clicks. Of a busy period it reads the newest days. */
export const topSums = async (
  programId: string,
  name: 'AFFILIATE' | 'LINK',
  { first, last }: Period,
  count: number,
): Promise<Top> => {
  const { items, lastKey } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': partition(programId, 'STATISTIC', name), ':first': first, ':last': `${last}~` },
    ScanIndexForward: false,
    Limit: maxRead,
  });
  const read = items.map((item) => sumsIn(item, name));
  const oldest = read.at(-1)?.day;
  const whole = lastKey ? read.filter(({ day }) => day !== oldest) : read;
  const byId = Map.groupBy(whole, ({ id }) => id ?? '');
  const sums = [...byId].map(([id, own]) => ({ id, ...added(own) }));
  const since = lastKey ? (whole.at(-1)?.day ?? last) : first;
  return { sums: sums.toSorted(compare).slice(0, count), since };
};
