import { GetCommand, QueryCommand, type QueryCommandOutput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { deployedName, documents } from '../../platform/table/client.ts';
import { RecordChanged } from '../../platform/table/record-store.ts';
import { retryTransient } from '../../platform/table/retry-transient.ts';
import type { Write } from '../../platform/table/transaction.ts';

/** A person or company that owns programs, found by its verified email. Decisions, section 7. */
export const Account = z.object({
  email: z.string(),
  plan: z.enum(['FREE', 'BUSINESS']),
  /** How many programs it owns; absent on an account that has not made one since this is counted. */
  programCount: z.number().optional(),
  /** Sessions that began until then have ended, in milliseconds since the epoch; beside them these have, one by one. */
  sessionsValidAfter: z.number().optional(),
  endedSessions: z.array(z.object({ id: z.string(), endsAt: z.number() })).optional(),
});
export type Account = z.infer<typeof Account>;
export type Plan = Account['plan'];

/** Whether the programs of an account on this plan send webhooks. */
export const includesWebhooks = (plan: Plan): boolean => plan === 'BUSINESS';

const partitionOf = (email: string): string => `ACCOUNT#${email}`;

/** The key of an account's item in the records table. */
export const accountKey = (email: string) => ({ pk: partitionOf(email), sk: 'ACCOUNT' });

/** The account of an email, or undefined. */
export const getAccount = async (email: string): Promise<Account | undefined> => {
  const answer = await documents.send(
    new GetCommand({ TableName: deployedName('records'), Key: accountKey(email), ConsistentRead: true }),
  );
  return answer.Item && Account.parse(answer.Item);
};

/**
 * Makes the account, or sets the plan of the one that is there, whatever it was: the last to set it decides. Tokens are
 * told by `setPlan`.
 */
export const putAccount = async (account: Account): Promise<void> => {
  const putting = new UpdateCommand({
    TableName: deployedName('records'),
    Key: accountKey(account.email),
    UpdateExpression: 'SET email = :email, #plan = :plan',
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':email': account.email, ':plan': account.plan },
  });
  // A key that is being made checks the account, which is in conflict with this for a moment.
  await retryTransient(() => documents.send(putting));
};

/** What makes an account that is not there. */
export const accountCreation = (account: Account): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { ...accountKey(account.email), ...account },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new RecordChanged(`The account of ${account.email} was made in between`),
});

/**
 * The condition, in a transaction that writes a token, that the account still has the plan that the token gets; with no
 * account, that there still is none. Who sets another plan finds every token that was written before, and each later one
 * has the new plan.
 */
export const accountPresence = (email: string, account: Account | undefined): Write => ({
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
  refusal: () => new RecordChanged(`The plan of ${email} changed`),
});

/** Sets the number of an account's programs, if that and the plan still are what was read. */
export const programCountChange = ({ email, plan, programCount }: Account, count: number): Write => ({
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
  refusal: () => new RecordChanged(`The account of ${email} changed`),
});

/** The account of somebody who signs in: made on the free plan the first time. The operator sets another plan. */
export const findOrMakeAccount = async (email: string): Promise<Account> => {
  const making = new UpdateCommand({
    TableName: deployedName('records'),
    Key: accountKey(email),
    UpdateExpression: 'SET email = :email, #plan = if_not_exists(#plan, :free)',
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':email': email, ':free': 'FREE' satisfies Plan },
    ReturnValues: 'ALL_NEW',
  });
  const answer = await retryTransient(() => documents.send(making));
  return Account.parse(answer.Attributes);
};

/** The ids of the programs that an account owns: all of them, for each has keys whose plan must be set. */
export const programIdsOf = async (email: string): Promise<string[]> => {
  const ids: string[] = [];
  let ExclusiveStartKey: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const answer: QueryCommandOutput = await documents.send(
      new QueryCommand({
        TableName: deployedName('records'),
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :programs)',
        ExpressionAttributeValues: { ':pk': partitionOf(email), ':programs': 'PROGRAM#' },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    ids.push(...(answer.Items ?? []).map((item) => String(item.sk).slice('PROGRAM#'.length)));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return ids;
};

/** Records that an account owns a program. */
export const ownership = (email: string, programId: string): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { pk: partitionOf(email), sk: `PROGRAM#${programId}` },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new Error(`${email} owns ${programId} already`),
});

/** The end of an ownership. */
export const ownershipEnd = (email: string, programId: string): Write => ({
  Delete: { TableName: deployedName('records'), Key: { pk: partitionOf(email), sk: `PROGRAM#${programId}` } },
  refusal: () => new Error('unconditional'),
});
