import { createHash } from 'node:crypto';
import * as z from 'zod';

export const AccessToken = z.object({
  programId: z.string(),
  keyId: z.string(),
  /** Only the connector token can be an authorization code. */
  kind: z.enum(['API', 'CONNECTOR']).default('API'),
  plan: z.enum(['FREE', 'BUSINESS']),
  programDeleted: z.boolean(),
  currency: z.string(),
  commissionRate: z.number(),
  timeZone: z.string().default('UTC'),
  /** Whether sales ask the program’s rules of review, besides those of self-referral. */
  reviewsSales: z.boolean().default(false),
  /** Whether the program has more keys than whole limits. */
  sharesLimit: z.boolean().default(false),
  /** When it no longer does, in milliseconds since the epoch; never if absent. */
  sharesUntil: z.number().optional(),
});
export type AccessToken = z.infer<typeof AccessToken>;

export const isSharing = ({ sharesLimit, sharesUntil }: AccessToken, now: Date): boolean =>
  sharesLimit && (sharesUntil === undefined || sharesUntil > now.getTime());

/** The table is searched by this hash; the token is not in it. docs/behavior.md#keys */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

const tokenShape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A UUID as `randomUUID` writes it. */
export const isTokenShaped = (token: string): boolean => tokenShape.test(token);

/** `counts` is the only attribute that an authenticating function may change. */
export const tokenKey = (tokenHash: string) => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

export const unknownTokensKey = (block: string) => ({ pk: `UNKNOWN#${block}`, sk: 'UNKNOWN' });

export const sharedLimitKey = (programId: string) => ({ pk: `SHARED_LIMIT#${programId}`, sk: 'SHARED_LIMIT' });
