import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnQueuePolicy, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Lets every queue be reached by TLS only. One policy for all: a stack holds 500 resources. */
export const requireTlsOfQueues = (scope: Construct): void => {
  const queues = scope.node.findAll().filter((construct) => construct instanceof Queue);
  new CfnQueuePolicy(scope, 'TlsOnly', {
    queues: queues.map(({ queueUrl }) => queueUrl),
    policyDocument: new PolicyDocument({
      statements: [
        new PolicyStatement({
          effect: Effect.DENY,
          principals: [new AnyPrincipal()],
          actions: ['sqs:*'],
          resources: ['*'],
          conditions: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      ],
    }),
  });
};
