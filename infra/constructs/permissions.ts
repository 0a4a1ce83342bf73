import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Need } from '../../shared/contract/needs.ts';
import { queuesSentTo, secretsUsed, type TableAccess, tableAccesses } from './access.ts';
import { queueNamed, type Resources, secretNamed } from './resources.ts';

/** Some actions on one table, or on some of its indexes, for the items with certain keys. */
interface Grant {
  readonly table: TableAccess['table'];
  /** Empty for the table itself. */
  readonly indexes: readonly string[];
  readonly actions: readonly string[];
  readonly leadingKeys: readonly string[];
  /** The only attributes that a request may name; any when undefined. */
  readonly attributes: readonly string[] | undefined;
}

const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** What may be done with the items of each kind: at most one grant for the table and one for its indexes. */
const grantsByKind = (accesses: readonly TableAccess[]): Grant[] => {
  const alike = Map.groupBy(accesses, ({ table, index, leadingKeys, attributes }) =>
    JSON.stringify([table, index !== undefined, leadingKeys, attributes]),
  );
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const all = [first, ...others];
    return {
      table: first.table,
      indexes: unique(all.flatMap(({ index }) => index ?? [])),
      actions: unique(all.flatMap(({ actions }) => actions)),
      leadingKeys: first.leadingKeys,
      attributes: first.attributes,
    };
  });
};

/** One statement for grants that differ in their keys alone: a role's policies hold 10,240 characters in all. */
const tableStatement = (first: Grant, grants: readonly Grant[], resources: Resources): PolicyStatement => {
  const table = resources[first.table];
  return new PolicyStatement({
    actions: [...first.actions],
    resources: first.indexes.length > 0 ? first.indexes.map((index) => table.indexArn(index)) : [table.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': unique(grants.flatMap(({ leadingKeys }) => leadingKeys)) },
      ...(first.attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...first.attributes] } }),
    },
  });
};

/** The IAM statements for a list of needs: exact actions on exact resources, limited to the kinds' partition keys. */
export const permissionsFor = (needs: readonly Need[], resources: Resources): PolicyStatement[] => {
  const alike = Map.groupBy(grantsByKind(tableAccesses(needs)), ({ table, indexes, actions, attributes }) =>
    JSON.stringify([table, indexes, actions, attributes]),
  );
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
