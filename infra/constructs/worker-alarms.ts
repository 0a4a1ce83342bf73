import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { metricsNamespace } from '../../shared/contract/metrics.ts';
import type { WorkerQueue } from '../../shared/contract/worker.ts';
import type { Worker } from '../../shared/contract/workers.ts';
import { metricsService } from './own-metrics.ts';
import type { Resources } from './resources.ts';
import { RunbookAlarm } from './runbook-alarm.ts';
import type { WorkQueue } from './work-queues.ts';

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

const stoppedSection = 'Stopped workers';
const longestDelaySeconds = 900;
/** After three receives, the age of a queue's oldest message no longer counts a message. */
const countedReceives = 3;
/** Fewer writes may be refused conditions alone, of which the stream has nothing. */
const fewWrites = 10;

/** Raises an alarm when messages wait for longer than delays and retries explain: nobody reads the queue, or too slowly. */
export const addStoppedQueueAlarm = (
  scope: Construct,
  { id, errorImpact }: Worker,
  { visibilityTimeoutSeconds }: WorkerQueue,
  queue: WorkQueue,
  { alarmTopic: topic }: Resources,
): void => {
  const threshold = longestDelaySeconds + countedReceives * visibilityTimeoutSeconds;
  new RunbookAlarm(scope, 'Stopped', {
    impact: `${id} is stopped or far behind, a message waits for more than ${threshold / 60} minutes: ${errorImpact}`,
    section: stoppedSection,
    metric: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: Duration.minutes(1) }),
    threshold,
    periods: 3,
    topic,
  });
};

/** Raises an alarm when the table is written to and its stream is not read, which no age would show. */
export const addStoppedStreamAlarm = (
  scope: Construct,
  { id, errorImpact }: Worker,
  mapping: EventSourceMapping,
  { alarmTopic: topic, records }: Resources,
): void => {
  const period = Duration.minutes(5);
  new RunbookAlarm(scope, 'Stopped', {
    impact: `${id} is stopped, it has read no change for 15 minutes: ${errorImpact}`,
    section: stoppedSection,
    metric: new MathExpression({
      expression: `IF(FILL(writes, 0) >= ${fewWrites} AND FILL(read, 0) < 1, 1, 0)`,
      usingMetrics: {
        writes: records.metricConsumedWriteCapacityUnits({ statistic: Stats.SUM, period }),
        read: new Metric({
          namespace: 'AWS/Lambda',
          metricName: 'PolledEventCount',
          dimensionsMap: { EventSourceMappingUUID: mapping.eventSourceMappingId },
          statistic: Stats.SUM,
          period,
        }),
      },
      label: 'Written to and not read',
      period,
    }),
    threshold: 0,
    periods: 3,
    topic,
  });
};
