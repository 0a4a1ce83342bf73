import * as z from 'zod';
import { rowOutcomes } from '../../contract/imports.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { queryAllItems } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';
import type { Write } from '../../platform/table/transaction.ts';
import type { RowResult } from './import-row.ts';

/** What became of the rows of a window, an item each. docs/data-model.md#the-table-records */

export type Phase = 'PLAN' | 'RUN';

const keptSeconds = 90 * 24 * 60 * 60;

const letters = { created: 'c', updated: 'u', unchanged: 'n', refused: 'r' } as const;

export const StoredRowResults = z.object({
  sk: z.string(),
  rows: z.array(z.number()),
  outcomes: z.string(),
  problems: z.array(z.object({ row: z.number(), column: z.string(), message: z.string() })),
});

const keyOf = (programId: string, importId: string, phase: Phase, from: number) => ({
  pk: partition(programId, 'IMPORT', 'ROWS'),
  sk: `${importId}#${phase}#${String(from).padStart(6, '0')}`,
});

/** Overwrites: beside the progress of the import, which has the condition. */
export const rowResultsWrite = (
  programId: string,
  { importId, phase, now }: { importId: string; phase: Phase; now: Date },
  results: readonly RowResult[],
): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: {
      ...keyOf(programId, importId, phase, results[0]?.row ?? 0),
      rows: results.map(({ row }) => row),
      outcomes: results.map(({ outcome }) => letters[outcome]).join(''),
      problems: results.flatMap(({ problems }) => problems),
      ttl: Math.ceil(now.getTime() / 1000) + keptSeconds,
    },
  },
  refusal: () => new Error('unconditional'),
});

/** All rows of a dry run or a run, in the order of the file. One window is in memory at a time. */
export async function* readRowResults(programId: string, importId: string, phase: Phase): AsyncGenerator<RowResult> {
  const { pk, sk } = keyOf(programId, importId, phase, 0);
  const query = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': sk.slice(0, -6) },
  };
  for await (const item of queryAllItems('records', query)) {
    const { rows, outcomes, problems } = StoredRowResults.parse(item);
    const problemsOf = Map.groupBy(problems, ({ row }) => row);
    for (const [at, row] of rows.entries()) {
      const outcome = rowOutcomes.find((one) => letters[one] === outcomes[at]) ?? 'refused';
      yield { row, outcome, problems: problemsOf.get(row) ?? [] };
    }
  }
}
