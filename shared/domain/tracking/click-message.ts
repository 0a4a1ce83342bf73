import * as z from 'zod';

/** One click on its way to the worker that counts it. It says nothing of the visitor but a hash. */
export const ClickMessage = z.strictObject({
  programId: z.string(),
  linkId: z.string(),
  affiliateId: z.string(),
  visitor: z.string(),
  at: z.iso.datetime(),
  referrer: z.string().nullable(),
});
export type ClickMessage = z.infer<typeof ClickMessage>;
