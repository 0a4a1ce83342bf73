import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { recordIndexes, trafficIndexes } from '../../../shared/contract/needs.ts';
import { stageOf } from '../../stack-name.ts';
import { required } from '../../stack-variables.ts';
import { stages } from '../../stages.ts';
import { type Check, type CheckedStack, type Finding, findingsOf } from './finding.ts';

const { problem, warning } = findingsOf('tables');

interface Expected {
  name: string;
  indexes: readonly string[];
  hasStream: boolean;
  /** What to do when the table is gone. */
  loss: string;
}

const tablesOf = ({ outputs }: CheckedStack): Expected[] => [
  {
    name: required(outputs, 'TableName'),
    indexes: recordIndexes,
    hasStream: true,
    loss: 'docs/operations.md, section "A lost table"',
  },
  {
    name: required(outputs, 'TrafficTableName'),
    indexes: trafficIndexes,
    hasStream: false,
    loss: 'docs/operations.md, section "A lost table"',
  },
];

/** What is wrong with a table as DynamoDB describes it. */
export const tableFindings = (
  { name, indexes, hasStream }: Omit<Expected, 'loss'>,
  table: TableDescription,
): Finding[] => {
  const findings: Finding[] = [];
  if (table.TableStatus !== 'ACTIVE')
    findings.push(problem(`The table ${name} is ${table.TableStatus}.`, 'Wait until it is ACTIVE.'));
  for (const index of indexes) {
    const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index);
    const status = found?.IndexStatus ?? 'ACTIVE';
    if (!found)
      findings.push(
        problem(`The table ${name} lacks the index ${index}: lists by it fail.`, 'Deploy the stack again.'),
      );
    else if (status !== 'ACTIVE')
      findings.push(
        problem(`The index ${index} of ${name} is ${status}: lists by it fail.`, 'Wait until it is ACTIVE.'),
      );
  }
  if (hasStream && table.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES')
    findings.push(problem(`The table ${name} has no stream: changes make no events.`, 'Deploy the stack again.'));
  return findings;
};

/** What only a deployed table has. */
const protectionFindings = async (
  client: DynamoDBClient,
  { name, hasStream }: Expected,
  table: TableDescription,
  stackName: string,
): Promise<Finding[]> => {
  const found: Finding[] = [];
  const [ttl, backups] = await Promise.all([
    client.send(new DescribeTimeToLiveCommand({ TableName: name })),
    client.send(new DescribeContinuousBackupsCommand({ TableName: name })),
  ]);
  if (ttl.TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED')
    found.push(warning(`Items of ${name} do not expire: it only grows.`, 'Enable TTL on the attribute ttl.'));
  const recovery = backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  if (hasStream && recovery !== 'ENABLED')
    found.push(problem(`${name} has no point-in-time recovery: a loss is final.`, 'Enable it, or deploy again.'));
  const stage = stages[stageOf(stackName)];
  if (stage?.deletionProtection && !table.DeletionProtectionEnabled)
    found.push(problem(`${name} has no deletion protection, which infra/stages.ts asks for.`, 'Deploy again.'));
  return found;
};

/** Both tables with their indexes; of a deployed stack also the stream, expiry, backups and protection. */
export const checkTables: Check = async (stack) => {
  const client = new DynamoDBClient({});
  const found = await Promise.all(
    tablesOf(stack).map(async (expected) => {
      try {
        const { Table: table } = await client.send(new DescribeTableCommand({ TableName: expected.name }));
        if (!table) throw new Error(`DynamoDB does not describe ${expected.name}`);
        const { stackName } = stack;
        const ofDeployed = stackName ? await protectionFindings(client, expected, table, stackName) : [];
        return [...tableFindings(expected, table), ...ofDeployed];
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
        return [problem(`The table ${expected.name} is gone.`, expected.loss)];
      }
    }),
  );
  return found.flat();
};
