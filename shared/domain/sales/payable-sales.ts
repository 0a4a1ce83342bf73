import { maxHoldDays } from '../../contract/group-rules.ts';
import { joinPages, type Page, type PageRequest } from '../../platform/table/page.ts';
import { payableSales, sales } from './repository.ts';
import { isPayable, payableAtOf, type StoredSale, weekMilliseconds } from './rules.ts';

/** Sales wait in one index entry for each number of begun weeks of hold, and do not move when their hold ends. */
const weeksOfHolds = Array.from({ length: Math.ceil(maxHoldDays / 7) + 1 }, (_, weeks) => weeks);

const weeksBefore = (moment: string, weeks: number): string =>
  new Date(Date.parse(moment) - weeks * weekMilliseconds).toISOString();

export interface PayablePeriod {
  periodStart: string | null;
  periodEnd: string;
}

/** Whether the commission became payable within a period. docs/behavior.md#payout-batches */
export const isDue = (sale: StoredSale, { periodStart, periodEnd }: PayablePeriod): boolean => {
  const at = payableAtOf(sale);
  return (periodStart === null || at >= periodStart) && at <= periodEnd;
};

/** When sales with that hold were made that became payable in the period, to within a week. */
const rangeOf = ({ periodStart, periodEnd }: PayablePeriod, weeks: number) => ({
  createdAfter: periodStart === null ? undefined : weeksBefore(periodStart, weeks),
  createdBefore: weeksBefore(periodEnd, Math.max(0, weeks - 1)),
});

interface Position {
  weeks: number;
  after: string | undefined;
}

/** Without a hold it is the id alone, as in messages of earlier versions. */
const parsePosition = (position: string | undefined): Position => {
  const [first = '', id] = position?.split(':') ?? [];
  return id === undefined ? { weeks: 0, after: position } : { weeks: Number(first), after: id || undefined };
};
const formatPosition = ({ weeks, after = '' }: Position): string => (weeks === 0 ? after : `${weeks}:${after}`);

const nextPosition = ({ weeks, after }: Position): Position | undefined => {
  if (after !== undefined) return { weeks, after };
  return weeks < weeksOfHolds.length - 1 ? { weeks: weeks + 1, after } : undefined;
};

/** Unpaid sales that became payable in a period: those without a hold first, newest first. Of what is on hold, at most a week is read. */
export const pageOfDueSales = async (
  programId: string,
  period: PayablePeriod,
  { limit, after }: Pick<PageRequest, 'limit' | 'after'>,
): Promise<{ items: readonly StoredSale[]; next: string | undefined }> => {
  const items: StoredSale[] = [];
  for (let position: Position | undefined = parsePosition(after); position; ) {
    const { weeks }: Position = position;
    const request = { limit: limit - items.length, after: position.after, ...rangeOf(period, weeks) };
    const page: Page<StoredSale> = await sales.page(programId, request, payableSales(weeks));
    items.push(...page.items.filter((sale) => isPayable(sale) && isDue(sale, period)));
    position = nextPosition({ weeks, after: page.next });
    const isEnough = page.next !== undefined || items.length === limit;
    if (position && isEnough) return { items, next: formatPosition(position) };
  }
  return { items, next: undefined };
};

/** Unpaid sales that become payable after `moment`: the newest `limit` of each week of hold. */
export const salesOnHold = async (
  programId: string,
  moment: string,
  limit: number,
): Promise<{ sales: readonly StoredSale[]; isComplete: boolean }> => {
  const isOnHold = (sale: StoredSale) => isPayable(sale) && payableAtOf(sale) > moment;
  const pages = await Promise.all(
    weeksOfHolds.slice(1).map((weeks) => {
      const request = { limit, createdAfter: weeksBefore(moment, weeks), isOneRead: true };
      return sales.page(programId, request, payableSales(weeks), isOnHold);
    }),
  );
  return { sales: pages.flatMap(({ items }) => items), isComplete: pages.every(({ next }) => next === undefined) };
};

export const pageOfUnpaidSales = async (
  programId: string,
  request: PageRequest,
  keep: (sale: StoredSale) => boolean,
): Promise<Page<StoredSale>> =>
  joinPages(
    await Promise.all(weeksOfHolds.map((weeks) => sales.page(programId, request, payableSales(weeks), keep))),
    request,
  );
