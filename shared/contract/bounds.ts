/**
 * How much one account or one program may have, so that nobody is served at another's expense. Each bound is enforced
 * where the thing is made, under concurrent requests too, with a 4xx that names the bound.
 */
export const bounds = {
  /** Programs of an account on the BUSINESS plan, and on the FREE plan. */
  programsOfBusinessAccount: 20,
  programsOfFreeAccount: 1,
  /** API keys of a program; the connector token is not one of them. */
  keysOfProgram: 50,
  /** Keys of a program, the connector token included, that may each use their whole rate limit; more share as much. */
  keysWithWholeRateLimit: 3,
  /** Webhook endpoints of a program, and beside them the subscriptions of automation platforms. */
  endpointsOfProgram: 50,
  subscriptionsOfProgram: 100,
  /** Coupons of a program whose automatic rule is enabled: each makes a code for every new affiliate. */
  automaticCouponsOfProgram: 20,
  /** Forms that an account may send a minute; a deployment may set another number. */
  formsPerMinute: 60,
  /** Sessions of an account that ended by signing out and are remembered one by one; one more ends them all. */
  endedSessionsOfAccount: 50,
  /** Sign-ins that one browser may have under way; another one forgets the oldest. */
  signInsOfBrowser: 20,
} as const;

export type BoundName = keyof typeof bounds;
