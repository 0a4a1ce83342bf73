import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Need } from '../../shared/contract/needs.ts';
import { queuesSentTo, secretsUsed, type TableAccess, tableAccesses } from './access.ts';
import { queueNamed, type Resources, secretNamed } from './resources.ts';

/** One statement for accesses that differ in their keys alone: a role's policies hold 10,240 characters in all. */
const tableStatement = (
  first: TableAccess,
  accesses: readonly TableAccess[],
  resources: Resources,
): PolicyStatement => {
  const table = resources[first.table];
  const leadingKeys = [...new Set(accesses.flatMap((access) => access.leadingKeys))].sort();
  return new PolicyStatement({
    actions: [...first.actions],
    resources: [table.tableArn, ...(first.indexes ? table.indexArns : [])],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leadingKeys } },
  });
};

/** The IAM statements for a list of needs: exact actions on exact resources, limited to the kinds' partition keys. */
export const permissionsFor = (needs: readonly Need[], resources: Resources): PolicyStatement[] => {
  const alike = Map.groupBy(tableAccesses(needs), ({ table, actions }) => [table, ...actions].join());
  const statements = [...alike.values()].flatMap(([first, ...others]) =>
    first ? [tableStatement(first, [first, ...others], resources)] : [],
  );
  const queueArns = queuesSentTo(needs).map((queue) => queueNamed(queue, resources).queueArn);
  if (queueArns.length > 0)
    statements.push(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queueArns }));
  const secretArns = secretsUsed(needs).map((name) => secretNamed(name, resources).secretArn);
  if (secretArns.length > 0)
    statements.push(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: secretArns }));
  return statements;
};
