import type { DynamoDBStreamHandler } from 'aws-lambda';
import { countableChangesOf, updateTotals } from '../shared/domain/totals/update-totals.ts';

/** All of a batch or none of it is reported: what was counted is not counted again when the batch comes again. */
export const handler: DynamoDBStreamHandler = async ({ Records }) => {
  await updateTotals(await countableChangesOf(Records), new Date());
};
