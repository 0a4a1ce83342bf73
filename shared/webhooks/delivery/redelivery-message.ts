import * as z from 'zod';

export const RedeliveryMessage = z.strictObject({
  programId: z.string(),
  webhookId: z.string(),
  since: z.string(),
  requestedAt: z.string(),
  /** First failed deliveries, then events missed while the endpoint was off. */
  step: z.enum(['FAILED', 'MISSED']),
  after: z.string().optional(),
});
export type RedeliveryMessage = z.infer<typeof RedeliveryMessage>;

/** Of an endpoint that was deleted: its waiting deliveries are cancelled. */
export const CancellationMessage = z.strictObject({
  programId: z.string(),
  webhookId: z.string(),
  deleted: z.literal(true),
  after: z.string().optional(),
});
export type CancellationMessage = z.infer<typeof CancellationMessage>;
