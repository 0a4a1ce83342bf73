import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { recordIndexes, trafficIndexes } from '../../../shared/contract/needs.ts';
import { queueOf } from '../../../shared/contract/worker.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

const everyWorker: readonly Worker[] = workers;
const streamWorkers = everyWorker.filter(({ trigger }) => trigger.kind === 'stream');
let local: Template;
let production: Template;

beforeAll(() => {
  local = templateOf(settings.local);
  production = templateOf(settings.production);
});

const serviceAlarms = (id: string) =>
  resources(production, 'AWS::CloudWatch::Alarm').filter(([name]) => name.startsWith(`ServiceAlarms${id}`));

interface MetricOfAlarm {
  Id: string;
  Expression?: string;
  ReturnData: boolean;
  MetricStat?: { Stat: string; Metric: { Namespace: string; MetricName: string; Dimensions: { Value: unknown }[] } };
}

/** What an alarm computes of several metrics. */
const metricsOf = (alarm: Readonly<Record<string, unknown>> | undefined) =>
  ((alarm?.Metrics ?? []) as MetricOfAlarm[]).map(
    ({ Id: id, Expression: expression, ReturnData: isCompared, MetricStat }) => {
      if (!MetricStat) return { id, expression, isCompared };
      const { Namespace, MetricName, Dimensions } = MetricStat.Metric;
      const of = Dimensions.map(({ Value }) => readable(Value));
      return { id, metric: [Namespace, MetricName, ...of].join(' '), stat: MetricStat.Stat, isCompared };
    },
  );

