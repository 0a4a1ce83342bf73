import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sales, salesWithStatus } from '../../shared/sales/repository.ts';
import { documents } from '../../shared/table/client.ts';
import type { IndexEntry } from '../../shared/table/record-store.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';
import { makeStoredSale, storeQuietSales } from '../support/sales.ts';

const saleCount = 10_000;
const pageSize = 100;

let api: Api;
let newestFirst: string[];

beforeAll(async () => {
  api = await makeProgram();
  // Nobody's: in as few indexes as a sale can be.
  const made = Array.from({ length: saleCount }, () => makeStoredSale('', { affiliateId: null }));
  newestFirst = made.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1));
  await storeQuietSales(api.programId, made);
});

const Capacity = z.object({ CapacityUnits: z.number() });
/** One sum for a query, and one for each table of a batch. */
const Consumed = z.object({ ConsumedCapacity: z.union([z.array(Capacity), Capacity.transform((one) => [one])]) });

describe('the hundredth page costs as many read units as the first', () => {
  let readUnits = 0;

  beforeAll(() => {
    documents.middlewareStack.add(
      (next) => async (command) => {
        Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next(command);
        for (const { CapacityUnits } of Consumed.parse(answer.output).ConsumedCapacity) readUnits += CapacityUnits;
        return answer;
      },
      { name: 'countsReadUnits' },
    );
  });
  afterAll(() => {
    documents.middlewareStack.remove('countsReadUnits');
  });

  const costOf = async (after: string | undefined, expected: readonly string[], index?: IndexEntry) => {
    readUnits = 0;
    const { items } = await sales.page(api.programId, { limit: pageSize, after }, index);
    expect(items.map(({ id }) => id)).toEqual(expected);
    return readUnits;
  };

  it.each([
    { list: 'all records', index: undefined },
    { list: 'an index', index: salesWithStatus('ACTIVE') },
  ])('of $list', async ({ index }) => {
    const first = await costOf(undefined, newestFirst.slice(0, pageSize), index);
    expect(first).toBeGreaterThan(pageSize / 10);
    expect(await costOf(newestFirst[99 * pageSize - 2], newestFirst.slice(99 * pageSize - 1, -1), index)).toBe(first);
  });
});

const nextOf = (headers: Headers): string | undefined => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

it('a walk misses and repeats none of 10,000 records that are there throughout while others come and go', async () => {
  const { id: referralId } = await makeAffiliate(api);
  // Deleted from both ends: some before the walk comes to them, and some after.
  const doomed = newestFirst.filter((_, at) => at % 97 === 0).flatMap((id, at, all) => [id, all.at(-1 - at) ?? id]);
  const deleted = new Set<number>();
  let isOver = false;
  const change = async () => {
    for (const saleId of new Set(doomed.map(Number))) {
      if (isOver) break;
      deleted.add(saleId);
      const answers = await Promise.all([
        api.post('/sales', { totalEarned: 1, referralId }),
        api.delete('/sales', { saleId }),
      ]);
      expect(answers.map(({ status, text }) => (status === 200 ? '' : text))).toEqual(['', '']);
    }
  };
  const changing = change();
  const seen: number[] = [];
  let pages = 0;
  for (let address: string | undefined = `/sales?limit=${pageSize}`; address; pages += 1) {
    const { headers, body } = await api.get(address);
    seen.push(...body.map(({ id }: { id: number }) => id));
    address = nextOf(headers);
  }
  isOver = true;
  await changing;
  expect(pages).toBeGreaterThan(saleCount / pageSize - 3);
  expect(deleted.size).toBeGreaterThan(20);
  const wasSeen = new Set(seen);
  expect(wasSeen.size).toBe(seen.length);
  const missed = newestFirst.map(Number).filter((id) => !deleted.has(id) && !wasSeen.has(id));
  expect(missed).toEqual([]);
});
