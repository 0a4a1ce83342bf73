/** Limits per account or program, each enforced under concurrent requests with a clear 4xx. docs/behavior.md#bounds */
export const bounds = {
  programsOfBusinessAccount: 20,
  programsOfFreeAccount: 1,
  /** Of the kinds that count, together (shared/contract/needs.ts). A program on the BUSINESS plan has no such bound. */
  recordsOfFreeProgram: 500,
  keysOfProgram: 50,
  /** The default group is one of them. */
  groupsOfProgram: 50,
  /** Keys (connector token included) that each have their own whole rate limit; more keys share this many limits. */
  keysWithWholeRateLimit: 3,
  endpointsOfProgram: 50,
  assetsOfProgram: 100,
  subscriptionsOfProgram: 100,
  /** That affiliates create themselves, of one coupon. */
  codesOfAffiliateOfCoupon: 5,
  /** Links that sign in to the portal, for one address of email. One source may ask for a sixth of the forms of an account. */
  signInLinksPerMinute: 3,
  /** Applications to one program; of one source a sixth of the forms of an account. Beyond them nobody can apply for that minute. */
  applicationsOfProgramPerMinute: 60,
  waitingApplicationsOfBusinessProgram: 200,
  waitingApplicationsOfFreeProgram: 50,
  /** After it was declined, an address may apply again. */
  daysUntilNextApplication: 30,
  /** Each makes a code for every new affiliate. */
  automaticCouponsOfProgram: 20,
  membersOfProgram: 50,
  /** People to whom one key or secret is shown. */
  revealsOfSecret: 100,
  /** Beyond these, mails are not sent. docs/behavior.md#limits-of-mails */
  mailsOfBusinessProgramInDay: 10_000,
  mailsOfFreeProgramInDay: 500,
  /** Confirmations of applications, and invitations: each counted apart. */
  strangersMailsOfBusinessProgramInDay: 500,
  strangersMailsOfFreeProgramInDay: 50,
  /** Of all programs together, so that nobody can flood an address; for each budget of mails (shared/contract/mails.ts). */
  mailsOfAddressInHour: 10,
  formsPerMinute: 60,
  /** For each form of the limit: 300 pages a minute. */
  pagesPerFormOfLimit: 5,
  /** For each form of the limit: forms that write several records write 300 a minute. */
  recordsPerFormOfLimit: 5,
  /** Beyond this, all sessions of the account end. */
  endedSessionsOfAccount: 50,
  /** Beyond this, the oldest is forgotten. */
  signInsOfBrowser: 20,
} as const;

export type BoundName = keyof typeof bounds;