describe('an alarm', () => {
  const common = { ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' };
  /** The first dead letter within a minute, whatever the number was in between. */
  const deadLetters = {
    ...common,
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Statistic: 'Maximum',
    Period: 60,
    EvaluationPeriods: 1,
    Threshold: 0,
  };
  /** The slowest shard has been more than a minute late for three minutes. */
  const lateStream = {
    ...common,
    Namespace: 'AWS/Lambda',
    MetricName: 'IteratorAge',
    Statistic: 'Maximum',
    Period: 60,
    EvaluationPeriods: 3,
    Threshold: 60_000,
  };
  /** The half of all first attempts has been more than a minute late for ten minutes. */
  const lateDelivery = {
    ...common,
    Namespace: 'AffiliateProgram',
    MetricName: 'WebhookFirstAttemptLag',
    ExtendedStatistic: 'p50',
    Period: 300,
    EvaluationPeriods: 2,
    Threshold: 60_000,
  };

  /** A message waits for longer than 15 minutes of delay and three receives explain. */
  const stoppedQueue = (worker: Worker) => ({
    ...common,
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Statistic: 'Maximum',
    Period: 60,
    EvaluationPeriods: 3,
    Threshold: 900 + 3 * (queueOf(worker)?.visibilityTimeoutSeconds ?? Number.NaN),
  });
  const stoppedStream = { ...common, EvaluationPeriods: 3, Threshold: 0, Metrics: expect.any(Array) };

  const figuresOf = (template: Template, isOfService: boolean) =>
    resources(template, 'AWS::CloudWatch::Alarm')
      .filter(([id]) => id.startsWith('ServiceAlarms') === isOfService && !id.startsWith('Failing'))
      .map(([, { AlarmDescription: _text, Dimensions: _of, AlarmActions: _whom, ...figures }]) => figures);

  it('about a worker is of one of five sorts, with its statistic, periods and threshold', () => {
    const expected = [
      ...everyWorker.map(() => deadLetters),
      ...streamWorkers.map(() => lateStream),
      lateDelivery,
      ...everyWorker.map((worker) => (queueOf(worker) ? stoppedQueue(worker) : stoppedStream)),
    ];
    for (const template of [local, production]) {
      const alarms = figuresOf(template, false);
      expect(alarms).toHaveLength(expected.length);
      expect(alarms).toEqual(expect.arrayContaining(expected));
      for (const alarm of alarms) expect(expected).toContainEqual(alarm);
    }
  });

  it.each([
    { id: 'ServerErrors', what: 'more than 1 % of responses for two minutes', threshold: 1, evaluated: 2, seconds: 60 },
    { id: 'FailingFunctions', what: 'more than 5 a minute for two', threshold: 5, evaluated: 2, seconds: 60 },
    {
      id: 'SlowResponses',
      what: 'one in a hundred over 5 s for a quarter',
      threshold: 5000,
      evaluated: 3,
      seconds: 300,
    },
    { id: 'ThrottledFunctions', what: 'more than 10 for ten minutes', threshold: 10, evaluated: 2, seconds: 300 },
    { id: 'Concurrency', what: '80 % of 1,000 for three minutes', threshold: 800, evaluated: 3, seconds: 60 },
    { id: 'ThrottledTables', what: 'more than 10 for ten minutes', threshold: 10, evaluated: 2, seconds: 300 },
    ...['Records', 'Traffic'].flatMap((table) =>
      ['Read', 'Write'].map((use) => ({
        id: `ThrottledIndexes${table}${use}`,
        what: 'more than 10 for ten minutes',
        threshold: 10,
        evaluated: 2,
        seconds: 300,
      })),
    ),
  ])('about the service, $id, begins with $what', ({ id, threshold, evaluated, seconds }) => {
    for (const template of [local, production]) {
      const [found, ...others] = resources(template, 'AWS::CloudWatch::Alarm').filter(([name]) =>
        name.startsWith(`ServiceAlarms${id}`),
      );
      const alarm = found?.[1] ?? {};
      expect(others).toEqual([]);
      expect(alarm).toMatchObject({ ...common, Threshold: threshold, EvaluationPeriods: evaluated });
      const periods = JSON.stringify(alarm).match(/"Period":\d+/g);
      expect(new Set(periods)).toEqual(new Set([`"Period":${seconds}`]));
    }
    expect(figuresOf(production, true)).toHaveLength(10);
  });

  it('about errors of the server begins when three and more than 1 % of all responses are', () => {
    const [[, alarm] = []] = serviceAlarms('ServerErrors');
    expect(metricsOf(alarm)).toEqual([
      { id: 'expr_1', expression: 'IF(errors >= 3, 100 * errors / requests, 0)', isCompared: true },
      { id: 'errors', metric: 'AWS/ApiGateway 5xx <Api>', stat: 'Sum', isCompared: false },
      { id: 'requests', metric: 'AWS/ApiGateway Count <Api>', stat: 'SampleCount', isCompared: false },
    ]);
  });

  it('about throttled tables counts reads and writes of both, and a metric that is missing as 0', () => {
    const [[, alarm] = []] = serviceAlarms('ThrottledTables');
    const ids = ['count0', 'count1', 'count2', 'count3'];
    expect(metricsOf(alarm)).toEqual([
      { id: 'expr_1', expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '), isCompared: true },
      ...['Records', 'Traffic'].flatMap((table, index) =>
        ['Read', 'Write'].map((use) => ({
          id: `count${2 * index + (use === 'Write' ? 1 : 0)}`,
          metric: `AWS/DynamoDB ${use}ThrottleEvents <${table}>`,
          stat: 'Sum',
          isCompared: false,
        })),
      ),
    ]);
  });

  it.each([
    { table: 'Records', indexes: recordIndexes },
    { table: 'Traffic', indexes: trafficIndexes },
  ])('about throttled indexes of $table counts each of them, reads and writes apart', ({ table, indexes }) => {
    for (const use of ['Read', 'Write']) {
      const [[, alarm] = [], ...others] = serviceAlarms(`ThrottledIndexes${table}${use}`);
      expect(others).toEqual([]);
      expect(metricsOf(alarm)).toEqual([
        { id: 'expr_1', expression: indexes.map((_, at) => `FILL(count${at}, 0)`).join(' + '), isCompared: true },
        ...indexes.map((index, at) => ({
          id: `count${at}`,
          metric: `AWS/DynamoDB ${use}ThrottleEvents ${index} <${table}>`,
          stat: 'Sum',
          isCompared: false,
        })),
      ]);
    }
  });

  it.each(streamWorkers)(
    'about $id begins when ten units are written in five minutes and nothing is read',
    ({ id }) => {
      const [[, alarm] = [], ...others] = resources(production, 'AWS::CloudWatch::Alarm').filter(([name]) =>
        name.startsWith(`${pascalCase(id)}Stopped`),
      );
      expect(others).toEqual([]);
      expect(metricsOf(alarm)).toEqual([
        { id: 'expr_1', expression: 'IF(FILL(writes, 0) >= 10 AND FILL(read, 0) < 1, 1, 0)', isCompared: true },
        { id: 'writes', metric: 'AWS/DynamoDB ConsumedWriteCapacityUnits <Records>', stat: 'Sum', isCompared: false },
        { id: 'read', metric: `AWS/Lambda PolledEventCount <${pascalCase(id)}Source>`, stat: 'Sum', isCompared: false },
      ]);
      const [[, mapping] = []] = resources(production, 'AWS::Lambda::EventSourceMapping').filter(([name]) =>
        name.startsWith(`${pascalCase(id)}Source`),
      );
      expect(mapping?.MetricsConfig).toEqual({ Metrics: ['EventCount'] });
    },
  );

  it('costs by its metrics, of which docs/operations.md says how many there are', () => {
    const guide = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const [prod, dev] = [settings.production, settings.dev].map((of) =>
      resources(templateOf(of), 'AWS::CloudWatch::Alarm')
        .map(([, { Metrics }]) => (Metrics as MetricOfAlarm[] | undefined)?.filter((one) => one.MetricStat).length ?? 1)
        .reduce((sum, one) => sum + one),
    );
    const scheduled = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule').length;
    const functions = resources(templateOf(settings.production), 'AWS::Lambda::Alias').length;
    expect(prod).toBe(2 * functions + (dev ?? 0));
    // Told for each function and worker, so that the guide stays right when one is added.
    expect(guide.replaceAll(/\s+/g, ' ')).toContain(
      'billed by the metrics that they compare: 2 for each function where deployment is gradual, as in `prod`, ' +
        `2 more for each scheduled worker, and ${(dev ?? 0) - 2 * scheduled} for the rest`,
    );
  });

  it('compares ten metrics at most, which is what CloudWatch takes', () => {
    for (const [id, { Metrics = [] }] of resources(templateOf(settings.production), 'AWS::CloudWatch::Alarm'))
      expect((Metrics as MetricOfAlarm[]).filter(({ MetricStat }) => MetricStat).length, id).toBeLessThanOrEqual(10);
  });

  it.each([
    { id: 'FailingFunctions', metric: { MetricName: 'Errors', Statistic: 'Sum' } },
    { id: 'ThrottledFunctions', metric: { MetricName: 'Throttles', Statistic: 'Sum' } },
    { id: 'Concurrency', metric: { MetricName: 'ConcurrentExecutions', Statistic: 'Maximum' } },
  ])('about all functions of the account, $id, is of one metric', ({ id, metric }) => {
    const [[, alarm] = []] = serviceAlarms(id);
    expect(alarm).toMatchObject({ Namespace: 'AWS/Lambda', ...metric });
    expect(alarm?.Dimensions).toBeUndefined();
  });

  it('about slow responses is of the slowest in a hundred of this API', () => {
    const [[, alarm] = []] = serviceAlarms('SlowResponses');
    expect(alarm).toMatchObject({ Namespace: 'AWS/ApiGateway', MetricName: 'Latency', ExtendedStatistic: 'p99' });
    expect(((alarm?.Dimensions ?? []) as { Value: unknown }[]).map(({ Value }) => readable(Value))).toEqual(['<Api>']);
  });
});
