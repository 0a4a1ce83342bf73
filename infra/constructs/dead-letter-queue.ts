import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Worker } from '../../shared/contract/workers.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** Keeps what a worker gave up on for 14 days, and raises an alarm, which says what users notice, from the first. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, worker: Worker, alarmTopic: ITopic | undefined) {
    super(scope, id, { retentionPeriod: Duration.days(14) });
    new RunbookAlarm(this, 'Alarm', {
      impact: worker.errorImpact,
      section: `Dead letters of ${worker.id}`,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
      threshold: 0,
      periods: 1,
      topic: alarmTopic,
    });
  }
}
