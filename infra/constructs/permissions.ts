import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Need } from '../../shared/contract/needs.ts';
import { queuesSentTo, tableAccesses } from './access.ts';
import { queueNamed, type Resources } from './resources.ts';

/** The IAM statements for a list of needs: exact actions on exact resources, limited to the kinds' partition keys. */
export const permissionsFor = (needs: readonly Need[], resources: Resources): PolicyStatement[] => {
  const alike = Map.groupBy(tableAccesses(needs), ({ table, actions }) => [table, ...actions].join());
  const tableStatements = [...alike.values()].flatMap((accesses) =>
    accesses.slice(0, 1).map(
      ({ table, actions }) =>
        new PolicyStatement({
          actions: [...actions],
          resources: [...resources[table].permissionArns],
          conditions: {
            'ForAllValues:StringLike': {
              'dynamodb:LeadingKeys': [...new Set(accesses.flatMap(({ leadingKeys }) => leadingKeys))].sort(),
            },
          },
        }),
    ),
  );
  const queueArns = queuesSentTo(needs).map((queue) => queueNamed(queue, resources).queueArn);
  return queueArns.length === 0
    ? tableStatements
    : [...tableStatements, new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queueArns })];
};
