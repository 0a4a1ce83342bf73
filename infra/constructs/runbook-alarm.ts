import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

interface RunbookAlarmProps {
  /** What users notice, as a sentence. */
  readonly impact: string;
  /** The section of docs/runbook.md that says what to do. */
  readonly section: string;
  readonly metric: IMetric;
  /** The most that is fine. */
  readonly threshold: number;
  /** For how many periods of the metric in a row it must be more. */
  readonly periods: number;
  /** Whom it notifies; it only shows in CloudWatch when undefined. */
  readonly topic: ITopic | undefined;
}

/** An alarm whose text says what users notice, and where to read what to do. */
export class RunbookAlarm extends Alarm {
  constructor(scope: Construct, id: string, { impact, section, metric, threshold, periods, topic }: RunbookAlarmProps) {
    super(scope, id, {
      alarmDescription: `${impact} What to do: docs/runbook.md, section "${section}".`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      // Where nothing happens there is nothing to measure.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (topic) this.addAlarmAction(new SnsAction(topic));
  }
}
