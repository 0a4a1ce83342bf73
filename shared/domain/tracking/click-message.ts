import * as z from 'zod';

/** One click on its way to the worker that counts it. It says nothing of the visitor but two hashes, which expire with their salt. */
export const ClickMessage = z.strictObject({
  programId: z.string(),
  linkId: z.string(),
  affiliateId: z.string(),
  visitor: z.string(),
  /** Of what one host is given of addresses. Messages of earlier versions have none. */
  source: z.string().optional(),
  at: z.iso.datetime(),
  referrer: z.string().nullable(),
});
export type ClickMessage = z.infer<typeof ClickMessage>;
