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
}

const lossRemedy = 'docs/operations.md, section "A lost table"';

const tablesOf = ({ outputs }: CheckedStack): Expected[] => [
  { name: required(outputs, 'TableName'), indexes: recordIndexes, hasStream: true },
  { name: required(outputs, 'TrafficTableName'), indexes: trafficIndexes, hasStream: false },
];

/** What is wrong with a table as DynamoDB describes it. */
export const tableFindings = ({ name, indexes, hasStream }: Expected, table: TableDescription): Finding[] => {
  const findings: Finding[] = [];
  if (table.TableStatus !== 'ACTIVE')
    findings.push(problem(`The table ${name} is ${table.TableStatus}.`, 'Wait until it is ACTIVE.'));
  for (const index of indexes) {
    const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index);
    const status = found?.IndexStatus ?? 'ACTIVE';
    if (!found)
      findings.push(
        problem(`The table ${name} has no index ${index}: lists that use it fail.`, 'Deploy the stack again.'),
      );
    else if (status !== 'ACTIVE')
      findings.push(
        problem(`The index ${index} of ${name} is ${status}: lists that use it fail.`, 'Wait until it is ACTIVE.'),
      );
  }
  if (hasStream && table.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES')
    findings.push(problem(`The table ${name} has no stream: changes make no events.`, 'Deploy the stack again.'));
  return findings;
};

/** Checks what the local stack's tables do not have. */
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
    found.push(
      warning(`TTL is disabled for ${name}: expired items are never deleted.`, 'Enable it on the attribute ttl.'),
    );
  const recovery = backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  const stage = stages[stageOf(stackName)];
  if ((hasStream || stage?.removalPolicy === 'retain') && recovery !== 'ENABLED')
    found.push(problem(`Point-in-time recovery is disabled for ${name}: lost data cannot be restored.`, 'Enable it.'));
  if (stage?.deletionProtection && !table.DeletionProtectionEnabled)
    found.push(problem(`Deletion protection is disabled for ${name}, but enabled in infra/stages.ts.`, 'Enable it.'));
  return found;
};

/** Checks both tables and their indexes; in a deployed stack also TTL, backups and deletion protection. */
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
        return [problem(`The table ${expected.name} does not exist.`, lossRemedy)];
      }
    }),
  );
  return found.flat();
};
