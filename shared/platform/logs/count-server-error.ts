import { metricsNamespace, serverErrorsMetric } from '../../contract/metrics.ts';

/**
 * Counts a 5xx of this version of the function: CloudWatch makes a metric of the line (embedded metric format). Past the
 * console, whose prefix would hide it; by hand, because Powertools would add to every bundle.
 */
export const countServerError = (now: Date): void => {
  const { AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_VERSION: version } = process.env;
  if (!name || !version) return;
  const { name: metric, functionDimension, versionDimension } = serverErrorsMetric;
  const definition = {
    Namespace: metricsNamespace,
    Dimensions: [[functionDimension, versionDimension]],
    Metrics: [{ Name: metric, Unit: 'Count' }],
  };
  const line = {
    _aws: { Timestamp: now.getTime(), CloudWatchMetrics: [definition] },
    [functionDimension]: name,
    [versionDimension]: version,
    [metric]: 1,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
