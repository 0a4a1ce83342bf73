import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IAlarm, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
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

/** The alarms about the service as a whole; those about one worker stand beside it. */
export class ServiceAlarms extends Construct {
  /** Rise within minutes of a deployment that breaks something. */
  readonly onFailure: readonly IAlarm[];

  constructor(scope: Construct, { settings, api, tables, alarmTopic: topic }: Watched) {
    super(scope, 'ServiceAlarms');
    const serverErrors = new RunbookAlarm(this, 'ServerErrors', {
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
    const failingFunctions = new RunbookAlarm(this, 'FailingFunctions', {
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
    this.onFailure = [serverErrors, failingFunctions];
  }

  #addThrottling(tables: readonly KeyedTable[], settings: Settings, topic: ITopic | undefined): void {
    new RunbookAlarm(this, 'ThrottledFunctions', {
      impact: 'Lambda refuses to start functions: requests end in 503, and work in the background waits.',
      section: 'Throttled functions',
      metric: LambdaFunction.metricAllThrottles({ statistic: Stats.SUM, period: fiveMinutes }),
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
    const throttles = tables.flatMap((table, index) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => ({
        id: `${name.toLowerCase()}${index}`,
        metric: table.metric(name, { statistic: Stats.SUM, period: fiveMinutes }),
      })),
    );
    new RunbookAlarm(this, 'ThrottledTables', {
      impact: 'DynamoDB refuses reads or writes: requests are slow or end in 503 with Retry-After.',
      section: 'Throttled tables',
      metric: new MathExpression({
        // A metric that nothing was reported for is missing, not 0.
        expression: throttles.map(({ id }) => `FILL(${id}, 0)`).join(' + '),
        usingMetrics: Object.fromEntries(throttles.map(({ id, metric }) => [id, metric])),
        label: 'Throttled calls of tables',
        period: fiveMinutes,
      }),
      threshold: 10,
      periods: 2,
      topic,
    });
  }
}
