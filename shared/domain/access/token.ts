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
  /** Whether the program has more keys than may each use their whole limit. */
  sharesLimit: z.boolean().default(false),
});
export type AccessToken = z.infer<typeof AccessToken>;

/** The table is searched by this: the token itself is not in it. Decisions, section 5. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

const tokenShape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a text could be a token: a random UUID as `randomUUID` writes it. */
export const isTokenShaped = (token: string): boolean => tokenShape.test(token);

/**
 * The item that a token is authenticated by. Its counters are in `counts`, the one attribute that a function which only
 * authenticates may change.
 */
export const tokenKey = (tokenHash: string) => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

/** The counters of requests with unknown tokens, by the address block that they came from. */
export const unknownTokensKey = (block: string) => ({ pk: `UNKNOWN#${block}`, sk: 'UNKNOWN' });

/** The counters of a program whose keys share its limit. */
export const sharedLimitKey = (programId: string) => ({ pk: `SHARED_LIMIT#${programId}`, sk: 'SHARED_LIMIT' });
