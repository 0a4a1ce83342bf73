import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Need } from '../../shared/contract/needs.ts';
import { fileAccesses, queuesSentTo, secretsUsed, type TableAccess, tableAccesses } from './access.ts';
import type { MailSending } from './mail.ts';
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

/** Those that `keyOf` says the same of, together. */
const grouped = <Value>(values: readonly Value[], keyOf: (value: Value) => unknown): [Value, ...Value[]][] =>
  // Asserted: no group is empty.
  [...Map.groupBy(values, (value) => JSON.stringify(keyOf(value))).values()] as [Value, ...Value[]][];

/** What may be done with the items of each kind: at most one grant for the table and one for its indexes. */
const grantsByKind = (accesses: readonly TableAccess[]): Grant[] =>
  grouped(accesses, ({ table, index, leadingKeys, attributes }) => [
    table,
    index !== undefined,
    leadingKeys,
    attributes,
  ]).map((all) => ({
    table: all[0].table,
    indexes: unique(all.flatMap(({ index }) => index ?? [])),
    actions: unique(all.flatMap(({ actions }) => actions)),
    leadingKeys: all[0].leadingKeys,
    attributes: all[0].attributes,
  }));

/** One statement for grants that differ in their keys alone: a role's policies hold 10,240 characters in all. */
const tableStatement = (grants: readonly [Grant, ...Grant[]], resources: Resources): PolicyStatement => {
  const [first] = grants;
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

/** From the one address alone, and with the configuration set that says what became of it. */
const emailStatement = ({ identity, configurationSetArn }: MailSending): PolicyStatement =>
  new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: [identity.arn, configurationSetArn],
    conditions: { StringEquals: { 'ses:FromAddress': identity.from } },
  });

/** The IAM statements for a list of needs: exact actions on exact resources, limited to the kinds' partition keys. */
export const permissionsFor = (needs: readonly Need[], resources: Resources): PolicyStatement[] => {
  const alike = grouped(grantsByKind(tableAccesses(needs)), ({ table, indexes, actions, attributes }) => [
    table,
    indexes,
    actions,
    attributes,
  ]);
  const statements = alike.map((grants) => tableStatement(grants, resources));
  const queueArns = queuesSentTo(needs).map((queue) => queueNamed(queue, resources).queueArn);
  if (queueArns.length > 0)
    statements.push(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queueArns }));
  const secretArns = secretsUsed(needs).map((name) => secretNamed(name, resources).secretArn);
  if (secretArns.length > 0)
    statements.push(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: secretArns }));
  if (needs.includes('ses:use') && resources.mail) statements.push(emailStatement(resources.mail));
  for (const files of grouped(fileAccesses(needs), ({ actions }) => unique(actions)))
    statements.push(
      new PolicyStatement({
        actions: unique(files[0].actions),
        resources: files.map(({ keys }) => resources.files.arnForObjects(keys)),
      }),
    );
  return statements;
};
