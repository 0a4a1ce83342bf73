import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import type { MailBudget } from '../../contract/mails.ts';
import { deployedName } from '../table/deployed-name.ts';
import { getItem, type ItemKey, updateItem } from '../table/items.ts';
import { partition } from '../table/partition.ts';
import { type Write, writeTogether } from '../table/transaction.ts';
import { foldedEmail } from '../text/folded-email.ts';
import { addressHash } from './addresses.ts';

// Two workers may have a message at once: only who holds the claim of a mail sends it.

/** Longer than a message lives in its queue and then among dead letters. */
const keptSeconds = 30 * 24 * 60 * 60;
/** Longer than a function runs, and shorter than its messages stay invisible. */
const leaseMilliseconds = 90_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;

export const StoredMail = z.object({ state: z.enum(['SENDING', 'SENT']), until: z.string() });

interface ClaimedMail {
  readonly id: string;
  readonly programId: string;
  readonly plan: 'FREE' | 'BUSINESS';
  readonly to: string;
  readonly countsForAddress: boolean;
  readonly budget: MailBudget;
}

export interface Claim {
  readonly key: ItemKey;
  readonly until: string;
}

class ClaimExists extends Error {}
class OverLimit extends Error {}

const counterWrite = (key: ItemKey, most: number, expiresAt: number): Write => ({
  Update: {
    TableName: deployedName('traffic'),
    Key: key,
    UpdateExpression: 'SET #ttl = :ttl ADD #count :one',
    ConditionExpression: 'attribute_not_exists(#count) OR #count < :most',
    ExpressionAttributeNames: { '#ttl': 'ttl', '#count': 'count' },
    ExpressionAttributeValues: { ':ttl': Math.ceil(expiresAt / 1000), ':one': 1, ':most': most },
  },
  refusal: () => new OverLimit(),
});

const ownMails = { FREE: bounds.mailsOfFreeProgramInDay, BUSINESS: bounds.mailsOfBusinessProgramInDay } as const;
const strangersMails = {
  FREE: bounds.strangersMailsOfFreeProgramInDay,
  BUSINESS: bounds.strangersMailsOfBusinessProgramInDay,
} as const;

const dayLimits = {
  PROGRAM: ownMails,
  SIGN_IN: ownMails,
  APPLICATIONS: strangersMails,
  INVITATIONS: strangersMails,
} as const satisfies Record<MailBudget, object>;

const claimWrites = (mail: ClaimedMail, { key, until }: Claim, now: Date): Write[] => {
  const at = now.toISOString();
  const expiresAt = now.getTime() + 2 * dayMilliseconds;
  const { programId, budget, plan, to } = mail;
  const ofProgram = { pk: partition(programId, 'MAIL', 'DAY'), sk: `${budget}#${at.slice(0, 10)}` };
  // Of a mailbox, which has more addresses than one.
  const ofAddress = { pk: `MAIL_COUNT#${addressHash(foldedEmail(to))}`, sk: `${budget}#${at.slice(0, 13)}` };
  return [
    {
      Put: {
        TableName: deployedName('traffic'),
        Item: { ...key, state: 'SENDING', until, ttl: Math.ceil(now.getTime() / 1000) + keptSeconds },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
      refusal: () => new ClaimExists(),
    },
    counterWrite(ofProgram, dayLimits[budget][plan], expiresAt),
    ...(mail.countsForAddress ? [counterWrite(ofAddress, bounds.mailsOfAddressInHour, expiresAt)] : []),
  ];
};

/** After a claim that ended without a mail: its function was killed, or could not reach SES. */
const takeOver = async ({ key, until }: Claim, now: Date): Promise<boolean> => {
  const { isWritten } = await updateItem('traffic', key, {
    UpdateExpression: 'SET #until = :until',
    ConditionExpression: '#state = :sending AND #until < :now',
    ExpressionAttributeNames: { '#state': 'state', '#until': 'until' },
    ExpressionAttributeValues: { ':until': until, ':sending': 'SENDING', ':now': now.toISOString() },
  });
  return isWritten;
};

/** Throws where another function is sending it. docs/behavior.md#limits-of-mails */
export const claimMail = async (mail: ClaimedMail, now: Date): Promise<Claim | 'SENT' | 'OVER_LIMIT'> => {
  const key = { pk: partition(mail.programId, 'MAIL'), sk: mail.id };
  const claim = { key, until: new Date(now.getTime() + leaseMilliseconds).toISOString() };
  try {
    await writeTogether(claimWrites(mail, claim, now));
    return claim;
  } catch (error) {
    if (error instanceof OverLimit) return 'OVER_LIMIT';
    if (!(error instanceof ClaimExists)) throw error;
  }
  if (await takeOver(claim, now)) return claim;
  const { state } = StoredMail.parse(await getItem('traffic', key));
  if (state === 'SENT') return 'SENT';
  throw new Error('The mail is being sent by another function');
};

const endClaim = async ({ key, until }: Claim, after: z.infer<typeof StoredMail>): Promise<void> => {
  await updateItem('traffic', key, {
    UpdateExpression: 'SET #state = :state, #until = :after',
    ConditionExpression: '#until = :until',
    ExpressionAttributeNames: { '#state': 'state', '#until': 'until' },
    ExpressionAttributeValues: { ':state': after.state, ':after': after.until, ':until': until },
  });
};

export const mailSent = (claim: Claim, now: Date): Promise<void> =>
  endClaim(claim, { state: 'SENT', until: now.toISOString() });

/** It was not sent: the next function may send it at once. */
export const giveBack = (claim: Claim): Promise<void> =>
  endClaim(claim, { state: 'SENDING', until: new Date(0).toISOString() });
