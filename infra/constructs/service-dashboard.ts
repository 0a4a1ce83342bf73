import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { metricsNamespace } from '../../shared/contract/metrics.ts';
import type { Settings } from '../settings.ts';
import type { KeyedTable } from './keyed-table.ts';
import { metricsService } from './own-metrics.ts';
import type { WorkQueue } from './work-queues.ts';

interface Shown {
  readonly settings: Settings;
  readonly api: HttpApi;
  readonly accessLogs: ILogGroup;
  readonly tables: readonly KeyedTable[];
  readonly queues: ReadonlyMap<string, WorkQueue>;
}

const graph = (title: string, left: IMetric[], right: IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left, right, width: 12, height: 6, liveData: true });

const sum = { statistic: Stats.SUM } as const;

/** What to look at first, on one page of CloudWatch: requests, webhooks, queues, throttling, and what costs money. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, shown: Shown) {
    const { settings } = shown;
    super(scope, 'Dashboard', { dashboardName: `affiliate-program-${settings.stage}` });
    this.#addRequests(shown);
    this.#addWorkers(shown);
    this.#addCosts(shown);
  }

  #addRequests({ api, accessLogs }: Shown): void {
    this.addWidgets(
      graph('Requests and errors', [
        api.metricCount({ label: 'Requests' }),
        api.metricClientError({ label: '4xx' }),
        api.metricServerError({ label: '5xx' }),
      ]),
      graph(
        'Latency (milliseconds)',
        [50, 90, 99].map((percentile) =>
          api.metricLatency({ statistic: Stats.p(percentile), label: `p${percentile}` }),
        ),
      ),
    );
    this.addWidgets(
      new LogQueryWidget({
        title: 'By operation: requests, errors, latency in milliseconds',
        logGroupNames: [accessLogs.logGroupName],
        view: LogQueryVisualizationType.TABLE,
        queryLines: [
          'stats count(*) as requests, sum(status >= 500) as errors, pct(latency, 50) as p50, pct(latency, 99) as p99 by method, route',
          'sort requests desc',
        ],
        width: 24,
        height: 8,
      }),
    );
  }

  #addWorkers({ settings, queues, tables }: Shown): void {
    const own = (metricName: string, statistic: string): Metric =>
      new Metric({
        namespace: metricsNamespace,
        metricName,
        dimensionsMap: { service: metricsService(settings) },
        statistic,
      });
    this.addWidgets(
      graph(
        'Webhooks: deliveries, and lag of the first attempt (milliseconds)',
        [own('WebhooksDelivered', Stats.SUM), own('WebhookAttemptsFailed', Stats.SUM)],
        [own('WebhookFirstAttemptLag', Stats.p(50)), own('WebhookFirstAttemptLag', Stats.p(99))],
      ),
      graph(
        'Messages that wait in queues',
        [...queues].map(([label, queue]) =>
          queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label }),
        ),
      ),
    );
    this.addWidgets(
      graph(
        'Functions at once, throttles and errors (whole account)',
        [LambdaFunction.metricAllConcurrentExecutions({ statistic: Stats.MAXIMUM })],
        [LambdaFunction.metricAllThrottles(sum), LambdaFunction.metricAllErrors(sum)],
      ),
      graph(
        'Throttled reads and writes of tables',
        tables.flatMap((table) =>
          ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
            table.metric(name, { ...sum, label: `${table.node.id} ${name}` }),
          ),
        ),
      ),
    );
  }

  #addCosts({ tables, queues }: Shown): void {
    this.addWidgets(
      graph(
        'Cost: units of DynamoDB',
        tables.flatMap((table) => [
          table.metricConsumedReadCapacityUnits({ ...sum, label: `${table.node.id} read` }),
          table.metricConsumedWriteCapacityUnits({ ...sum, label: `${table.node.id} write` }),
        ]),
      ),
      graph(
        'Cost: invocations, milliseconds of functions, messages',
        [
          LambdaFunction.metricAllInvocations({ ...sum, label: 'Invocations' }),
          ...[...queues].map(([label, queue]) => queue.metricNumberOfMessagesSent({ ...sum, label: `${label} sent` })),
        ],
        [LambdaFunction.metricAllDuration({ ...sum, label: 'Milliseconds' })],
      ),
    );
  }
}
