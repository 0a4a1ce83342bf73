import { createHash } from 'node:crypto';
import * as z from 'zod';

/** What authentication must know, on one item of the traffic table, found by the SHA-256 of the token. */
export const AccessToken = z.object({
  programId: z.string(),
  keyId: z.string(),
  /** The connector token is what an authorization code can be. */
  kind: z.enum(['API', 'CONNECTOR']).default('API'),
  plan: z.enum(['FREE', 'BUSINESS']),
  programDeleted: z.boolean(),
  currency: z.string(),
  commissionRate: z.number(),
});
export type AccessToken = z.infer<typeof AccessToken>;

/** The table is searched by this: the token itself is not in it. Decisions, section 5. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The item that a token is authenticated by. */
export const tokenKey = (tokenHash: string) => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

/** The counters of a token that does not exist, so that wrong keys are limited too. */
export const unknownTokenKey = (tokenHash: string) => ({ pk: `UNKNOWN#${tokenHash}`, sk: 'UNKNOWN' });
