import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Worker } from '../../shared/contract/workers.ts';

/** Keeps what a worker gave up on for 14 days, and raises an alarm, which says what users notice, from the first. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, worker: Worker, alarmTopic: ITopic | undefined) {
    super(scope, id, { retentionPeriod: Duration.days(14), enforceSSL: true });
    const alarm = new Alarm(this, 'Alarm', {
      alarmDescription: `${worker.errorImpact} What to do: README, section "Runbook", "Dead letters of ${worker.id}".`,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (alarmTopic) alarm.addAlarmAction(new SnsAction(alarmTopic));
  }
}
