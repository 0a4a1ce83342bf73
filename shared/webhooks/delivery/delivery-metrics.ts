import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { deliveryMetricNames } from '../../contract/metrics.ts';
import type { Outcome } from './deliver.ts';

/** CloudWatch embedded metrics, with the stack as only dimension: never a program or an endpoint. */
export const deliveryMetrics = () => {
  const metrics = new Metrics();
  const countOne = (name: string): void => void metrics.addMetric(name, MetricUnit.Count, 1);
  return {
    count: (outcome: Outcome | undefined): void => {
      if (!outcome) return;
      const { delivered, lagMilliseconds, deactivated } = outcome;
      countOne(delivered ? deliveryMetricNames.delivered : deliveryMetricNames.failed);
      if (deactivated) countOne(deliveryMetricNames.deactivated);
      if (lagMilliseconds !== undefined)
        metrics.addMetric(deliveryMetricNames.lag, MetricUnit.Milliseconds, lagMilliseconds);
    },
    publish: (): void => {
      // Without metrics it would print a warning.
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
};
