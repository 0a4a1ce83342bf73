import { Aws } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { WorkQueue } from './work-queues.ts';

/** Sends a message with the time to a worker's queue, whenever the expression says so. What cannot be sent is a dead letter. */
export class WorkerSchedule extends Construct {
  constructor(scope: Construct, scheduleExpression: string, queue: WorkQueue) {
    super(scope, 'Schedule');
    const { deadLetters } = queue;
    const send = new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn, deadLetters.queueArn],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: { send: new PolicyDocument({ statements: [send] }) },
    });
    new CfnSchedule(this, 'Resource', {
      scheduleExpression,
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: queue.queueArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ time: '<aws.scheduler.scheduled-time>' }),
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    });
  }
}
