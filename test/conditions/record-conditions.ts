import { DynamoDBDocumentClient, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterEach } from 'vitest';
import { cancellationReasonsOf } from '../../shared/platform/table/retry-transient.ts';
import { isAsking } from './asking.ts';
import { type ConditionalWrite, clausesOf, nameOfClause } from './clauses.ts';
import { placeMark } from './mark-conditions.ts';

// A setup file: records which conditions the tests of the domain send, and which of them were refused.

declare module 'vitest' {
  interface TaskMeta {
    /** The clauses of conditions that the database evaluated for this test. */
    evaluated?: string[];
    /** Those that were false while all others of their condition held: without the clause, the write would have been made. */
    refused?: string[];
  }
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A single write looks like one item of a transaction, without the name of its operation. */
const isTransaction = (input: object): input is TransactWriteCommandInput => 'TransactItems' in input;

let evaluated = new Set<string>();
let refused = new Set<string>();

const operations = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const;

const writeOf = (item: TransactItem): ConditionalWrite | undefined => {
  for (const operation of operations) {
    const write = item[operation];
    if (write?.ConditionExpression === undefined) continue;
    const [expression = '', place] = write.ConditionExpression.split(placeMark);
    if (place) return { ...write, operation, expression, place };
  }
  return undefined;
};

const withoutPlace = (write: object = {}): object =>
  'ConditionExpression' in write && write.ConditionExpression !== undefined
    ? { ...write, ConditionExpression: String(write.ConditionExpression).split(placeMark)[0] }
    : write;

const itemWithoutPlace = (item: TransactItem): TransactItem =>
  Object.fromEntries(Object.entries(item).map(([operation, write]) => [operation, withoutPlace(write)]));

/** Whether a clause of a condition that was refused is false by itself. */
const isFalse = async (client: DynamoDBDocumentClient, write: ConditionalWrite, clause: string): Promise<boolean> => {
  const used = (named: Record<string, unknown> = {}) => {
    const entries = Object.entries(named).filter(([name]) => new RegExp(`${name}\\b`).test(clause));
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  const names = used(write.ExpressionAttributeNames);
  const values = used(write.ExpressionAttributeValues);
  const { pk, sk } = write.Key ?? write.Item ?? {};
  const check = {
    TableName: write.TableName,
    Key: { pk, sk },
    ConditionExpression: clause,
    ...(names && { ExpressionAttributeNames: names }),
    ...(values && { ExpressionAttributeValues: values }),
  } as NonNullable<TransactItem['ConditionCheck']>;
  try {
    await isAsking.run(true, () =>
      client.send(new TransactWriteCommand({ TransactItems: [{ ConditionCheck: check }] })),
    );
    return false;
  } catch {
    return true;
  }
};

const recordRefusal = async (client: DynamoDBDocumentClient, write: ConditionalWrite): Promise<void> => {
  const clauses = clausesOf(write.expression);
  const failed: string[] = [];
  for (const clause of clauses) if (clauses.length === 1 || (await isFalse(client, write, clause))) failed.push(clause);
  const [only, ...others] = failed;
  if (only !== undefined && others.length === 0) refused.add(nameOfClause(write, only));
};

/** The operation of a command for one item, such as `Put` of `PutCommand`. */
const operationOf = (command: Command): (typeof operations)[number] | undefined =>
  operations.find((operation) => command.constructor.name === `${operation}Command`);

type Command = Parameters<DynamoDBDocumentClient['send']>[0];
type Send = (this: DynamoDBDocumentClient, command: Command, ...rest: unknown[]) => Promise<unknown>;

/** Sends a command without the places of its conditions, and records these. */
const recording = (send: Send): Send =>
  async function (command, ...rest) {
    const input: object = command.input;
    const operation = operationOf(command);
    if (isAsking.getStore() || (!isTransaction(input) && !operation)) return send.call(this, command, ...rest);
    const items: readonly TransactItem[] = isTransaction(input)
      ? (input.TransactItems ?? [])
      : [{ [operation ?? '']: input } as TransactItem];
    const writes = items.map(writeOf);
    for (const write of writes)
      if (write) for (const clause of clausesOf(write.expression)) evaluated.add(nameOfClause(write, clause));
    const sent = isTransaction(input) ? { ...input, TransactItems: items.map(itemWithoutPlace) } : withoutPlace(input);
    try {
      return await send.call(this, Reflect.construct(command.constructor, [sent]), ...rest);
    } catch (error) {
      const reasons = cancellationReasonsOf(error);
      for (const [at, write] of writes.entries()) {
        const isRefused = isTransaction(input)
          ? reasons[at]?.Code === 'ConditionalCheckFailed'
          : error instanceof Error && error.name === 'ConditionalCheckFailedException';
        if (write && isRefused) await recordRefusal(this, write);
      }
      throw error;
    }
  };

// On the class, because a test may load the client anew. Test files share it, and each of them runs this file.
const original = Symbol.for('send without recording');
const prototype: object = DynamoDBDocumentClient.prototype;
const send: Send = Reflect.get(prototype, original) ?? Reflect.get(prototype, 'send');
Object.assign(prototype, { [original]: send, send: recording(send) });

afterEach(({ task }) => {
  task.meta.evaluated = [...evaluated];
  task.meta.refused = [...refused];
  evaluated = new Set();
  refused = new Set();
});
