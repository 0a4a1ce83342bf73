import * as z from 'zod';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { getItem, queryAllItems, queryItems, updateItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** Found by its verified email. docs/behavior.md#accounts-and-programs */
export const Account = z.object({
  email: z.string(),
  plan: z.enum(['FREE', 'BUSINESS']),
  /** Absent on accounts that have not created a program since this is counted. */
  programCount: z.number().optional(),
  /** Sessions that began until then have ended, in milliseconds since the epoch. */
  sessionsValidAfter: z.number().optional(),
  endedSessions: z.array(z.object({ id: z.string(), endsAt: z.number() })).optional(),
});
export type Account = z.infer<typeof Account>;
export type Plan = Account['plan'];

/** Whether the programs of an account on this plan send webhooks. */
export const includesWebhooks = (plan: Plan): boolean => plan === 'BUSINESS';

const partitionOf = (email: string): string => `ACCOUNT#${email}`;

export const accountKey = (email: string) => ({ pk: partitionOf(email), sk: 'ACCOUNT' });

export const getAccount = async (email: string): Promise<Account | undefined> => {
  const item = await getItem('records', accountKey(email));
  return item && Account.parse(item);
};

/** Creates the account or overwrites its plan. `setPlan` updates the tokens. */
export const putAccount = async (account: Account): Promise<void> => {
  await updateItem('records', accountKey(account.email), {
    UpdateExpression: 'SET email = :email, #plan = :plan',
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':email': account.email, ':plan': account.plan },
  });
};

export const createAccountWrite = (account: Account): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { ...accountKey(account.email), ...account },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError(`The account of ${account.email} was made in between`),
});

/** The account still has the token's plan, so that `setPlan` finds every token that it must update. */
export const accountPlanCheck = (email: string, account: Account | undefined): Write => ({
  ConditionCheck: {
    TableName: deployedName('records'),
    Key: accountKey(email),
    ...(account
      ? {
          ConditionExpression: '#plan = :plan',
          ExpressionAttributeNames: { '#plan': 'plan' },
          ExpressionAttributeValues: { ':plan': account.plan },
        }
      : { ConditionExpression: 'attribute_not_exists(pk)' }),
  },
  refusal: () => new ConcurrentModificationError(`The plan of ${email} changed`),
});

/** Fails if the number or the plan changed since it was read. */
export const updateProgramCountWrite = ({ email, plan, programCount }: Account, count: number): Write => ({
  Update: {
    TableName: deployedName('records'),
    Key: accountKey(email),
    UpdateExpression: 'SET programCount = :count',
    ConditionExpression: `#plan = :plan AND ${programCount === undefined ? 'attribute_not_exists(programCount)' : 'programCount = :before'}`,
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: {
      ':count': count,
      ':plan': plan,
      ...(programCount !== undefined && { ':before': programCount }),
    },
  },
  refusal: () => new ConcurrentModificationError(`The account of ${email} changed`),
});

/** Created on the FREE plan at the first sign-in; the operator sets another plan. */
export const findOrMakeAccount = async (email: string): Promise<Account> => {
  const made = await updateItem('records', accountKey(email), {
    UpdateExpression: 'SET email = :email, #plan = if_not_exists(#plan, :free)',
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':email': email, ':free': 'FREE' satisfies Plan },
    ReturnValues: 'ALL_NEW',
  });
  return Account.parse(made.isWritten ? made.value : undefined);
};

/** All of them, because each has keys whose plan must be set. */
export const programIdsOf = async (email: string): Promise<string[]> => {
  const ids: string[] = [];
  const owned = queryAllItems('records', {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :programs)',
    ExpressionAttributeValues: { ':pk': partitionOf(email), ':programs': 'PROGRAM#' },
    ConsistentRead: true,
  });
  for await (const { sk } of owned) ids.push(String(sk).slice('PROGRAM#'.length));
  return ids;
};

export const createOwnershipWrite = (email: string, programId: string): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { pk: partitionOf(email), sk: `PROGRAM#${programId}` },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new Error(`${email} owns ${programId} already`),
});

interface Membership {
  programId: string;
  isAccepted: boolean;
}

const membershipKey = (email: string, programId: string) => ({ pk: partitionOf(email), sk: `MEMBER_OF#${programId}` });

/** Beside the member's record in one transaction, which has the condition. */
export const membershipWrite = (
  email: string,
  programId: string,
  { isAccepted }: Pick<Membership, 'isAccepted'>,
): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { ...membershipKey(email, programId), isAccepted },
  },
  refusal: () => new Error('unconditional'),
});

export const deleteMembershipWrite = (email: string, programId: string): Write => ({
  Delete: { TableName: deployedName('records'), Key: membershipKey(email, programId) },
  refusal: () => new Error('unconditional'),
});

/** The programs that somebody was invited to, newest program first. */
export const membershipsOf = async (
  email: string,
  { limit, after }: Pick<PageRequest, 'limit' | 'after'>,
): Promise<Page<Membership>> => {
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :memberships)',
    ExpressionAttributeValues: { ':pk': partitionOf(email), ':memberships': 'MEMBER_OF#' },
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: limit + 1,
    ...(after && { ExclusiveStartKey: membershipKey(email, after) }),
  });
  const found = items.slice(0, limit).map(({ sk, isAccepted }) => {
    const programId = String(sk).slice('MEMBER_OF#'.length);
    return { item: { programId, isAccepted: isAccepted === true }, position: programId };
  });
  return new Page(found, items.length > limit ? found.at(-1)?.position : undefined);
};

export const deleteOwnershipWrite = (email: string, programId: string): Write => ({
  Delete: { TableName: deployedName('records'), Key: { pk: partitionOf(email), sk: `PROGRAM#${programId}` } },
  refusal: () => new Error('unconditional'),
});
