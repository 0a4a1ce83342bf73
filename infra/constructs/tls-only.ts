import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnQueuePolicy, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

const tlsOnly = (): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['sqs:*'],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });

/** A queue that others than functions send to has a policy already, and may have one only. */
const hasOwnPolicy = (queue: Queue): boolean => queue.node.tryFindChild('Policy') !== undefined;

/** Lets every queue be reached by TLS only. One policy for all that have none of their own: a stack holds 500 resources. */
export const requireTlsOfQueues = (scope: Construct): void => {
  const queues = scope.node.findAll().filter((construct) => construct instanceof Queue);
  for (const queue of queues.filter(hasOwnPolicy)) queue.addToResourcePolicy(tlsOnly());
  new CfnQueuePolicy(scope, 'TlsOnly', {
    queues: queues.filter((queue) => !hasOwnPolicy(queue)).map(({ queueUrl }) => queueUrl),
    policyDocument: new PolicyDocument({ statements: [tlsOnly()] }),
  });
};
