import * as z from 'zod';
import { createAutomaticCodes } from '../shared/domain/promotional-codes/automatic-codes.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';

const Message = z.strictObject({ programId: z.string(), affiliateId: z.string(), after: z.string().optional() });

export const handler = queueWorker('create-automatic-codes', Message, async ({ programId, affiliateId, after }) => {
  // A program with many such coupons is served a page at a time: the rest is another message.
  const next = await createAutomaticCodes(programId, affiliateId, after, new Date());
  if (next) await send('automatic-codes', { programId, affiliateId, after: next }, programId);
});
