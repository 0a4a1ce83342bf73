import * as z from 'zod';

/** One click on its way to the worker that counts it. It says nothing of the visitor but two hashes, which expire with their salt. */
export const ClickMessage = z.strictObject({
  programId: z.string(),
  linkId: z.string(),
  affiliateId: z.string(),
  visitor: z.string(),
  /** Hash of the IPv4 address or IPv6 /64. Messages of earlier versions have none. */
  source: z.string().optional(),
  at: z.iso.datetime(),
  referrer: z.string().nullable(),
});
export type ClickMessage = z.infer<typeof ClickMessage>;
