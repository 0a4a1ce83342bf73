import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';

/** Who was shown a key or secret on a page, and when first. docs/behavior.md#members */
export const Reveals = z.array(z.object({ email: z.string(), at: z.string() })).default([]);
export type Reveals = z.output<typeof Reveals>;

/** One write for a person and secret. Not an edit: version and ETag stay. 409 if it is gone, or too many people have seen it. */
export const recordReveal = async (
  kind: 'API_KEY' | 'WEBHOOK',
  programId: string,
  { id, seenBy }: { id: string; seenBy: Reveals },
  email: string,
  now: Date,
): Promise<Reveals> => {
  if (seenBy.some((one) => one.email === email)) return seenBy;
  const reveal = { email, at: now.toISOString() };
  const recorded = await updateItem(
    'records',
    { pk: partition(programId, kind), sk: id },
    {
      UpdateExpression: 'SET seenBy = list_append(if_not_exists(seenBy, :none), :reveal)',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(seenBy) OR size(seenBy) < :max)',
      ExpressionAttributeValues: { ':none': [], ':reveal': [reveal], ':max': bounds.revealsOfSecret },
    },
  );
  if (!recorded.isWritten)
    throw new ApiError(
      'conflict',
      `This secret was deleted, or shown to ${bounds.revealsOfSecret} people. Replace it to see another one.`,
    );
  return [...seenBy, reveal];
};
