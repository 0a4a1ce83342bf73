import { expect, it } from 'vitest';
import { deliveryMetricNames } from '../../shared/contract/metrics.ts';
import { fixed } from '../bench/figures/prices.ts';
import { resources } from './constructs/resources.ts';
import { settings, templateOf } from './constructs/template-of.ts';

it('the cost of a month counts the secrets, alarms, dashboards and metrics that production has', () => {
  const template = templateOf(settings.production);
  const count = (type: string): number => resources(template, type).length;
  const metricsOf = ({ Metrics }: { Metrics?: { MetricStat?: object }[] }): number =>
    Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1;
  const alarms = resources(template, 'AWS::CloudWatch::Alarm').map(([, properties]) => metricsOf(properties));
  expect(fixed, 'and in the table of docs/operations.md, section "Cost of a month"').toEqual({
    secrets: count('AWS::SecretsManager::Secret'),
    alarmMetrics: alarms.reduce((sum, metrics) => sum + metrics, 0),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    ownMetrics: Object.keys(deliveryMetricNames).length,
  });
});
