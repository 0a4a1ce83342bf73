import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { KeyedTable } from './keyed-table.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

interface Watched {
  readonly settings: Settings;
  readonly api: HttpApi;
  readonly tables: readonly KeyedTable[];
  readonly alarmTopic: ITopic | undefined;
}

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const everyFiveMinutes = { statistic: Stats.SUM, period: fiveMinutes } as const;
const throttleMetrics = ['ReadThrottleEvents', 'WriteThrottleEvents'] as const;

/** The sum of counts. A metric that nothing was reported for is missing, not 0. */
const sumOf = (label: string, counts: readonly IMetric[]): MathExpression =>
  new MathExpression({
    expression: counts.map((_, at) => `FILL(count${at}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(counts.map((metric, at) => [`count${at}`, metric])),
    label,
    period: fiveMinutes,
  });

/** The alarms about the service as a whole; those about one worker stand beside it. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, { settings, api, tables, alarmTopic: topic }: Watched) {
    super(scope, 'ServiceAlarms');
    new RunbookAlarm(this, 'ServerErrors', {
      impact: 'Requests end in 5xx: integrators cannot rely on the API, and pages of the web application fail.',
      section: 'Server errors',
      // A single error among a few requests at night is no reason to wake anybody.
      metric: new MathExpression({
        expression: 'IF(errors >= 3, 100 * errors / requests, 0)',
        usingMetrics: { errors: api.metricServerError(), requests: api.metricCount({ statistic: Stats.SAMPLE_COUNT }) },
        label: 'Responses with 5xx (%)',
        period: minute,
      }),
      threshold: 1,
      periods: 2,
      topic,
    });
    new RunbookAlarm(this, 'FailingFunctions', {
      impact: 'Functions crash or time out: requests end in 5xx, and events, totals or webhooks are repeated and late.',
      section: 'Failing functions',
      metric: LambdaFunction.metricAllErrors({ statistic: Stats.SUM, period: minute }),
      threshold: 5,
      periods: 2,
      topic,
    });
    new RunbookAlarm(this, 'SlowResponses', {
      impact: 'One request in a hundred takes longer than 5 seconds: integrators run into their timeouts.',
      section: 'Slow responses',
      metric: api.metricLatency({ statistic: Stats.p(99), period: fiveMinutes }),
      threshold: 5000,
      periods: 3,
      topic,
    });
    this.#addThrottling(tables, settings, topic);
  }

  #addThrottling(tables: readonly KeyedTable[], settings: Settings, topic: ITopic | undefined): void {
    new RunbookAlarm(this, 'ThrottledFunctions', {
      impact: 'Lambda refuses to start functions: requests end in 503, and work in the background waits.',
      section: 'Throttled functions',
      metric: LambdaFunction.metricAllThrottles(everyFiveMinutes),
      threshold: 10,
      periods: 2,
      topic,
    });
    new RunbookAlarm(this, 'Concurrency', {
      impact: 'The account runs more than 80 % of the functions that it may run at once; above that, requests fail.',
      section: 'Concurrency',
      metric: LambdaFunction.metricAllConcurrentExecutions({ statistic: Stats.MAXIMUM, period: minute }),
      threshold: 0.8 * settings.accountConcurrency,
      periods: 3,
      topic,
    });
    const throttles = tables.flatMap((table) => throttleMetrics.map((name) => table.metric(name, everyFiveMinutes)));
    new RunbookAlarm(this, 'ThrottledTables', {
      impact: 'DynamoDB refuses reads or writes: requests are slow or end in 503 with Retry-After.',
      section: 'Throttled tables',
      metric: sumOf('Throttled calls of tables', throttles),
      threshold: 10,
      periods: 2,
      topic,
    });
    // A table's own metrics do not count its indexes. An alarm compares ten metrics at most: reads and writes apart.
    for (const table of tables)
      for (const name of throttleMetrics)
        new RunbookAlarm(this, `ThrottledIndexes${table.node.id}${name}`, {
          impact: `DynamoDB refuses ${name === 'ReadThrottleEvents' ? 'lists by' : 'writes for'} an index of the table ${table.node.id}: requests are slow or end in 503 with Retry-After.`,
          section: 'Throttled indexes',
          metric: sumOf(
            `Throttled calls of indexes of ${table.node.id}`,
            table.indexNames.map((index) =>
              table.metric(name, {
                ...everyFiveMinutes,
                dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: index },
              }),
            ),
          ),
          threshold: 10,
          periods: 2,
          topic,
        });
  }
}
