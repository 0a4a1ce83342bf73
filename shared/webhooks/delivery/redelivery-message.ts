import * as z from 'zod';

/** What the worker of the queue `redeliveries` is told; `step` and `after` by itself, to go on where it was. */
export const RedeliveryMessage = z.strictObject({
  programId: z.string(),
  webhookId: z.string(),
  /** Deliveries and events from this moment on. */
  since: z.string(),
  requestedAt: z.string(),
  /** First what has failed, then what was not even begun while the endpoint was off. */
  step: z.enum(['FAILED', 'MISSED']),
  after: z.string().optional(),
});
export type RedeliveryMessage = z.infer<typeof RedeliveryMessage>;
