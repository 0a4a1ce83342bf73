import { GetCommand, QueryCommand, type QueryCommandOutput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { deployedName, documents } from '../../platform/table/client.ts';
import { RecordChanged } from '../../platform/table/record-store.ts';
import { retryTransient } from '../../platform/table/retry-transient.ts';
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
  const answer = await documents.send(
    new GetCommand({ TableName: deployedName('records'), Key: accountKey(email), ConsistentRead: true }),
  );
  return answer.Item && Account.parse(answer.Item);
};

/** Creates the account or overwrites its plan. `setPlan` updates the tokens. */
export const putAccount = async (account: Account): Promise<void> => {
  const putting = new UpdateCommand({
    TableName: deployedName('records'),
    Key: accountKey(account.email),
    UpdateExpression: 'SET email = :email, #plan = :plan',
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':email': account.email, ':plan': account.plan },
  });
  // Conflicts with a key that is being created, which checks the account.
  await retryTransient(() => documents.send(putting));
};

export const accountCreation = (account: Account): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { ...accountKey(account.email), ...account },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new RecordChanged(`The account of ${account.email} was made in between`),
});

/** The account still has the token's plan, so that `setPlan` finds every token that it must update. */
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

/** Fails if the number or the plan changed since it was read. */
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

/** Created on the FREE plan at the first sign-in; the operator sets another plan. */
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

/** All of them, because each has keys whose plan must be set. */
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

export const ownership = (email: string, programId: string): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: { pk: partitionOf(email), sk: `PROGRAM#${programId}` },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new Error(`${email} owns ${programId} already`),
});

export const ownershipEnd = (email: string, programId: string): Write => ({
  Delete: { TableName: deployedName('records'), Key: { pk: partitionOf(email), sk: `PROGRAM#${programId}` } },
  refusal: () => new Error('unconditional'),
});
