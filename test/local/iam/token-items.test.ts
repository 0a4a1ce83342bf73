import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { retryTransient } from '../../../shared/platform/table/retry-transient.ts';
import { type NeedsOwner, needsOwners } from '../../support/declared-needs.ts';
import { assumeFunctionRole } from '../../support/permissions.ts';
import { type Api, makeProgram } from '../../support/program.ts';

// Real calls with the credentials of every deployed function, through the proxy that checks them.

const environment = inject('stackEnvironment');
const functions = [...Map.groupBy(needsOwners(), ({ functionName }) => functionName)];
const functionsWhere = (test: (needs: NeedsOwner['needs']) => boolean): string[] =>
  functions.filter(([, owners]) => test(owners.flatMap(({ needs }) => needs))).map(([name]) => name);

const counting = functionsWhere((needs) => needs.includes('access:check'));
const managing = functionsWhere((needs) => needs.includes('access:manage') || needs.includes('access:change'));
const all = functions.map(([name]) => name);
const notManaging = all.filter((name) => !managing.includes(name));

let own: Api;
let other: Api;
let key: ReturnType<typeof tokenKey>;
const TableName = () => deployedName('traffic');

beforeAll(async () => {
  [own, other] = await Promise.all([makeProgram(), makeProgram()]);
  key = tokenKey(hashOfToken(own.apiKey));
  // Counts once, so that the item has counters.
  await own.get('/program');
});

/** A client with the credentials of a function. */
const clientOf = async (functionName: string) => {
  const accessKeyId = await assumeFunctionRole(environment, functionName);
  return DynamoDBDocumentClient.from(new DynamoDBClient({ credentials: { accessKeyId, secretAccessKey: 'any' } }));
};

const storedToken = async () => {
  const { Item } = await documents.send(new GetCommand({ TableName: TableName(), Key: key, ConsistentRead: true }));
  return Item;
};

const onToken = () => ({ TableName: TableName(), Key: key });
const update = (UpdateExpression: string, values: Record<string, unknown>) => ({
  ...onToken(),
  UpdateExpression,
  ExpressionAttributeValues: values,
});

type Calls = Record<string, (client: DynamoDBDocumentClient) => Promise<unknown>>;

/** Every way to write something else than counters. */
const writes = (): Calls => {
  const moved = update('SET programId = :other', { ':other': other.programId });
  const both = update('SET counts = :none, programId = :other', { ':none': {}, ':other': other.programId });
  const onlyPlan = update('SET plan = :free', { ':free': 'FREE' });
  const expiring = { ...update('SET #ttl = :soon', { ':soon': 1 }), ExpressionAttributeNames: { '#ttl': 'ttl' } };
  const put = { TableName: TableName(), Item: { ...key, programId: other.programId } };
  const batch = { [put.TableName]: [{ PutRequest: { Item: put.Item } }] };
  return {
    'move it to another program': (client) => client.send(new UpdateCommand(moved)),
    'move it while counting': (client) => client.send(new UpdateCommand(both)),
    'move it in a transaction': (client) =>
      client.send(new TransactWriteCommand({ TransactItems: [{ Update: moved }] })),
    'change its plan': (client) => client.send(new UpdateCommand(onlyPlan)),
    'let it expire': (client) => client.send(new UpdateCommand(expiring)),
    'replace it': (client) => client.send(new PutCommand(put)),
    'replace it in a batch': (client) => client.send(new BatchWriteCommand({ RequestItems: batch })),
    'delete it': (client) => client.send(new DeleteCommand(onToken())),
    'delete it in a transaction': (client) =>
      client.send(new TransactWriteCommand({ TransactItems: [{ Delete: onToken() }] })),
  };
};

/** Every way to read what a token stands for without counting a request of it. */
const reads = (): Calls => {
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': key.pk } };
  const condition = {
    ConditionExpression: 'programId = :program',
    ExpressionAttributeValues: { ':program': own.programId },
  };
  return {
    'read it whole': (client) => client.send(new GetCommand(onToken())),
    'read its program': (client) => client.send(new GetCommand({ ...onToken(), ProjectionExpression: 'programId' })),
    'read it in a batch': (client) =>
      client.send(new BatchGetCommand({ RequestItems: { [TableName()]: { Keys: [key] } } })),
    'query it': (client) => client.send(new QueryCommand({ TableName: TableName(), ...query })),
    'scan the table': (client) => client.send(new ScanCommand({ TableName: TableName() })),
    'compare its program': (client) =>
      client.send(new TransactWriteCommand({ TransactItems: [{ ConditionCheck: { ...onToken(), ...condition } }] })),
  };
};

/** What became of each call: the name of its error, or that it was allowed. */
const outcomes = async (functionName: string, calls: Calls): Promise<Record<string, string>> => {
  const client = await clientOf(functionName);
  const results: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls))
    results[name] = await call(client).then(
      () => 'allowed',
      (error: unknown) => (error instanceof Error ? error.name : String(error)),
    );
  return results;
};

const refused = (calls: object) =>
  Object.fromEntries(Object.keys(calls).map((name) => [name, 'AccessDeniedException']));

describe('the token of a request, with the credentials of a function', () => {
  it.each(notManaging)('%s cannot write anything but counters to it', async (functionName) => {
    const before = await storedToken();
    expect(await outcomes(functionName, writes())).toEqual(refused(writes()));
    expect(await storedToken()).toEqual(before);
  });

  it.each(all)('%s cannot read what it stands for', async (functionName) => {
    expect(await outcomes(functionName, reads())).toEqual(refused(reads()));
  });

  it.each(all)('%s counts on it only where it authenticates requests or manages keys', async (functionName) => {
    const client = await clientOf(functionName);
    const mark = { [functionName]: { x: 1 } };
    const counted = new UpdateCommand(update('SET counts = :mark', { ':mark': mark }));
    const call = retryTransient(() => client.send(counted));
    if (counting.includes(functionName) || managing.includes(functionName)) {
      await call;
      expect((await storedToken())?.counts).toEqual(mark);
    } else await expect(call).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('still belongs to its program after all that', async () => {
    const { status, body } = await own.get('/program');
    expect([status, body.id]).toEqual([200, own.programId]);
  });

  it('was tried with functions of the API, of the web application and with workers', () => {
    expect(counting).toEqual(expect.arrayContaining(['affiliates', 'sales', 'connector-webhooks']));
    expect(notManaging).toEqual(expect.arrayContaining(['web-records', 'deliver-webhook', 'fan-out-events']));
    expect(managing).toEqual(expect.arrayContaining(['web-programs', 'finish-deletion']));
  });
});
