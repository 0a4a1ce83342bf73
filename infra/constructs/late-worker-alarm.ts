import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { metricsNamespace } from '../../shared/contract/metrics.ts';
import type { Worker } from '../../shared/contract/workers.ts';
import { metricsService } from './own-metrics.ts';
import type { Resources } from './resources.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

/** Raises an alarm when a worker that says from when on it is late comes later than that; none for the others. */
export const addLateWorkerAlarm = (
  scope: Construct,
  { id, late, errorImpact }: Worker,
  target: LambdaFunction,
  { settings, alarmTopic }: Resources,
): void => {
  if (!late) return;
  const { afterSeconds, measuredBy } = late;
  new RunbookAlarm(scope, 'Late', {
    impact: `Later than ${afterSeconds} seconds after a change: ${errorImpact}`,
    section: `Late: ${id}`,
    threshold: afterSeconds * 1000,
    topic: alarmTopic,
    ...(measuredBy === 'IteratorAge'
      ? {
          // One shard that is stuck is behind for the programs that are in it, whatever the others are.
          metric: target.metric(measuredBy, { statistic: Stats.MAXIMUM, period: Duration.minutes(1) }),
          periods: 3,
        }
      : {
          // The half of all: some are late whose endpoint is slow, or whose worker crashed and comes again in minutes.
          metric: new Metric({
            namespace: metricsNamespace,
            metricName: measuredBy,
            dimensionsMap: { service: metricsService(settings) },
            statistic: Stats.p(50),
            period: Duration.minutes(5),
          }),
          periods: 2,
        }),
  });
};
